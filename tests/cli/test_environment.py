#!/usr/bin/env python3
"""What surrounds a command: closed and full outputs, limits of the system, locale, time zone, umask,
working directory, terminal, temporary folder, odd names and odd kinds of files. The result has the
same bytes, or there is the right exit code with one line on standard error and nothing is written."""

import json
import os
import resource
import shutil
import socket
import stat
import subprocess

from checks import check, finish

SEPAL = os.environ["SEPAL"]
IRIS = os.environ["SEPAL_SOURCE"] + "/examples/data/iris.csv"
NIGHTLY = os.environ.get("SEPAL_NIGHTLY") == "1"
HERE = os.getcwd()
counts = HERE + "-counts"
limits = 0


def run(words, **how):
    how.setdefault("stdin", subprocess.DEVNULL)
    for stream in ("stdout", "stderr"):
        how.setdefault(stream, subprocess.PIPE)
    return subprocess.run([SEPAL, *words], timeout=120, **how)


def files(folder="."):
    """Names, and which file each is."""
    return {entry.name: (entry.inode(), entry.stat(follow_symlinks=False).st_mtime_ns)
            for entry in os.scandir(folder)}


def one_line(name, err):
    """A message for people, after warnings: one line, no byte that steers a terminal."""
    while err.startswith(b"sepal: warning: "):
        err = err.split(b"\n", 1)[1]
    check(err.startswith(b"sepal: ") and err.endswith(b"\n") and err.count(b"\n") == 1, name,
          f"not one line: {err!r}")
    check(not any(byte < 32 or byte == 127 for byte in err[:-1]), name, f"control bytes: {err!r}")


def refused(words, code, said, **how):
    """Exit `code` with one line, nothing written, and the same as an object with --json."""
    before = files()
    for more in ([], ["--json"]):
        name = f"{words} {more}"
        done = run([*words, *more] if "--" not in words else [*more_after(words, more)], **how)
        check(done.returncode == code, name, f"exit {done.returncode}, not {code}: {done.stderr!r}")
        one_line(name, done.stderr)
        check(said in done.stderr.decode(errors="replace"), name, f"{said!r} not in {done.stderr!r}")
        check(files() == before, name, f"files: {set(files()) ^ set(before)}")
        if more:
            try:
                error = json.loads(done.stdout)["error"]
                check(error["exit"] == code, name, f"{error}")
                check("\n" not in error["message"], name, f"{error}")
            except (ValueError, KeyError):
                check(False, name, f"no object: {done.stdout!r}")
        else:
            check(done.stdout == b"", name, f"output {done.stdout!r}")


def more_after(words, more):
    return [words[0], *more, *words[1:]]


TRAIN = ["train", "data.csv", "-m", "least-squares", "-q"]
PRINTING = [["train", "data.csv", "-m", "least-squares"], ["predict", "model.sepal", "data.csv"],
            ["predict", "model.sepal", "data.csv", "--scores"], ["evaluate", "model.sepal", "data.csv"],
            ["describe", "data.csv"], ["inspect", "model.sepal"], ["list"], ["help"],
            ["help", "train"], ["--version"], ["train", "--help"],
            ["convert", "data.csv", "--to", "csv", "-o", "-"]]
SAVING = [["train", "data.csv", "-m", "least-squares", "-o", "new"],
          ["train", "data.csv", "-m", "perceptron", "-q", "--trace", "new"],
          ["predict", "model.sepal", "data.csv", "-o", "new"],
          ["convert", "data.csv", "--to", "csv", "-o", "new"],
          ["convert", "data.csv", "--to", "npy", "-o", "new"]]


def with_output(words, path):
    return [path if word == "new" else word for word in words]


# ---- standard files ---------------------------------------------------------------------------

def closed(*numbers):
    return lambda: [os.close(number) for number in numbers]


