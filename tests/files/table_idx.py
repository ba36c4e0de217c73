"""IDX arrays, the format of MNIST: all dimensions but the first are one row."""
from arrays import idx, npy, numbers
from entry import named, read, refused

UBYTE, SBYTE, SHORT, INT, FLOAT, DOUBLE = 0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E
IMAGES = idx(UBYTE, (2, 1, 2), bytes((1, 2, 3, 4)))
LABELS = idx(UBYTE, (2,), bytes((0, 1)))
BY = {"l.idx": LABELS}
NAN, INF = float("nan"), float("inf")


def apart(name, data, *expected, **more):
    """Read with labels from a file of their own."""
    return read(name, data, *expected, options="--labels l.idx", beside=BY, **more)


def bad(name, data, at=None, says="", **more):
    return refused(name, data, at, says, "--labels l.idx", beside=BY, **more)


FILES = named([
    # ---- types and dimensions -----------------------------------------------------------------
    *[apart("type_" + name, idx(kind, (2, 2), numbers(letter, 1, 2, 3, 4)), 2, 2, "0 1", 10)
      for name, kind, letter in (("ubyte", UBYTE, ">B"), ("sbyte", SBYTE, ">b"),
                                 ("short", SHORT, ">h"),
                                 ("int", INT, ">i"), ("float", FLOAT, ">f"),
                                 ("double", DOUBLE, ">d"))],
    apart("negative", idx(SBYTE, (2, 2), numbers(">b", -1, -2, -3, -4)), 2, 2, "0 1", -10),
    apart("unsigned", idx(UBYTE, (2, 2), bytes((255, 0, 0, 0))), 2, 2, "0 1", 255),
    apart("images", IMAGES, 2, 2, "0 1", 10),
    apart("four_dimensions", idx(UBYTE, (2, 1, 2, 2), bytes(range(8))), 2, 4, "0 1", 28),
    apart("eight_dimensions", idx(UBYTE, (2, 1, 1, 1, 1, 1, 1, 2), bytes((1, 2, 3, 4))), 2, 2,
          "0 1", 10),
    apart("wrong_name.csv", IMAGES, 2, 2, "0 1", 10),
    bad("one_dimension", LABELS, None, "--labels"),
    bad("nan", idx(FLOAT, (2, 2), numbers(">f", 1, 2, NAN, 4)), (2, 1), "missing"),
    bad("inf", idx(DOUBLE, (2, 2), numbers(">d", 1, 2, 3, INF)), (2, 2), "inf"),

    # ---- cut, surplus, lies -------------------------------------------------------------------
    *[bad(f"cut_at_{n}", IMAGES[:n]) for n in (5, 8, 15, 16, 17, len(IMAGES) - 1)],
    bad("surplus_byte", IMAGES + b"\0"),
    bad("no_rows", idx(UBYTE, (0, 2), b"")),
    bad("no_columns", idx(UBYTE, (2, 0), b"")),
    bad("huge_rows", idx(UBYTE, (2**32 - 1, 2), bytes(4))),
    bad("dimensions_overflow", idx(DOUBLE, (2**32 - 1,) * 8, bytes(4))),
    bad("wraps_to_true_size", idx(UBYTE, (2**31, 2**31, 4, 1), b"")),
    bad("unknown_type", idx(0x0A, (2, 2), bytes(4))),
    bad("nine_dimensions", idx(UBYTE, (2, 1, 1, 1, 1, 1, 1, 1, 2), bytes(4))),
    bad("no_dimensions", idx(UBYTE, (), bytes(4))),
    bad("one_in_the_magic", idx(UBYTE, (2, 2), bytes(4), magic=b"\0\1")),

    # ---- labels -------------------------------------------------------------------------------
    read("t10k-images-idx3-ubyte.idx", IMAGES, 2, 2, "0 1", 10, warns=["labels"], pipe=False,
         beside={"t10k-labels-idx1-ubyte.idx": LABELS}),
    read("sibling", IMAGES, 2, 2, "p q", 10, warns=["labels"], pipe=False,
         beside={"sibling.labels.txt": b"p\nq\n"}),
    read("named_beats_sibling", IMAGES, 2, 2, "0 1", 10, "--labels l.idx", pipe=False,
         beside={**BY, "named_beats_sibling.labels.txt": b"p\nq\n"}),
    refused("no_labels", IMAGES, None, "--labels"),
    refused("labels_too_few", IMAGES, None, "", "--labels m.idx", file="m.idx",
            beside={"m.idx": idx(UBYTE, (1,), bytes(1))}),
    refused("labels_too_many", IMAGES, None, "", "--labels m.idx", file="m.idx",
            beside={"m.idx": idx(UBYTE, (3,), bytes((0, 1, 2)))}),
    refused("labels_cut", IMAGES, None, "", "--labels m.idx", file="m.idx",
            beside={"m.idx": LABELS[:-1]}),
    refused("labels_surplus", IMAGES, None, "", "--labels m.idx", file="m.idx",
            beside={"m.idx": LABELS + b"\0"}),
    refused("labels_with_columns", IMAGES, None, "", "--labels m.idx", file="m.idx",
            beside={"m.idx": idx(UBYTE, (2, 2), bytes(4))}),
    refused("labels_nan", IMAGES, (2, None), "label", "--labels m.idx", file="m.idx",
            beside={"m.idx": idx(FLOAT, (2,), numbers(">f", 1, NAN))}),
    read("labels_npy", IMAGES, 2, 2, "1.5 2", 10, "--labels m.npy",
         beside={"m.npy": npy("<f8", "(2,)", numbers("<d", 2, 1.5))}),
], ".idx")
FILES += [  # the names of MNIST's own files, which have no extension
    read("train-images-idx3-ubyte", IMAGES, 2, 2, "0 1", 10, warns=["labels"], pipe=False,
         beside={"train-labels-idx1-ubyte": LABELS}),
    refused("sibling_too_short-images-idx3-ubyte", IMAGES, pipe=False,
            file="sibling_too_short-labels-idx1-ubyte",
            beside={"sibling_too_short-labels-idx1-ubyte": idx(UBYTE, (1,), bytes(1))}),
]
