#!/usr/bin/env python3
"""The pictures of the documentation are what the program draws (tools/gen-pictures), small, and shown; each page of a
method has its own; every kind of picture is there."""
import glob
import json
import os
import re
import subprocess

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
DOCS = os.path.join(SOURCE, "docs")

done = subprocess.run([os.path.join(SOURCE, "tools/gen-pictures"), "--check"], capture_output=True, text=True)
check(done.returncode == 0, done.stdout, done.stderr)

shown = {}  # file: pages with it
for page in [os.path.join(SOURCE, "README.md"), *glob.glob(f"{DOCS}/**/*.md", recursive=True)]:
    with open(page, encoding="utf-8") as file:
        for alt, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", file.read()):
            picture = os.path.normpath(os.path.join(os.path.dirname(page), target))
            check(len(alt.split()) >= 2, page, target, "what a reader who cannot see it is told", alt)
            check(os.path.isfile(picture), page, target, "is not there")
            shown.setdefault(picture, []).append(page)
with open(os.path.join(SOURCE, "tools/gen-pictures"), encoding="utf-8") as file:
    commands = file.read()
pictures = [f"{DOCS}/iris.svg", *glob.glob(f"{DOCS}/pictures/*.svg")]
for picture in pictures:
    name = os.path.basename(picture)[:-len(".svg")]
    check(picture in shown, name, "is shown nowhere")
    check(f'    "{name}": ' in commands, name, "is drawn by no command of tools/gen-pictures")
    check(os.path.getsize(picture) < 70000, name, "bytes", os.path.getsize(picture))
for picture in shown:
    check(picture in pictures or picture.endswith(".png"), picture, "is no picture of tools/gen-pictures")
for page in glob.glob(f"{DOCS}/methods/*.md"):
    name = os.path.basename(page)[:-len(".md")]
    check(name == "README" or page in shown.get(f"{DOCS}/pictures/{name}.svg", []), name, "has no picture of its own")
kinds = [kind["name"] for kind in json.loads(subprocess.run([SEPAL, "list", "plots", "--json"], capture_output=True,
                                                            text=True, check=True).stdout)["plots"]]
for kind in kinds:
    check(re.search(rf"^ *draw {kind}\b|\"draw {kind}\b", commands, re.M), kind, "is nowhere to be seen")
finish(100)