def standard_files():
    for words in PRINTING:
        before = files()
        done = run(words, preexec_fn=closed(1))
        check((done.returncode, done.stderr) == (141, b""), f"{words} >&-", f"{done}")
        out, end = os.pipe()
        os.close(out)
        done = run(words, stdout=end)
        os.close(end)
        check((done.returncode, done.stderr) == (141, b""), f"{words} | true", f"{done}")
        with open("/dev/full", "wb") as full:
            done = run(words, stdout=full)
        check(done.returncode == 6, f"{words} >/dev/full", f"exit {done.returncode}")
        one_line(f"{words} >/dev/full", done.stderr)
        usual = run(words)
        done = run(words, preexec_fn=closed(2))
        check(done.returncode == 0 and same(done.stdout, usual.stdout), f"{words} 2>&-", "differs")
        done = run(words, stdin=None, preexec_fn=closed(0))
        check(done.returncode == 0 and same(done.stdout, usual.stdout), f"{words} <&-", "differs")
        check(files() == before, f"{words}", "files changed")
    for words in SAVING:
        done = run(words, stdin=None, stdout=None, stderr=None, preexec_fn=closed(0, 1, 2))
        # A model is put in place only when its report is out, and there is nowhere to put that.
        expected = 141 if "train" in words and "-q" not in words else 0
        check(done.returncode == expected, f"{words} with nothing open", f"exit {done.returncode}")
        remove_new()
    refused(["describe", "-"], 3, "cannot read", stdin=None, preexec_fn=closed(0))
    for number in (1, 2):  # an error stays one where nobody can be told
        done = run(["describe", "nosuch", "--json"], preexec_fn=closed(number))
        check(done.returncode == 3, f"error with {number} closed", f"exit {done.returncode}")
    for words in SAVING:
        if "npy" not in words:
            refused_full(with_output(words, "/dev/full"))


def refused_full(words):
    before = files()
    done = run(words)
    check(done.returncode == 6 and b"No space left" in done.stderr, f"{words}", f"{done}")
    check(files() == before, f"{words}", "files changed")


def remove_new():
    for name in os.listdir("."):
        if name.startswith("new"):
            os.unlink(name)


def same(a, b):
    """But for what may differ: seconds and memory, and the time in a report for people."""
    drop = lambda text: [line for line in text.splitlines() if b"second" not in line
                         and b"memory" not in line and b" s" not in line and b"load" not in line
                         and b"fit" not in line and b"total" not in line and b"MB" not in line]
    return drop(a) == drop(b)


# ---- what must not change results ------------------------------------------------------------

def results(environment=None, cwd=None, data=IRIS, prefix=HERE):
    """The bytes of everything that a chain of commands writes."""
    folder = f"{prefix}/chain"
    os.makedirs(folder)
    chain = [["train", data, "-m", "perceptron", "--holdout", "0.3", "--json", "-o", f"{folder}/m",
              "--trace", f"{folder}/t"],
             ["train", data, "-m", "least-squares(l2=1e-3)", "--tol", "1e-9", "-o", f"{folder}/l"],
             ["predict", f"{folder}/l", data, "--scores", "-o", f"{folder}/p"],
             ["evaluate", f"{folder}/l", data, "--json"], ["inspect", f"{folder}/l"],
             ["describe", data], ["convert", data, "-o", f"{folder}/c.arff"],
             ["describe", f"{folder}/nosuch"]]
    texts = []
    for words in chain:
        done = run(words, env=environment, cwd=cwd)
        texts += [done.returncode, done.stderr, done.stdout]
    for name in sorted(os.listdir(folder)):
        with open(f"{folder}/{name}", "rb") as file:
            texts += [name, file.read()]
    shutil.rmtree(folder)
    return texts


def differ(name, a, b):
    pairs = list(zip(a, b))
    wrong = [pair for pair in pairs
             if not (same(*pair) if isinstance(pair[0], bytes) else pair[0] == pair[1])]
    check(len(a) == len(b) and not wrong, name, f"results differ: {wrong[:1]}")


