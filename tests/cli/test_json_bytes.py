#!/usr/bin/env python3
"""Whatever bytes a name has, JSON is valid UTF-8: a character of RFC 3629 stays as it is, any other byte is
U+FFFD. Python's decoder is the judge, over every second and third byte behind every first one, and over
random bytes."""
import json
import os
import random
import subprocess
import sys

from seeds import test_seed

SEPAL = os.environ["SEPAL"]
IRIS = os.path.join(os.environ["SEPAL_SOURCE"], "examples", "data", "iris.csv")
MOST = 8000  # bytes of a name


def plain(data):
    """Its text: the longest strict character at each place, or U+FFFD for the byte there."""
    out, at = [], 0
    while at < len(data):
        for n in (1, 2, 3, 4):
            try:
                out.append(data[at:at + n].decode("utf-8", "strict"))
                at += n
                break
            except UnicodeDecodeError:
                pass
        else:
            out.append("\ufffd")
            at += 1
    return "".join(out)


def names():
    pieces = []
    for first in range(0x80, 0x100):
        tails = [b"", b"\x80", b"\x80\x80", b"\xbf\xbf", b"\x80\x80\x80", b"\x7f", b"\xc0"]
        pieces += [bytes([first]) + tail for tail in tails]
    for first in (0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5):
        for second in range(0x7E, 0xC2):
            pieces += [bytes([first, second]) + tail for tail in (b"", b"\x80", b"\x80\xbf", b"\xbf\x7f")]
    numbers = random.Random(test_seed(1))
    pieces += [bytes(numbers.randrange(1, 256) for _ in range(numbers.randrange(1, 9)))
               for _ in range(500)]
    name = b""
    for piece in pieces:
        if len(name) + len(piece) + 1 > MOST:
            yield name
            name = b""
        name += b"." + piece
    yield name


bad = tried = 0
for name in names():
    done = subprocess.run([SEPAL, "train", IRIS, "-m", "lda", "--json", "--test", name],
                          capture_output=True)
    tried += 1
    try:
        found = json.loads(done.stdout.decode("utf-8", "strict"))["error"]["file"]
    except (UnicodeDecodeError, ValueError, KeyError) as error:
        print(f"name {tried}: {error}")
        bad += 1
        continue
    wanted = plain(name)
    if done.returncode != 3 or found != wanted:
        at = next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), -1)
        print(f"name {tried}: exit {done.returncode}, character {at}: {found[at:at + 4]!r}, "
              f"not {wanted[at:at + 4]!r}")
        bad += 1
print(f"{tried} names, {bad} failures")
sys.exit(bool(bad) or tried < 2)
