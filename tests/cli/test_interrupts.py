#!/usr/bin/env python3
"""Ctrl-C in every phase of every command: exit 130 with a sentence and, with --json, an object; the
old model or a whole new one; no other file. The second one leaves at once.

A command is brought into a phase and kept there by what it waits for (a pipe that stays open, one
that nobody reads) or by work without an end. No check depends on how long anything takes."""

import fcntl
import glob
import gzip
import json
import os
import pty
import random
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from checks import check, finish
from seeds import test_seed

SEPAL = os.environ["SEPAL"]
PATIENCE = 60  # seconds, for what takes a moment


# ---- a running command ------------------------------------------------------------------------

def until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.01)


class Run:
    def __init__(self, *words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **more):
        self.errors = open("errors", "w+b")
        self.process = subprocess.Popen([SEPAL, *words], stdin=stdin, stdout=stdout,
                                        stderr=self.errors, **more)

    def status(self, key):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(line.split()[1] for line in file if line.startswith(key + ":"))

    def ticks(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[11])

    def catches(self):
        """Whether the handler of SIGINT is there."""
        return int(self.status("SigCgt"), 16) >> (signal.SIGINT - 1) & 1

    def says(self, words):
        self.errors.seek(0)
        return words.encode() in self.errors.read()

    def await_words(self, words):
        until(lambda: self.says(words) or self.process.poll() is not None, words)

    def await_sleep(self):
        """Until the main thread waits, and goes on waiting."""
        until(self.catches, "the handler")
        calm = 0
        while calm < 20:
            calm = calm + 1 if self.status("State") == "S" else 0
            time.sleep(0.01)

    def await_work(self, ticks=10):
        """Until it has computed for that many hundredths of a second more."""
        start = self.ticks()
        until(lambda: self.ticks() >= start + ticks, "work")

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        taken = lambda: self.process.poll() is not None or int(self.status("ShdPnd"), 16) == 0
        until(taken, "the signal to be taken")

    def end(self):
        try:
            out, _ = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            out = b"(killed by the test)"
        self.errors.seek(0)
        err = self.errors.read().decode()
        self.errors.close()
        os.unlink("errors")
        return self.process.returncode, out, err


class Feed:
    """A pipe that gets some bytes and stays open."""

    def __init__(self):
        self.out, self.end = os.pipe()

    def give(self, data):
        """Until all of it is taken."""
        view = memoryview(data)
        while view:
            view = view[os.write(self.end, view):]
        size = bytearray(4)

        def empty():
            fcntl.ioctl(self.out, termios.FIONREAD, size)
            return struct.unpack("i", size)[0] == 0
        until(empty, "the bytes to be read")

    def close(self):
        os.close(self.out)
        os.close(self.end)


def full_pipe():
    """A pipe that holds all it can: who writes to it waits."""
    out, end = os.pipe()
    os.set_blocking(end, False)
    try:
        while os.write(end, bytes(4096)):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(end, True)
    return out, end


def files():
    """What there is, and when it changed."""
    names = set(os.listdir(".")) - {"errors", "fifo"}
    return {name: os.stat(name).st_mtime_ns for name in names}


# ---- what is checked --------------------------------------------------------------------------

def check_end(name, run, words, as_json, before):
    code, out, err = run.end()
    check(code == 130, name, f"exit {code}: {err!r}")
    lines = [line for line in err.splitlines() if words in line]
    check(len(lines) == 1, name, f"{words!r} is not said once: {err!r}")
    check(files() == before, name, f"files changed: {set(files().items()) ^ set(before.items())}")
    if as_json:
        try:
            error = json.loads(out)["error"]
            check(error["exit"] == 130 and words in error["message"], name, f"object {error}")
        except (ValueError, KeyError):
            check(False, name, f"no object: {out!r}")
    else:
        check(out == b"", name, f"output {out!r}")