def make_locale():
    """A locale with decimal commas, or None."""
    done = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{HERE}/de_DE.UTF-8"],
                          capture_output=True) if shutil.which("localedef") else None
    if done is None or not os.path.exists("de_DE.UTF-8/LC_NUMERIC"):
        print("SKIP comma: no locale with decimal commas can be made here")
        return None
    return {"LOCPATH": HERE, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}


def surroundings():
    usual = results()
    check(len(usual) == 8 * 3 + 5 * 2 and usual[0] == 0, "chain", f"{usual}")
    base = {k: v for k, v in os.environ.items() if k not in ("HOME", "TERM", "NO_COLOR", "TZ")}
    comma = make_locale()
    for name, extra in (("nothing", None), ("comma", comma), ("TZ", {"TZ": "Asia/Kathmandu"}),
                        ("TERM dumb", {"TERM": "dumb"}), ("TERM", {"TERM": "xterm-256color"}),
                        ("NO_COLOR", {"NO_COLOR": "1"}), ("HOME", {"HOME": "/nonexistent"}),
                        ("C locale", {"LC_ALL": "C"}), ("bad locale", {"LC_ALL": "xx_YY.Z"}),
                        ("TMPDIR", {"TMPDIR": "/nonexistent"}), ("POSIXLY_CORRECT", {"POSIXLY_CORRECT": "1"})):
        if name == "comma" and comma is None:
            continue
        differ(name, usual, results({**base, **extra} if extra else base))
    differ("empty environment", usual, results({}))
    for cwd in ("/", "/dev", os.path.dirname(HERE)):
        differ(f"in {cwd}", usual, results(cwd=cwd))
    os.makedirs("gone")
    done = run(["describe", IRIS, "-q"], cwd="gone", preexec_fn=lambda: os.rmdir(f"{HERE}/gone"))
    check(done.returncode == 0, "removed folder", f"{done}")
    os.makedirs("gone")
    done = run(["train", IRIS, "-m", "perceptron", "-o", "m"], cwd="gone",
               preexec_fn=lambda: os.rmdir(f"{HERE}/gone"))
    check(done.returncode == 6, "output in a removed folder", f"{done}")
    os.makedirs("a/b")
    done = run(["train", "../../data.csv", "-m", "perceptron", "-q", "-o", "../m"], cwd="a/b")
    check(done.returncode == 0 and os.path.exists("a/m"), "relative paths", f"{done}")
    for folder in ("/nonexistent", "/proc", f"{HERE}/data.csv"):
        refused_text(["convert", "data.csv", "--to", "csv", "-o", "-"], 6, folder,
                     env={**base, "TMPDIR": folder})


def refused_text(words, code, said, **how):
    """As `refused`, for what --json cannot be asked of."""
    before = files()
    done = run(words, **how)
    check(done.returncode == code, f"{words}", f"exit {done.returncode}: {done.stderr!r}")
    one_line(f"{words}", done.stderr)
    check(said.encode() in done.stderr and done.stdout == b"", f"{words}", f"{done}")
    check(files() == before, f"{words}", "files changed")


def modes():
    """A new file has the mode that creat() would give; one that is replaced keeps its own."""
    for mask in (0o000, 0o077, 0o027, 0o022):
        for words in SAVING:
            done = run(words, preexec_fn=lambda: os.umask(mask))
            check(done.returncode == 0, f"{words}", f"{done}")
            mode = stat.S_IMODE(os.stat("new").st_mode)
            check(mode == 0o666 & ~mask, f"{words}", f"mode {mode:o} with umask {mask:o}")
            for old in (0o444, 0o600, 0o755):
                os.chmod("new", old)
                inode = os.stat("new").st_ino
                done = run(words, preexec_fn=lambda: os.umask(mask))
                mode = stat.S_IMODE(os.stat("new").st_mode)
                check(done.returncode == 0 and mode == old, f"{words}", f"{mode:o}, not {old:o}")
                check(os.stat("new").st_ino != inode, f"{words}", "not replaced but written over")
            remove_new()


# ---- names and kinds of files -----------------------------------------------------------------

