"""Pictures that are drawn, and what their page must be: for the tests of sepal plot."""

import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree

from checks import check

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
SVG = "{http://www.w3.org/2000/svg}"


def run(*words):
    return subprocess.run([SEPAL, *map(str, words)], capture_output=True)


def must(*words):
    done = run(*words)
    check(done.returncode == 0, f"{words}: {done.stderr.decode()}")
    return done


def numbers(text):
    return [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def boxes(root):
    """Of all texts, about: letters are at least half as wide as high, on average."""
    for text in root.iter(SVG + "text"):
        size, x, y = (float(text.get(k)) for k in ("font-size", "x", "y"))
        width = 0.45 * size * len(text.text or "")
        shift = {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0)
        if text.get("transform"):
            yield text.text, x - 0.7 * size, y - width + shift, x, y + shift
        else:
            yield text.text, x - shift, y - 0.7 * size, x - shift + width, y


def check_page(name, data):
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        check(False, name, error)
        return None
    width, height = float(root.get("width")), float(root.get("height"))
    all_boxes = list(boxes(root))
    check(all_boxes, name, "no text")
    for i, (text, left, top, right, bottom) in enumerate(all_boxes):
        inside = left >= -1 and top >= -1 and right <= width + 1 and bottom <= height + 1
        check(inside, name, f"off the page: {text} {left:.0f} {top:.0f} {right:.0f} {bottom:.0f}")
        for other, a, b, c, d in all_boxes[:i]:
            check(not (left < c and a < right and top < d and b < bottom), name, f"'{text}' over '{other}'")
    values = re.findall(r' (?:x|y|r|cx|cy|d|width|height)="([^"]*)"', data.decode())
    check(not any("n" in value for value in values), name, "a coordinate is nan or inf")
    return root


def draw(name, *words):
    out = f"{name}.svg"
    done = run("plot", *words, "-o", out)
    check(done.returncode == 0, name, done.stderr.decode())
    if done.returncode:
        return b"", None
    data = open(out, "rb").read()
    return data, check_page(name, data)
