"""What the programs of bench/ share: where the data sets and the peers are, and a fit of either side: what
it took and what value it reached.

The peers live in a virtual environment of their own, build/bench/peers, which is made at need.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench"
PACKAGES = ["numpy", "scipy", "scikit-learn", "liblinear-official", "snapml", "celer", "skglm"]
CPU = "--cpu" in sys.argv  # one thread, and its time on the processor: other programs disturb it less
LONGEST = 120  # seconds of a fit of ours
LEFT_OUT = 77  # the exit status of a program that cannot be run here, as for tests


def say(text):
    print(text, file=sys.stderr, flush=True)


def data_folder(script):
    """The folder of the data sets; without one the program is left out."""
    if not os.environ.get("SEPAL_DATA"):
        say(f"bench/{Path(script).name}: left out, since SEPAL_DATA does not name the folder of the data sets")
        sys.exit(LEFT_OUT)
    return Path(os.environ["SEPAL_DATA"])


def peer_python():
    """The Python that has the peers."""
    if "SEPAL_PEER" in os.environ:
        return os.environ["SEPAL_PEER"]
    venv = WORK / "peers"
    python = str(venv / "bin" / "python")
    if not (venv / "ready").exists():
        say(f"installing the peers to {venv.relative_to(ROOT)}")
        WORK.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        for package in PACKAGES:
            if subprocess.run([python, "-m", "pip", "install", "-q", package]).returncode:
                say(f"{package} cannot be installed here")
        (venv / "ready").touch()
    return python


def enter_peers(script):
    """Go on in the Python that has the peers."""
    python = peer_python()
    os.execv(python, [python, "-B", script, *sys.argv[1:], "--inside"])


class Refused(Exception):
    """Sepal cannot do the problem."""


class Run:
    """One fit: the words that name it, its seconds and the value it reached."""

    def __init__(self, name, seconds, value):
        self.name, self.seconds, self.value = name, seconds, value


def read_model(path):
    """Weights and biases of a .sepal file, which is a safetensors file."""
    import numpy as np
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:8 + length])

    def tensor(name):
        first, last = header[name]["data_offsets"]
        part = raw[8 + length + first:8 + length + last]
        return np.frombuffer(part, np.float64).reshape(header[name]["shape"])

    w, b = tensor("weights"), tensor("bias")
    return w, b - w @ tensor("centre") if "centre" in header else b


def compile_ours():
    """The program that fits ours, with the library of this tree."""
    lib = ROOT / "build" / "lib"
    WORK.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-O2", f"-I{ROOT}/include", ROOT / "bench/fit_sepal.c", f"-L{lib}", "-lsepal",
                    f"-Wl,-rpath,{lib}", "-o", WORK / "fit_sepal"], check=True)


class Holder:
    """A process that holds the rows of a data set and fits them when asked."""
    last = None

    def __init__(self, data):
        path, *options = map(str, data.words)
        pairs = zip(options[::2], options[1::2])
        named = ", ".join(f'{name.removeprefix("--")}="{value}"' for name, value in pairs)
        self.data = data
        self.run = subprocess.Popen([WORK / "fit_sepal", path, named, "1" if CPU else "0"], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True)

    @classmethod
    def of(cls, data):
        """One at a time: the last one's rows leave the memory."""
        if cls.last is None or cls.last.data is not data:
            if cls.last:
                cls.last.run.stdin.close()
                cls.last.run.wait()
            cls.last = cls(data)
        return cls.last

    def fit(self, spec, options, model):
        self.run.stdin.write(f"{spec}\t{options}\t{model}\n")
        self.run.stdin.flush()
        words = self.run.stdout.readline().rstrip("\n").split("\t")
        if words[0] == "error":
            raise Refused(words[1])
        seconds, cpu_seconds, objective, solver, iterations, gap = words
        return float(cpu_seconds if CPU else seconds), float(objective), solver, float(iterations), float(gap)


def ours(problem, tolerance, *more, longest=LONGEST):
    """A fit of ours: `more` are further options, "name=value"."""
    model = WORK / "ours.sepal"
    options = ", ".join([f"tol={tolerance:.3g}", f"max-seconds={longest:.3g}", *more])
    seconds, objective, solver, _, _ = Holder.of(problem.data).fit(problem.spec(), options, model)
    value = problem.value(*read_model(model))
    if abs(value - objective) > 1e-9 * value:
        say(f"  ATTENTION: sepal printed the objective {objective!r}, its model has {value!r}")
    return Run(f"{solver.split(' ')[0]} --tol {tolerance:.2g}", seconds, value)


class Contest:
    """A problem with every fit of it so far, and the best value that any of them reached."""

    def __init__(self, problem, patience, best=1e-10):
        self.problem, self.patience, self.fits = problem, patience, {}
        self.best = float("inf")
        self.ours(best)

    def note(self, key, fit):
        if key not in self.fits:
            self.fits[key] = fit()
            self.best = min(self.best, self.fits[key].value)
        return self.fits[key]

    def ours(self, tolerance):
        return self.note(tolerance, lambda: ours(self.problem, tolerance))

    def theirs(self, peer, way, tolerance):
        return self.note((peer, way.name, tolerance), lambda: self.again(peer, way, tolerance))

    def again(self, peer, way, tolerance):
        from solver_peers import in_child
        seconds, value = in_child(peer, self.problem, way, tolerance, self.patience)
        return Run(f"{way.name}{' ' if way.name.endswith('-e') else ''}{tolerance:.2g}", seconds, value)

    def excess(self, run):
        return run.value / self.best - 1


def times(seconds):
    return f"{1e6 * seconds:.0f} us" if seconds < 1e-3 else f"{seconds:.3g} s"