ODD_NAMES = [b"new\nline.csv", b"esc\x1b[31m.csv", b"tab\t.csv", b"caf\xe9.csv", b"\xff\xfe.csv",
             b"quote\".csv", b"back\\slash.csv", b"%s%n%d.csv", b"a,b=c(d).csv", b" blank .csv",
             b"\xe2\x80\xae.csv", b"\x01\x7f.csv", b"-", b"-q", b"--json", b"$(touch pwned).csv"]


def odd_names():
    for name in ODD_NAMES:
        odd = b"./" + name if name == b"-" else name
        shutil.copy("data.csv", odd)
        done = run(["describe", "--format", "csv", "--", odd])
        check(done.returncode == 0, f"read {name}", f"{done}")
        done = run(["train", "data.csv", "-m", "perceptron", "-q", "-o", b"./model-" + name])
        check(done.returncode == 0, f"save {name}", f"{done}")
        done = run(["predict", "--format", "csv", "-o", b"./out-" + name, "--", b"./model-" + name, odd])
        check(done.returncode == 0, f"predict {name}", f"{done}")
        with open(odd, "ab") as file:
            file.write(b"1,2\n")
        refused(["separable", "--format", "csv", "--", odd], 3, "cells")
        os.unlink(odd)
        for words, code in ((["describe"], 3), (["inspect"], 4), (["train", "-m", "perceptron"], 3)):
            refused([*words, "--", b"./" + name], code, "cannot open")
        refused(["train", "data.csv", "-m", "perceptron", "-o", b"nosuch/" + name], 6, "cannot")
        for file in (b"model-" + name, b"out-" + name):
            os.unlink(file)
    for words, code in ((["describe", ""], 3), (["inspect", ""], 4), (["predict", "", "data.csv"], 4),
                        ([*TRAIN, "-o", ""], 2), (["predict", "model.sepal", "data.csv", "-o", ""], 2),
                        (["convert", "data.csv", "-o", "", "--to", "csv"], 2),
                        (["predict", "model.sepal", ""], 3), ([*TRAIN, "--test", ""], 3)):
        refused(words, code, "")


def long_names():
    component = "x" * 255
    deep = "/".join([component] * 18)  # beyond 4096
    for name in (component + "x", deep, "./" * 3000 + "data.csv", "/" * 5000):
        refused(["describe", name], 3, "")
        refused(["inspect", name], 4, "")
        refused([*TRAIN, "-o", name], 6, "")
        refused(["predict", "model.sepal", "data.csv", "-o", name], 6, "")
        refused(["convert", "data.csv", "--to", "csv", "-o", name], 6, "")
    # a name that is just short enough is fine to read; its temporary file's name is too long
    shutil.copy("data.csv", component)
    done = run(["describe", "--format", "csv", component, "-q"])
    check(done.returncode == 0, "255 bytes", f"{done}")
    os.unlink(component)


def kinds():
    """Inputs that are no plain files."""
    os.mkdir("folder")
    os.symlink("loop", "loop")
    os.symlink("nosuch", "dangling")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for path, said in (("folder", "directory"), ("loop", "symbolic links"), ("socket", "cannot open"),
                           ("dangling", "cannot open"), ("data.csv/x", "Not a directory"),
                           ("/dev/null", "nothing"), ("/dev/zero", "not text"),
                           ("/proc/self/mem", "cannot read"), ("/proc/self/cmdline", "not text")):
            refused(["describe", path], 3, said)
            refused(["train", path, "-m", "perceptron", "-o", "new"], 3, said)
            refused([*TRAIN, "-o", "new", "--test", path], 3, said)
            refused(["predict", "model.sepal", path, "-o", "new"], 3, said)
        for path in ("folder", "loop", "socket", "dangling", "data.csv/x", "/dev/null", "/proc/self/mem",
                     "data.csv"):
            refused(["inspect", path], 4, "")
            refused(["predict", path, "data.csv"], 4, "")
        for path, said in (("folder", "directory"), ("loop", "symbolic links"), ("socket", "cannot open"),
                           ("nosuch/new", "No such file"), ("data.csv/new", "Not a directory"),
                           ("/dev/full", "No space")):
            for words in SAVING:
                if "npy" not in words:
                    refused(with_output(words, path), 6, said)
    os.unlink("socket")
    os.mkfifo("fifo")
    feeder = subprocess.Popen(["sh", "-c", "exec cat data.csv >fifo"])
    done = run(["describe", "fifo", "--json"])
    feeder.wait()
    check(done.returncode == 0 and json.loads(done.stdout)["rows"] == 150, "fifo", f"{done}")
    for name in ("fifo", "loop", "dangling"):
        os.unlink(name)
    os.rmdir("folder")


