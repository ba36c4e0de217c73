#!/usr/bin/env python3
"""sepal describe against the same facts counted here, on tables with everything that other commands
refuse: missing values, text among numbers, lines of another length, rows without a label."""

import json
import os
import random
import struct
import subprocess
from pathlib import Path

from checks import check, finish
from seeds import test_seed

SEPAL = os.environ["SEPAL"]
MISSING = ["", "?", "NA", "n/a", "NaN", "null"]


def describe(path, *options):
    run = subprocess.run([SEPAL, "describe", path, "--json", *options], capture_output=True, text=True)
    check(run.returncode == 0, f"{path}: exit {run.returncode}, {run.stderr[:300]}")
    return json.loads(run.stdout)


def draw_table(rng):
    """Columns of kinds; each cell as its text and its value (None: missing, "odd": text among numbers)."""
    rows = rng.randrange(12, 80)
    kinds = [rng.choice(["number", "number", "text", "gaps", "odd"]) for _ in range(rng.randrange(1, 7))]
    table = []
    for _ in range(rows):
        row = []
        for kind in kinds:
            draw = rng.random()
            if kind != "number" and draw < 0.2:
                row.append((rng.choice(MISSING), None))
            elif kind == "text":
                word = rng.choice(["red", "green", "blue", "ü b"])
                row.append((word, word))
            elif kind == "odd" and draw < 0.4:
                row.append(("x" + str(rng.randrange(3)), "odd"))
            else:
                value = rng.choice([rng.randrange(-3, 4), round(rng.uniform(-9, 9), 3), 10.0 ** rng.randrange(9)])
                row.append((repr(value), float(value)))
        label = rng.choice(["yes", "no", "perhaps"]) if rng.random() > 0.05 else "?"
        table.append((row, label))
    return kinds, table


def is_numeric(kind, cells):
    numbers = sum(isinstance(v, float) for v in cells)
    texts = sum(isinstance(v, str) for v in cells)
    return kind != "text" and numbers > 0 and numbers >= texts


def check_column(found, kind, cells, what):
    if not is_numeric(kind, cells):
        # a column of text counts the words and, where few cells are numbers, these as they are written
        check(found["kind"] == "text", f"{what}: {found}")
        check(found["missing"] == sum(v is None for v in cells), f"{what}: missing {found}")
        check(found["min"] is None and found["mean"] is None, f"{what}: numbers of text {found}")
        return
    numbers = [v for v in cells if isinstance(v, float)]
    odd = sum(v == "odd" for v in cells)
    check(found["kind"] == "number", f"{what}: {found}")
    check(found["missing"] == sum(v is None for v in cells), f"{what}: missing {found}")
    check(found.get("odd", 0) == odd, f"{what}: odd {found}, not {odd}")
    check(found["distinct"] == len(set(numbers)), f"{what}: distinct {found}, not {len(set(numbers))}")
    check(found["min"] == min(numbers) and found["max"] == max(numbers), f"{what}: range {found}")
    mean = sum(numbers) / len(numbers)
    scale = max(abs(v) for v in numbers)
    check(abs(found["mean"] - mean) <= 1e-12 * scale, f"{what}: mean {found['mean']}, not {mean}")