def rows(n, seed=1):
    """Two classes that no plane tells apart."""
    numbers = random.Random(test_seed(seed))
    lines = [f"{numbers.randrange(100)},{numbers.randrange(100)},{numbers.choice('xy')}\n"
             for _ in range(1000)]
    return ("".join(lines) * (n // 1000)).encode()


HEAD = b"a,b,class\n"
COMMANDS = {
    "train": ["train", "-", "-m", "perceptron", "-o", "model.sepal"],
    "predict": ["predict", "model.sepal", "-", "-o", "out.txt"],
    "evaluate": ["evaluate", "model.sepal", "-"],
    "describe": ["describe", "-"],
    "convert": ["convert", "-", "-o", "out.csv"],
}


def reading():
    """The pipe stays open: in the first bytes, and between chunks, when another thread reads."""
    few, many = HEAD + rows(1000), HEAD + rows(600_000)
    feeds = {"nothing": b"", "few": few, "many": many, "packed": gzip.compress(many)[:-1000]}
    runs = {"nothing": 1, "few": 2, "many": 4, "packed": 3}
    for command, words in COMMANDS.items():
        for kind, data in feeds.items():
            if kind == "packed" and not packed_in_build:
                continue
            for options in [[], ["--json"], ["--threads", "8"], ["--threads", "1"]][:runs[kind]]:
                name = f"{command}, {kind} {' '.join(options)}"
                feed, before = Feed(), files()
                run = Run(*words, *options, stdin=feed.out)
                until(run.catches, "the handler")
                feed.give(data)
                run.interrupt()
                check_end(name, run, "interrupted while reading", "--json" in options, before)
                feed.close()


def named_pipes():
    """The open of a named pipe waits for the other end; so may the reading of a model."""
    os.mkfifo("fifo")
    for words in (["describe", "fifo"], ["predict", "fifo", "data.csv"], ["inspect", "fifo"],
                  ["evaluate", "model.sepal", "fifo"]):
        before = files()
        run = Run(*words, "--json")
        run.await_sleep()
        run.interrupt()
        check_end(f"{words} without a writer", run, "interrupted while reading", True, before)
    with open("model.sepal", "rb") as file:
        half = file.read()[:-100]
    feed, before = Feed(), files()
    run = Run("inspect", "-", stdin=feed.out)
    feed.give(half)
    run.interrupt()
    check_end("half a model", run, "interrupted while reading", False, before)
    feed.close()
    for words in (["predict", "model.sepal", "data.csv", "-o", "fifo"],
                  ["convert", "data.csv", "-o", "fifo", "--to", "csv"]):
        before = files()
        run = Run(*words, "--json")
        run.await_sleep()
        run.interrupt()
        check_end(f"{words} without a reader", run, "interrupted while w", True, before)
    os.unlink("fifo")


def terminal():
    """Ctrl-C typed at the terminal from which rows are awaited."""
    leader, follower = pty.openpty()

    def take_terminal():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    before = files()
    run = Run("describe", "-", "--json", stdin=follower, start_new_session=True,
              preexec_fn=take_terminal)
    run.await_words("waiting for rows")
    os.write(leader, b"1,2,x\n\x03")
    check_end("terminal", run, "interrupted while reading", True, before)
    os.close(leader)
    os.close(follower)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def check_loads(name, path):
    loads = subprocess.run([SEPAL, "inspect", path, "-q"], capture_output=True)
    check(loads.returncode == 0, name, f"{path} does not load: {loads.stderr!r}")


def check_saved(name, run, words, old):
    """A fit that came to its end: the new model is in its place."""
    code, out, err = run.end()
    check(code == 130, name, f"exit {code}: {err!r}")
    check(words in err, name, f"{words!r} is not said: {err!r}")
    check(not glob.glob("model.sepal.*") + glob.glob("trace.jsonl.*"), name, "a temporary file")
    check(content("model.sepal") != old, name, "the old model is still there")
    check_loads(name, "model.sepal")
    restore(old)
    return out


def check_kept(name, run, old, place="model.sepal.interrupted", others=()):
    """A fit that did not: the old model stays, what there is stands beside it under another name."""
    code, out, err = run.end()
    check(code == 130, name, f"exit {code}: {err!r}")
    said = f"the best model so far is in {place}; model.sepal is as it was"
    check(said in err, name, f"{said!r} is not said: {err!r}")
    beside = sorted(glob.glob("model.sepal.*") + glob.glob("trace.jsonl.*"))
    check(beside == sorted([place, *others]), name, f"files: {beside}")
    check(content("model.sepal") == old, name, "the old model is gone")
    if os.path.exists(place):
        check_loads(name, place)
        os.unlink(place)
    return out


def restore(old):
    with open("model.sepal", "wb") as file:
        file.write(old)


ENDLESS = ["train", "data.csv", "-m", "perceptron", "--epochs", "1000000000", "-v"]


def fitting(old):
    for variant in ("online", "batch", "minibatch", "pocket", "averaged", "delta"):
        run = Run(*ENDLESS, "--variant", variant, "--json", "-o", "model.sepal", "--trace",
                  "trace.jsonl", "--eta", "0.001")
        run.await_words("read data.csv")
        run.await_work()
        run.interrupt()
        out = check_kept(f"fit, {variant}", run, old)
        facts = json.loads(out)
        check(facts["interrupted"] is True and facts["converged"] is False, variant, "the report")
        with open("trace.jsonl") as file:
            steps = [json.loads(line) for line in file]
        check(len(steps) > 0, variant, "the trace is empty")
        os.unlink("trace.jsonl")
    before = files()
    run = Run(*ENDLESS)
    run.await_words("read data.csv")
    run.await_work()
    run.interrupt()
    code, out, err = run.end()
    check(code == 130 and "is not saved" in err and files() == before, "no -o", f"{code} {err!r}")


def interrupt_fit(*more):
    run = Run(*ENDLESS, *more)
    run.await_words("read data.csv")
    run.await_work()
    run.interrupt()
    return run


def places(old):
    """Never over a file that is there, nor in place of one that is no regular file; under --strict as
    well, since it was the user who ended it."""
    check_kept("--strict", interrupt_fit("-o", "model.sepal", "--strict"), old)
    others = ["model.sepal.interrupted", "model.sepal.interrupted.2"]
    for taken in (others[:1], others):
        for name in taken:
            with open(name, "w") as file:
                file.write("precious")
        place = f"model.sepal.interrupted.{len(taken) + 1}"
        check_kept("taken", interrupt_fit("-o", "model.sepal"), old, place, taken)
        check(all(content(name) == b"precious" for name in taken), "taken", "written over")
        for name in taken:
            os.unlink(name)
    os.symlink("nowhere", "model.sepal.interrupted")
    check_kept("link", interrupt_fit("-o", "model.sepal"), old, "model.sepal.interrupted.2",
               ["model.sepal.interrupted"])
    check(not os.path.exists("nowhere"), "link", "followed")
    os.unlink("model.sepal.interrupted")
    trace = "model.sepal.interrupted"
    check_kept("trace", interrupt_fit("-o", "model.sepal", "--trace", f"./{trace}"), old,
               "model.sepal.interrupted.2", [trace])
    check(content(trace).startswith(b"{"), "trace", "written over")
    os.unlink(trace)
    before = files()
    code, _, err = interrupt_fit("-o", "/dev/null").end()
    check(code == 130 and "is not saved" in err and files() == before, "device", f"{code} {err!r}")


def not_converged(old):
    """A fit that ended by itself, not converged, is no model under --strict, whenever Ctrl-C comes."""
    feed, before = Feed(), files()
    run = Run("train", "data.csv", "-m", "perceptron", "--epochs", "2", "-o", "model.sepal", "--test",
              "-", "-v", "--strict", stdin=feed.out)
    run.await_words("fitted")
    feed.give(HEAD + rows(1000))
    run.interrupt()
    code, _, err = run.end()
    check(code == 130, "not converged", f"exit {code}: {err!r}")
    check("not converged" in err and "nothing is saved" in err and " is in " not in err,
          "not converged", err)
    check(files() == before and content("model.sepal") == old, "not converged", "files changed")
    feed.close()


def drawn():
    """A terminal shows how far the fit is, in one line that is gone before the last words."""
    leader, follower = pty.openpty()
    width = 40
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    run = subprocess.Popen([SEPAL, *ENDLESS[:-1]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=follower, env={**os.environ, "TERM": "xterm"})
    os.close(follower)
    erase, text, running = b"\x1b[K", b"", True
    while select.select([leader], [], [], PATIENCE)[0]:
        try:
            text += os.read(leader, 1 << 16)
        except OSError:  # nobody has it open any more
            break
        if running and text.count(erase) > 4:
            run.send_signal(signal.SIGINT)
            running = False
    check(run.wait() == 130, "terminal", f"exit {run.returncode}")
    os.close(leader)
    *lines, last = text.split(erase)
    check(len(lines) > 5 and all(b"\r" in line for line in lines), "terminal", f"{text!r}")
    check(all(len(line.split(b"\r")[-1]) < width for line in lines), "terminal", f"{text!r}")
    check(lines[-1].endswith(b"\r") and b"interrupted" in last, "terminal", f"{text!r}")


def testing(old):
    """The model is fitted, its test rows do not come: it is saved all the same."""
    feed = Feed()
    run = Run("train", "data.csv", "-m", "least-squares", "-o", "model.sepal", "--json", "--test",
              "-", "-v", stdin=feed.out)
    run.await_words("fitted")
    feed.give(HEAD + rows(1000))
    run.interrupt()
    out = check_saved("test rows", run, "the model, fitted to the end, is in model.sepal", old)
    facts = json.loads(out)
    check(facts["test"] is None and facts["converged"] is True, "test rows", "the report")
    feed.close()


def saving(old):
    """The model waits beside its place while nobody takes the report: Ctrl-C lets it be saved."""
    out, end = full_pipe()
    run = Run("train", "data.csv", "-m", "least-squares", "-o", "model.sepal", stdout=end)
    until(lambda: glob.glob("model.sepal.*"), "the temporary file")
    run.await_sleep()
    run.interrupt()
    check_saved("saving", run, "is in model.sepal", old)

    # The first one stops the fit, the second meets the report: the old model stays.
    before = files()
    run = Run(*ENDLESS, "-o", "model.sepal", stdout=end)
    run.await_words("read data.csv")
    run.await_work()
    run.interrupt()
    until(lambda: glob.glob("model.sepal.interrupted.*"), "the temporary file")
    run.await_sleep()
    run.interrupt()
    code, _, err = run.end()
    check(code == 130 and "interrupted twice; nothing is saved" in err, "saving twice", err)
    check(files() == before, "saving twice", "files changed")
    os.close(out)
    os.close(end)


def writing():
    """Nobody reads what is written."""
    os.mkfifo("fifo")
    for words, said in ((["predict", "model.sepal", "data.csv"], "standard output"),
                        (["predict", "model.sepal", "data.csv", "-o", "fifo"], "writing it"),
                        (["convert", "data.csv", "--to", "csv", "-o", "-"], "standard output"),
                        (["describe", "data.csv"], "standard output"),
                        (["evaluate", "model.sepal", "data.csv"], "standard output"),
                        (["inspect", "model.sepal"], "standard output"),
                        (["help"], "standard output"), (["list"], "standard output")):
        reader = os.open("fifo", os.O_RDONLY | os.O_NONBLOCK)
        out, end = full_pipe()
        before = files()
        run = Run(*words, stdout=end)
        run.await_sleep()
        run.interrupt()
        code, _, err = run.end()
        check(code == 130, f"{words}", f"exit {code}: {err!r}")
        check(err.count("interrupted while writing") == 1 and said in err, f"{words}", err)
        check(files() == before, f"{words}", "files changed")
        for fd in (reader, out, end):
            os.close(fd)
    os.unlink("fifo")


def twice():
    """A step that does not listen: the trace's reader sleeps. The second Ctrl-C leaves, silently."""
    os.mkfifo("fifo")
    reader = os.open("fifo", os.O_RDONLY | os.O_NONBLOCK)
    before = files()
    run = Run(*ENDLESS, "-o", "model.sepal", "--trace", "fifo")
    run.await_sleep()
    run.interrupt()
    run.await_sleep()
    check(run.process.poll() is None, "twice", "the first one was enough")
    run.interrupt()
    code, out, err = run.end()
    check(code == 130 and out == b"", "twice", f"exit {code}: {out!r} {err!r}")
    check(files() == before, "twice", "files changed")
    os.close(reader)
    os.unlink("fifo")

    # A long factorisation, while the trace has a temporary file.
    before = files()
    run = Run("train", "wide.csv", "-m", "least-squares", "--solver", "qr", "--trace",
              "trace.jsonl", "-o", "model.sepal", "-v", "--threads", "1")
    run.await_words("read wide.csv")
    run.await_work()
    check(glob.glob("trace.jsonl.*") != [], "twice in a fit", "no temporary file to take along")
    run.interrupt()
    run.interrupt()
    code, out, err = run.end()
    check(code == 130 and out == b"", "twice in a fit", f"exit {code}: {out!r} {err!r}")
    check(files() == before, "twice in a fit", "files changed")

    # Once: it ends when it is asked, without weights.
    run = Run("train", "wide.csv", "-m", "least-squares", "-o", "model.sepal", "-v", "--json",
              "--solver", "qr", "--threads", "1", "--no-doctor")
    run.await_words("read wide.csv")
    run.await_work()
    run.interrupt()
    check_end("once in a fit", run, "before there were any weights", True, before)


def background():
    """A shell's background commands ignore the signal; this one takes it. Then: stopped, and on."""
    feed, before = Feed(), files()
    run = Run("describe", "-", stdin=feed.out,
              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    feed.give(HEAD + rows(1000))
    run.interrupt()
    check_end("ignored before", run, "interrupted while reading", False, before)
    run = Run("describe", "-", "--json", stdin=feed.out)
    feed.give(HEAD + rows(1000))
    run.await_sleep()
    run.process.send_signal(signal.SIGSTOP)
    run.process.send_signal(signal.SIGCONT)
    os.close(feed.end)
    code, out, err = run.end()
    check(code == 0 and json.loads(out)["rows"] == 1000, "stopped", f"exit {code}: {err!r}")
    os.close(feed.out)


def main():
    global packed_in_build
    if not os.path.exists("/proc/self/status"):
        sys.exit(77)
    with open("data.csv", "wb") as file:
        file.write(HEAD + rows(100_000))
    with open("wide.csv", "w") as file:
        numbers = random.Random(test_seed(2))
        for i in range(2500):
            file.write(",".join(numbers.choices("0123456789", k=1800)) + ("," + "xy"[i % 2]) + "\n")
    with open("small.csv.gz", "wb") as file:
        file.write(gzip.compress(HEAD + rows(1000)))
    packed_in_build = subprocess.run([SEPAL, "describe", "small.csv.gz", "-q"],
                                     capture_output=True).returncode == 0
    subprocess.run([SEPAL, "train", "data.csv", "-m", "perceptron", "--epochs", "2", "-q", "-o",
                    "model.sepal"], check=True, capture_output=True)
    with open("model.sepal", "rb") as file:
        old = file.read()
    for part in (reading, named_pipes, terminal, drawn, writing, twice, background):
        part()
    for part in (fitting, places, not_converged, testing, saving):
        part(old)
    finish()


main()