def same_file():
    """An output that is an input, under whatever name, is refused before anything is lost."""
    shutil.copy("data.csv", "d.csv")
    os.link("d.csv", "hard.csv")
    os.symlink("d.csv", "soft.csv")
    os.link("model.sepal", "hard.sepal")
    os.makedirs("a/b", exist_ok=True)
    for other in ("d.csv", "./d.csv", "a/../d.csv", HERE + "/d.csv", "hard.csv", "soft.csv"):
        refused(["train", "d.csv", "-m", "perceptron", "-o", other], 2, "which would be lost")
        refused(["train", "d.csv", "-m", "perceptron", "--trace", other], 2, "which would be lost")
        refused([*TRAIN, "--test", "d.csv", "-o", other], 2, "which would be lost")
        refused(["predict", "model.sepal", "d.csv", "-o", other], 2, "which would be lost")
        refused(["convert", "d.csv", "-o", other], 2, "which would be lost")
    refused(["predict", "model.sepal", "d.csv", "-o", "hard.sepal"], 2, "which would be lost")
    for labels in ("--labels", "--weights"):
        refused([*TRAIN, labels, "d.csv", "-o", "hard.csv"], 2, "which would be lost")
    with open("t", "w"):
        pass
    refused([*TRAIN, "-o", "t", "--trace", "./t"], 2, "the same file")
    refused([*TRAIN, "-o", "fresh", "--trace", "./fresh"], 2, "the same file")
    # what is read and what is replaced may well be different files
    done = run([*TRAIN, "-o", "soft.sepal"])
    check(done.returncode == 0, "soft.sepal", f"{done}")
    for name in ("d.csv", "hard.csv", "soft.csv", "hard.sepal", "soft.sepal", "t"):
        os.unlink(name)


def links():
    """Through a symbolic link the file behind it is replaced; another hard link keeps the old one."""
    for words in SAVING:
        run(words)
        os.rename("new", "target")
        remove_new()
        with open("target", "ab") as file:
            file.write(b"#")
        os.link("target", "other")
        os.symlink("target", "new")
        done = run(words)
        check(done.returncode == 0 and os.path.islink("new"), f"{words}", f"{done}")
        with open("target", "rb") as new, open("other", "rb") as old:
            check(new.read() + b"#" == old.read(), f"{words}", "the target is not replaced")
        for name in ("target", "other"):
            os.unlink(name)
        done = run(words)  # the link leads nowhere now
        check(done.returncode == 0, f"{words} through a dangling link", f"{done}")
        check(os.path.exists("new"), f"{words} through a dangling link", "nothing is there")
        remove_new()
        if os.path.exists("target"):
            os.unlink("target")


# ---- permissions ------------------------------------------------------------------------------