def check_random(seed):
    rng = random.Random(seed)  # fixed: of test_seed, by the caller
    kinds, table = draw_table(rng)
    delimiter = rng.choice([",", ";", "\t"])
    names = [f"c{j}" for j in range(len(kinds))] + ["class"]
    lines = [delimiter.join(names)]
    for row, label in table:
        lines.append(delimiter.join([text for text, _ in row] + [label]))
    bad = rng.randrange(3)
    for _ in range(bad):
        lines.insert(rng.randrange(2, len(lines)), delimiter.join(["1"] * (len(names) + 1)))
    Path("random.csv").write_text("\n".join(lines) + "\n")
    found = describe("random.csv", "--header", "yes", "--delimiter", delimiter)
    what = f"seed {seed}"
    check(found["rows"] == len(table), f"{what}: {found['rows']} rows, not {len(table)}")
    check(found["bad_lines"] == bad, f"{what}: {found['bad_lines']} bad lines, not {bad}")
    check(found["delimiter"] == delimiter and found["header"] is True, f"{what}: {found['delimiter']!r}")
    check(found["target"]["name"] == "class" and found["target"]["guessed"] is False, f"{what}: {found['target']}")
    check([row["name"] for row in found["table"]] == names, f"{what}: {found['table']}")
    labels = [label for _, label in table]
    counts = dict(zip(found["classes"], found["counts"]))
    check(counts == {k: labels.count(k) for k in set(labels) - {"?"}}, f"{what}: {counts}")
    target = found["table"][-1]
    check(target["role"] == "target" and target["missing"] == labels.count("?"), f"{what}: {target}")
    odd = 0
    for j, kind in enumerate(kinds):
        cells = [row[j][1] for row, _ in table]
        check_column(found["table"][j], kind, cells, f"{what}, column {j}")
        odd += sum(v == "odd" for v in cells) if is_numeric(kind, cells) else 0
    check(found["odd_cells"] == odd and len(found["odd"]) == min(odd, 5), f"{what}: {found['odd']}")
    for cell in found["odd"]:
        text = lines[cell["line"] - 1].encode()[cell["column"] - 1:].decode()  # columns count bytes
        check(text.startswith(cell["text"]), f"{what}: {cell} at '{text}'")


def check_roles():
    Path("roles.csv").write_text("id;w;a;b;z\n1;2;x;1,5;p\n2;1;y;2,5;q\n3;4;x;3,5;q\n")
    found = describe("roles.csv", "--drop", "id", "--weight", "w")
    roles = [row["role"] for row in found["table"]]
    check(roles == ["dropped", "weight", "feature", "feature", "target"], str(roles))
    check(found["target"] == {"name": "z", "guessed": True, "from": "column"}, str(found["target"]))
    check(found["table"][0]["kind"] is None and found["table"][1]["max"] == 4, str(found["table"]))
    check(found["table"][3]["kind"] == "text", str(found["table"][3]))
    check("decimal-comma" in [w["code"] for w in found["warnings"]], str(found["warnings"]))
    comma = describe("roles.csv", "--decimal", "comma")["table"][3]
    check(comma["kind"] == "number" and comma["mean"] == 2.5, str(comma))


def check_libsvm():
    Path("rows.svm").write_text("1 1:2 3:-1\n2:5\n-1 3:4 1:2\n")
    found = describe("rows.svm", "--format", "libsvm")
    check(found["rows"] == 3 and found["counts"] == [1, 1], str(found))
    third = found["table"][2]
    check((third["min"], third["mean"], third["max"], third["distinct"]) == (-1, 1, 4, 3), str(third))


def check_sparse(seed):
    """Wide rows are kept sparse, and what is not stored is 0."""
    rng = random.Random(seed)  # fixed: of test_seed, by the caller
    width, rows = 60, 50
    cells = [{j: rng.choice([-2.5, -1, 3, 7]) for j in rng.sample(range(width), 4)} for _ in range(rows)]
    for row in cells:
        row[0], row[1], row[width - 1] = -3.0, 5.0, 1.0  # in every row
        row.pop(2, None)
    cells[0][3], cells[0][4] = -8.0, 8.0
    for row in cells[1:]:
        row.pop(3, None), row.pop(4, None)
    lines = [f"{i % 2} " + " ".join(f"{j + 1}:{v}" for j, v in sorted(row.items())) for i, row in enumerate(cells)]
    Path("wide.svm").write_text("\n".join(lines) + "\n")
    found = describe("wide.svm")
    check(found["storage"] == "sparse" and len(found["table"]) == width, found["storage"])
    for j, column in enumerate(found["table"]):
        values = [row.get(j, 0.0) for row in cells]
        facts = (column["min"], column["max"], column["distinct"])
        check(facts == (min(values), max(values), len(set(values))), f"sparse column {j}: {column}")
        check(abs(column["mean"] - sum(values) / rows) < 1e-12, f"sparse column {j}: {column}")


