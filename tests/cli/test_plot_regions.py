#!/usr/bin/env python3
"""Regions in a picture, and how dark they are, are what predict says of 1,000 points of it; ambiguous regions are hatched and their share
is told."""
import random
import re

from checks import check, finish
from picture import SVG, check_page, draw, must, numbers, run
from seeds import test_seed

random.seed(test_seed(11))

# ---- Regions are what predict says -----------------------------------------------------------------


def polygons(root):
    """(fill, even-odd loops) of the areas of classes."""
    for path in root.iter(SVG + "path"):
        if path.get("fill-opacity") and path.get("fill") != "none" and not path.get("stroke"):
            loops = [numbers(loop) for loop in path.get("d").split("Z") if loop]
            yield path.get("fill"), [list(zip(loop[::2], loop[1::2])) for loop in loops]


def crossings(loops, x, y):
    """How far to the left and right of a point the outline is, and whether the point is inside."""
    inside, near = False, 1e9
    for loop in loops:
        for (ax, ay), (bx, by) in zip(loop, loop[1:] + loop[:1]):
            if min(ay, by) > y + 1 or max(ay, by) < y - 1 or max(ax, bx) < x - 1:
                continue
            length = max((bx - ax) ** 2 + (by - ay) ** 2, 1e-12)
            t = min(1, max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length))
            near = min(near, ((ax + t * (bx - ax) - x) ** 2 + (ay + t * (by - ay) - y) ** 2) ** 0.5)
            if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
                inside = not inside
    return inside, near


def axes(root):
    """Linear maps from pixels to numbers, of the labels of the ticks."""
    texts = [(float(t.get("x")), float(t.get("y")), t) for t in root.iter(SVG + "text")]
    ticks = [(x, y, float(t.text.replace("−", "-")), t.get("text-anchor")) for x, y, t in texts
             if re.fullmatch(r"−?\d+(\.\d+)?", t.text)]
    across, up = [t for t in ticks if t[3] == "middle"], [t for t in ticks if t[3] == "end"]
    (x0, _, a0, _), (x1, _, a1, _) = across[0], across[-1]
    (_, y0, b0, _), (_, y1, b1, _) = up[0], up[-1]
    return (lambda x: a0 + (x - x0) / (x1 - x0) * (a1 - a0)), (lambda y: b0 + (y - y0) / (y1 - y0) * (b1 - b0))


INKS = ["#0072b2", "#e69f00", "#009e73"]
POINTS = 1000
with open("blobs.csv", "w") as file:
    file.write("a,b,class\n")
    for i in range(150):
        k = i % 3
        file.write(f"{random.gauss(2.5 * k, 1):.3f},{random.gauss(3.5 * (k == 1), 1):.3f},{'uvw'[k]}\n")
shares = {}
for spec in ("logistic | ovr", "perceptron(epochs=2) | ovo", "poly(degree=2) | softmax", "gaussian"):
    must("train", "blobs.csv", "-m", spec, "-o", "blobs.sepal", "-q")
    done = run("plot", "regions", "blobs.sepal", "blobs.csv", "-o", "blobs.svg")
    data = open("blobs.svg", "rb").read()
    root = check_page(spec, data)
    areas = list(polygons(root))
    frame = root.find(SVG + "svg")
    left, top, width, height = (float(frame.get(k)) for k in ("x", "y", "width", "height"))
    to_a, to_b = axes(root)
    points = [(left + width * random.random(), top + height * random.random()) for _ in range(POINTS)]
    with open("points.csv", "w") as file:
        file.write("a,b\n")
        # the tick labels' baseline is 4 pixels below their tick
        file.writelines(f"{to_a(x)!r},{to_b(y + 4)!r}\n" for x, y in points)
    labels = must("predict", "blobs.sepal", "points.csv").stdout.decode().split()
    surest = [0] * POINTS
    if "perceptron" not in spec:
        rows = must("predict", "blobs.sepal", "points.csv", "--proba").stdout.decode().split()[1:]
        surest = [float(row.split(",")[1 + "uvw".index(label)]) for row, label in zip(rows, labels)]
    wrong = close = 0
    for (x, y), label, p in zip(points, labels, surest):
        layers = 1 + sum(p >= level for level in (0.6, 0.8, 0.95))
        found = [(fill, *crossings(loops, x, y)) for fill, loops in areas]
        inside = [fill for fill, is_in, _ in found if is_in]
        if min(near for _, _, near in found) < 0.6:
            close += 1
        elif inside != [INKS["uvw".index(label)]] * layers:
            wrong += 1
    check(wrong == 0 and close < 0.2 * POINTS, spec, f"{wrong} of {POINTS} points, {close} at a border")
    shares[spec] = re.search(r"of the area shown, (.*)", done.stderr.decode())

# ---- Ambiguous regions -----------------------------------------------------------------------------

for spec, words in (("logistic | ovr", "claimed by"), ("perceptron(epochs=2) | ovo", "with the highest vote shared")):
    check(shares[spec] and words in shares[spec][1], spec, "the share of ambiguous regions is not told", shares[spec])
for spec in ("poly(degree=2) | softmax", "gaussian"):
    check(shares[spec] is None, spec, "has no ambiguous regions")
must("train", "blobs.csv", "-m", "logistic | ovr", "-o", "blobs.sepal", "-q")
root = draw("hatched", "regions", "blobs.sepal", "blobs.csv")[1]
hatch = [p for p in root.iter(SVG + "path") if p.get("d").count("M") > 20 and p.get("stroke-opacity") == "0.55"]
check(hatch, "no hatch in the picture of ovr")
finish(15)