def permissions():
    """As root everything may be written, so this runs as nobody."""
    def nobody():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
    try:
        done = run(["--version"], preexec_fn=nobody)
        if done.returncode or done.stderr:  # where branches are counted, the counts cannot be kept
            raise PermissionError
    except PermissionError:
        print("SKIP permissions: the command cannot be run as another user")
        return
    os.chmod(".", 0o755)
    os.mkdir("locked")
    shutil.copy("model.sepal", "locked/new")
    os.chmod("locked/new", 0o666)
    os.chmod("locked", 0o555)
    shutil.copy("data.csv", "secret.csv")
    shutil.copy("model.sepal", "secret.sepal")
    for name in ("secret.csv", "secret.sepal"):
        os.chmod(name, 0)
    how = {"preexec_fn": nobody}
    for words in SAVING:
        for path in ("locked/fresh", "locked/new", "fresh"):
            if "npy" not in words:
                refused(with_output(words, path), 6, "Permission denied", **how)
    refused(["describe", "secret.csv"], 3, "Permission denied", **how)
    refused([*TRAIN, "--test", "secret.csv"], 3, "Permission denied", **how)
    refused(["inspect", "secret.sepal"], 4, "Permission denied", **how)
    os.chmod("locked", 0o755)
    shutil.rmtree("locked")
    os.unlink("secret.csv")
    os.unlink("secret.sepal")
    # No further thread may be made: the work is done by one. OpenBLAS wants its own at the start,
    # and so does the search for leaks at the end.
    def alone():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        nobody()
    usual = run(["describe", "data.csv"]).stdout
    single = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "ASAN_OPTIONS": "detect_leaks=0"}
    done = run(["describe", "data.csv"], preexec_fn=alone, env=single)
    check(done.returncode == 0 and done.stdout == usual, "no threads", f"{done}")


# ---- limits -----------------------------------------------------------------------------------

def limited(what, soft, words, codes, expected=None):
    """Under a limit: a result, the same as without it, or one of the codes with one line."""
    global limits
    limits += 1
    environment = {**os.environ, "GCOV_PREFIX": counts}  # counts cut off would spoil others
    before = files()
    done = run(words, env=environment,
               preexec_fn=lambda: resource.setrlimit(what, (soft, resource.getrlimit(what)[1])))
    name = f"{words} limit {what} {soft}"
    check(done.returncode in codes, name, f"exit {done.returncode}: {done.stderr!r}")
    if done.returncode == 0:
        check(expected is None or same(done.stdout, expected), name, "another result")
    elif done.returncode in (3, 4, 6):
        one_line(name, done.stderr)
        check(files() == before, name, f"files: {set(files()) ^ set(before)}")
    shutil.rmtree(counts, ignore_errors=True)
    return done.returncode


def file_sizes():
    """A limit on the size of files, as a full disk: the old file or the whole new one."""
    run(["convert", "data.csv", "-o", "big.csv"])
    for words in SAVING:
        if "npy" in words:
            continue
        for size in (0, 1, 100, 300, 512, 700, 1024, 4096, 1 << 20):
            with open("new", "wb") as file:
                file.write(b"old")
            code = limited(resource.RLIMIT_FSIZE, size, words, (0, 6))
            with open("new", "rb") as file:
                check((file.read() == b"old") == (code != 0), f"{words}", f"the old file, limit {size}")
            os.unlink("new")
    os.unlink("big.csv")


def open_files():
    expected = {tuple(words): run(words).stdout for words in PRINTING}
    for words in PRINTING + [[*TRAIN, "-o", "new"]]:
        codes = [limited(resource.RLIMIT_NOFILE, n, words, (0, 3, 4, 6, 127), expected.get(tuple(words)))
                 for n in range(3, 11)]
        check(codes[-1] == 0, f"{words}", f"10 files are too few: {codes}")
    remove_new()


def stacks():
    for words in PRINTING:
        expected = run(words).stdout
        for kilobytes in (512, 1024):
            limited(resource.RLIMIT_STACK, kilobytes << 10, words, (0,), expected)


def main():
    shutil.copy(IRIS, "data.csv")
    done = run([*TRAIN, "-o", "model.sepal"])
    check(done.returncode == 0, "start", f"{done}")
    for part in (standard_files, surroundings, modes, odd_names, long_names, kinds, same_file, links,
                 permissions, file_sizes, open_files, stacks):
        part()
        check(not files_left(), part.__name__, f"left {files_left()}")
    print(f"{limits} runs under limits")
    finish()


def files_left():
    known = {"data.csv", "model.sepal", "de_DE.UTF-8", "a", "out", "err"}
    return sorted(set(os.listdir(".")) - known)


main()
