"""--labels FILE: one label per row, whatever the format of the rows."""
import gzip

from arrays import idx, npy, numbers
from entry import named, read, refused, usage

TABLE = b"a,b\n1,2\n3,4\n"
NAN, INF = float("nan"), float("inf")


def text(word):
    return word.encode("utf-32-le")


def with_labels(name, labels, rows, features, classes, sum, data=TABLE, file="l.txt", **more):
    return read(name, data, rows, features, classes, sum, f"--labels {file}", beside={file: labels},
                **more)


def bad_labels(name, labels, at=None, says="", data=TABLE, file="l.txt"):
    return refused(name, data, at, says, f"--labels {file}", file=file, beside={file: labels})


FILES = named([
    # ---- text ---------------------------------------------------------------------------------
    with_labels("text", b"x\ny\n", 2, 2, "x y", 10),
    with_labels("no_final_newline", b"x\ny", 2, 2, "x y", 10),
    with_labels("crlf", b"x\r\ny\r\n", 2, 2, "x y", 10),
    with_labels("mark", b"\xef\xbb\xbfx\ny\n", 2, 2, "x y", 10),
    with_labels("blank_lines_at_end", b"x\ny\n\n \n", 2, 2, "x y", 10),
    with_labels("blanks_around", b"  x \n\ty\t\n", 2, 2, "x y", 10),
    with_labels("blanks_inside", b"new york\nrome\n", 2, 2, ("new york", "rome"), 10),
    with_labels("commas_and_quotes", b'x,1\n"y"\n', 2, 2, '"y" x,1', 10),
    with_labels("numbers", b"10\n+9.0\n", 2, 2, "9 10", 10),
    with_labels("any_name", b"x\ny\n", 2, 2, "x y", 10, file="labels.csv"),
    with_labels("class_column_is_a_feature", b"x\ny\n", 2, 2, "x y", 10,
                data=b"a,class\n1,2\n3,4\n",
                warns=["class"]),
    with_labels("one_column", b"x\ny\n", 2, 1, "x y", 3, data=b"a\n1\n2\n"),
    with_labels("libsvm_with_own.svm", b"x\ny\n", 2, 2, "x y", 3, data=b"1 1:1\n-1 2:2\n",
                piped="--format libsvm"),
    with_labels("libsvm_without.svm", b"x\ny\n", 2, 2, "x y", 3, data=b"1:1\n2:2\n",
                piped="--format libsvm"),
    with_labels("libsvm_sets.svm", b"x\ny\n", 2, 2, "x y", 3, data=b"1,3 1:1\n2 2:2\n",
                piped="--format libsvm"),
    with_labels("arff.arff", b"p\nq\n", 2, 2, "p q", 10, piped="--format arff",
                data=b"@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n3,4\n"),
    read("dropped_rows_count", b"a,b\n1,2\n?,4\n5,6\n", 2, 2, "x z", 14,
         "--labels l.txt --missing drop", ["rows"], beside={"l.txt": b"x\ny\nz\n"}),
    bad_labels("too_few", b"x\n", None, "1"),
    bad_labels("too_many", b"x\ny\nz\n", None, "3"),
    bad_labels("empty", b""),
    bad_labels("cut", gzip.compress(b"x\ny\n", mtime=0)[:12], None, "unpack", file="l.txt.gz"),
    bad_labels("blank_line_inside", b"x\n\ny\n", (2, 1), "label", data=b"a\n1\n2\n3\n"),
    bad_labels("blank_line_first", b"\nx\n", (1, 1), "label"),
    bad_labels("question", b"x\n?\n", (2, 1), "label"),
    bad_labels("nan", b"x\nNaN\n", (2, 1), "label"),
    bad_labels("inf", b"1\ninf\n", (2, 1), "label"),
    *[bad_labels(f"infinity_{i}", b"1\n" + word + b"\n", (2, 1), "label")
      for i, word in enumerate((b"+inf", b"Infinity", b"+infinity", b"-INFINITY"))],
    bad_labels("too_long_a_line", b"x\ny" + b" " * 131072 + b"z\n", (2, 1), "131072 bytes"),
    bad_labels("latin1", b"x\ncaf\xe9\n", (2, 1), "UTF-8"),
    bad_labels("nul", b"x\ny\0\n", None, "0x00"),
    bad_labels("control", b"x\n\x1b[1my\n", (2, 1)),
    bad_labels("same_double", b"9007199254740993\n9007199254740992\n", None, "same double"),
    refused("one_class", TABLE, None, "two classes", "--labels l.txt", beside={"l.txt": b"x\nx\n"}),
    refused("absent", TABLE, None, "", "--labels l.txt", file="l.txt"),
    refused("rows_come_first", b"a,b\n1,2\n3\n", (3, 2), "1 cell", "--labels l.txt",
            beside={"l.txt": b"x\ny\n"}),
    usage("with_target", TABLE, "--target", "--labels l.txt --target a",
          beside={"l.txt": b"x\ny\n"}),

    # ---- arrays -------------------------------------------------------------------------------
    with_labels("npy_integers", npy("<i4", "(2,)", numbers("<i", 7, -5)), 2, 2, "-5 7", 10,
                file="l.npy"),
    with_labels("npy_doubles", npy(">f8", "(2,)", numbers(">d", 1.5, 0.25)), 2, 2, "0.25 1.5", 10,
                file="l.npy"),
    with_labels("npy_bool", npy("|b1", "(2,)", b"\1\0"), 2, 2, "0 1", 10, file="l.npy"),
    with_labels("npy_text", npy("<U3", "(2,)", text("yes") + text("no\0")), 2, 2, "no yes", 10,
                file="l.npy"),
    with_labels("npy_text_big", npy(">U2", "(2,)", "\u00e9ab\0".encode("utf-32-be")), 2, 2,
                "b \u00e9a", 10, file="l.npy"),
    with_labels("npy_bytes", npy("|S3", "(2,)", b"yesno\0"), 2, 2, "no yes", 10, file="l.npy"),
    with_labels("npy_numbers_as_text", npy("<U2", "(2,)", text("10") + text("9\0")), 2, 2, "9 10",
                10,
                file="l.npy"),
    with_labels("idx", idx(8, (2,), bytes((9, 3))), 2, 2, "3 9", 10, file="l.idx"),
    bad_labels("npy_two_columns", npy("<i4", (2, 2), numbers("<i", 0, 1, 0, 1)), None, "",
               file="l.npy"),
    bad_labels("npy_object", npy("|O", "(2,)", bytes(16)), file="l.npy"),
    bad_labels("npy_nan", npy("<f8", "(2,)", numbers("<d", 1, NAN)), (2, None), "label",
               file="l.npy"),
    bad_labels("npy_inf", npy("<f8", "(2,)", numbers("<d", 1, INF)), (2, None), "label",
               file="l.npy"),
    bad_labels("npy_empty_text", npy("<U2", "(2,)", text("ab") + text("\0\0")), (2, None), "label",
               file="l.npy"),
    bad_labels("npy_surrogate", npy("<U1", "(2,)", text("a") + b"\0\xd8\0\0"), (2, None),
               file="l.npy"),
    bad_labels("npy_beyond_unicode", npy("<U1", "(2,)", text("a") + b"\0\0\x11\0"), (2, None),
               file="l.npy"),
    bad_labels("npy_latin1_bytes", npy("|S1", "(2,)", b"a\xe9"), (2, None), "UTF-8", file="l.npy"),
    bad_labels("npy_too_few", npy("<i4", "(1,)", numbers("<i", 0)), file="l.npy"),
    bad_labels("npy_cut", npy("<i4", "(2,)", b"\0\0\0"), file="l.npy"),
    bad_labels("npy_surplus", npy("<i4", "(2,)", bytes(9)), file="l.npy"),
], ".csv", "--format csv")