def check_alone():
    """A line above the table, as some files have it, and one that belongs nowhere."""
    rows = "\n".join(f"{i},{i * i},{'ab'[i % 2]}" for i in range(9))
    Path("alone.csv").write_text("| a note about this file\n" + rows + "\n")
    found = describe("alone.csv")
    check(found["rows"] == 9 and found["bad_lines"] == 1, str(found))
    check("line-alone" in [w["code"] for w in found["warnings"]], str(found["warnings"]))


def check_target_elsewhere():
    Path("first.csv").write_text("A,1,2\nB,2,3\nA,1,4\nB,5,2\n")
    codes = [w["code"] for w in describe("first.csv")["warnings"]]
    check("target-elsewhere" in codes, str(codes))
    codes = [w["code"] for w in describe("first.csv", "--target", "x1")["warnings"]]
    check("target-elsewhere" not in codes, str(codes))


def check_label_files():
    """An array of one number a row, as IDX and npy files of labels are: the target, without features."""
    Path("labels-idx1-ubyte").write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 6, 2, 0, 2, 1, 2, 0]))
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }".ljust(117) + "\n"
    Path("y.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
                              + struct.pack("<3d", 4, 5, 4))
    for path, rows, classes, counts in (("labels-idx1-ubyte", 6, ["0", "1", "2"], [2, 1, 3]),
                                        ("y.npy", 3, ["4", "5"], [2, 1])):
        found = describe(path)
        check((found["rows"], found["features"], found["classes"], found["counts"]) == (rows, 0, classes, counts),
              f"{path}: {found}")
        check([w["code"] for w in found["warnings"]] == ["labels-alone"], f"{path}: {found['warnings']}")
        run = subprocess.run([SEPAL, "train", path, "-m", "lda"], capture_output=True, text=True)
        check(run.returncode == 3 and "--labels" in run.stderr, f"train {path}: {run.stderr}")


def check_blanks():
    """Numbers of the table never touch, however many digits they have."""
    values = [-1.23456789e-5, -1.23456789e-123, -0.000397368123, 1.5e300, -123456.789]
    Path("long.csv").write_text("a,b,c,d,e,class\n" + "".join(
        ",".join(repr(v) for v in values) + f",{label}\n" for label in "xyx"))
    text = subprocess.run([SEPAL, "describe", "long.csv"], capture_output=True, text=True).stdout
    for name, value in zip("abcde", values):
        cells = [line.split() for line in text.splitlines() if line.startswith(f"{name} ")][0]
        check(len(cells) == 8 and all(abs(float(c) / value - 1) < 1e-3 for c in cells[5:]), f"{name}: {cells}")


def check_empty_target():
    """Where lines end with the delimiter the last column is empty, and no target that anyone meant."""
    Path("ends.csv").write_text("a;b;kind;\n1;3;x;\n2;4;y;\n3;1;x;\n")
    for words, codes in (([], ["target-empty"]), (["--target", "kind"], []), (["--target", "4"], [])):
        found = [w for w in describe("ends.csv", *words)["warnings"] if w["code"].startswith("target")]
        check([w["code"] for w in found] == codes, f"{words}: {found}")
        check(all("--drop 'x4'" in w["message"] for w in found), f"{words}: {found}")


def check_likely_target():
    """Text that hardly two rows share is no target; the column of few words is named."""
    Path("words.tsv").write_text("".join(f"{'ham' if i % 3 else 'spam'}\tw{i}\n" for i in range(20)))
    found = describe("words.tsv", "--header", "no")["warnings"]
    check([w["code"] for w in found] == ["target-guessed"] and "--target 'x1'" in found[0]["message"], found)


def main():
    check_label_files()
    check_empty_target()
    check_likely_target()
    check_blanks()
    base = test_seed(4100)
    for i in range(120):
        check_random(base + i)
    check_roles()
    check_libsvm()
    check_sparse(test_seed(4101))
    check_alone()
    check_target_elsewhere()
    finish()


main()
