"""--weights FILE: one number per row. A row of weight 0 is as good as deleted."""
from arrays import idx, npy, numbers
from entry import NOT_NUMBERS, named, read, refused, usage

TABLE = b"a,b,class\n1,2,x\n3,4,y\n5,6,x\n"
NAN, INF = float("nan"), float("inf")


def weighted(name, weights, rows, sum, classes="x y", data=TABLE, file="w.txt", **more):
    return read(name, data, rows, 2, classes, sum, f"--weights {file}", beside={file: weights},
                **more)


def bad_weights(name, weights, at=None, says="", file="w.txt"):
    return refused(name, TABLE, at, says, f"--weights {file}", file=file, beside={file: weights})


FILES = named([
    weighted("ones", b"1\n1\n1\n", 3, 21),
    weighted("fractions", b"0.5\n+2\n1e-3", 3, 21),
    weighted("crlf", b"1\r\n1\r\n1\r\n", 3, 21),
    weighted("mark", b"\xef\xbb\xbf1\n1\n1\n", 3, 21),
    weighted("blanks", b" 1 \n1\t\n1\n\n", 3, 21),
    weighted("zero_deletes", b"1\n1\n0\n", 2, 10),
    weighted("minus_zero_deletes", b"1\n1\n-0\n", 2, 10),
    weighted("zero_deletes_the_class", b"1\n0\n2\n", 2, 14, "x"),
    weighted("zero_row_is_not_read", b"1\n1\n0\n", 2, 10, data=b"a,b,class\n1,2,x\n3,4,y\nz,?,\n"),
    weighted("least", b"4.9e-324\n1\n1\n", 3, 21),
    weighted("npy", npy("<f8", "(3,)", numbers("<d", 1, 0, 2)), 2, 14, "x", file="w.npy"),
    weighted("npy_integers", npy("<i2", "(3,)", numbers("<h", 1, 1, 2)), 3, 21, file="w.npy"),
    weighted("idx", idx(8, (3,), bytes((1, 1, 0))), 2, 10, file="w.idx"),
    read("libsvm.svm", b"1 1:1\n-1 2:2\n1 1:4\n", 2, 2, "-1 1", 3, "--weights w.txt",
         beside={"w.txt": b"1\n1\n0\n"}, piped="--format libsvm"),
    read("with_labels", b"a,b\n1,2\n3,4\n5,6\n", 2, 2, "p q", 10, "--weights w.txt --labels l.txt",
         beside={"w.txt": b"1\n1\n0\n", "l.txt": b"p\nq\n?\n"}),
    bad_weights("negative", b"1\n-1\n1\n", (2, 1), "weight"),
    bad_weights("nan", b"1\nnan\n1\n", (2, 1), "weight"),
    bad_weights("question", b"1\n?\n1\n", (2, 1), "weight"),
    bad_weights("blank_line", b"1\n\n1\n1\n", (2, 1), "weight"),
    bad_weights("two_on_a_line", b"1\n1 1\n1\n", (2, 1), "weight"),
    *[bad_weights(name, b"1\n1\n" + NOT_NUMBERS[name] + b"\n", (3, 1), "weight")
      for name in ("inf", "overflow", "hex", "underscore", "no_exponent")],
    bad_weights("nul", b"1\n1\0\n1\n", None, "0x00"),
    bad_weights("all_zero", b"0\n0\n0\n", None, "weight"),
    bad_weights("sum_overflows", b"1e308\n1e308\n1e308\n", None, "weight"),
    bad_weights("too_few", b"1\n1\n", None, "2"),
    bad_weights("too_many", b"1\n1\n1\n1\n", None, "4"),
    bad_weights("empty", b""),
    bad_weights("npy_negative", npy("<f8", "(3,)", numbers("<d", 1, -1, 1)), (2, None), "weight",
                file="w.npy"),
    bad_weights("npy_nan", npy("<f8", "(3,)", numbers("<d", 1, NAN, 1)), (2, None), "weight",
                file="w.npy"),
    bad_weights("npy_inf", npy("<f8", "(3,)", numbers("<d", 1, 1, INF)), (3, None), "weight",
                file="w.npy"),
    bad_weights("npy_two_columns", npy("<f8", (3, 2), numbers("<d", 1, 1, 1, 1, 1, 1)),
                file="w.npy"),
    bad_weights("npy_text", npy("<U1", "(3,)", "111".encode("utf-32-le")), file="w.npy"),
    refused("absent", TABLE, None, "", "--weights w.txt", file="w.txt"),
    refused("one_class_left", TABLE, None, "two classes", "--weights w.txt",
            beside={"w.txt": b"1\n0\n1\n"}),
    usage("with_weight", TABLE, "--weight", "--weights w.txt --weight b",
          beside={"w.txt": b"1\n1\n1\n"}),
], ".csv", "--format csv")
