"""NPY arrays. Without labels of their own these are in the last column."""
from arrays import idx, npy, numbers
from entry import named, read, refused

CELLS = (1, 2, 0, 3, 4, 1)  # two rows: features 1 2 and 3 4, labels 0 and 1
DOUBLES = numbers("<d", *CELLS)
GOOD = npy("<f8", (2, 3), DOUBLES)
WHOLE = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}"
NAN, INF = float("nan"), float("inf")


def header(text):
    return npy("", (), DOUBLES, header=text)


def doubles(*cells, columns=3):
    return npy("<f8", (len(cells) // columns, columns), numbers("<d", *cells))


def extended(*values):
    """The 16-byte floats of x86-64: 64 bits of mantissa, 16 of exponent, 6 bytes of nothing."""
    data = b""
    for value in values:
        power = int(value).bit_length() - 1 if value else 0
        mantissa = int(value * 2 ** (63 - power))
        data += mantissa.to_bytes(8, "little")
        data += (16383 + power if value else 0).to_bytes(2, "little") + bytes(6)
    return data


def last(name, data, rows, features, classes, sum, options="", warns=()):
    """Read with the labels from the last column, which is said."""
    return read(name, data, rows, features, classes, sum, options, ["labels-last", *warns])


FILES = named([
    # ---- types and orders ---------------------------------------------------------------------
    *[last("type_" + name, npy(dtype, (2, 3), numbers(kind, *CELLS)), 2, 2, "0 1", 10)
      for name, dtype, kind in (
          ("i1", "|i1", "<b"), ("u1", "|u1", "<B"), ("i2", "<i2", "<h"), ("i2_big", ">i2", ">h"),
          ("u2", "<u2", "<H"), ("u2_big", ">u2", ">H"), ("i4", "<i4", "<i"),
          ("i4_big", ">i4", ">i"),
          ("u4", "<u4", "<I"), ("u4_big", ">u4", ">I"), ("i8", "<i8", "<q"),
          ("i8_big", ">i8", ">q"),
          ("u8", "<u8", "<Q"), ("u8_big", ">u8", ">Q"), ("f2", "<f2", "<e"),
          ("f2_big", ">f2", ">e"),
          ("f4", "<f4", "<f"), ("f4_big", ">f4", ">f"), ("f8", "<f8", "<d"),
          ("f8_big", ">f8", ">d"))],
    last("type_bool", npy("|b1", (2, 3), bytes((1, 1, 0, 0, 1, 1))), 2, 2, "0 1", 3),
    last("type_f16", npy("<f16", (2, 3), extended(*CELLS)), 2, 2, "0 1", 10),
    last("negative", npy("|i1", (2, 3), numbers("<b", -1, -2, 0, -3, -4, 1)), 2, 2, "0 1", -10),
    last("fortran", npy("<f8", (2, 3), numbers("<d", 1, 3, 2, 4, 0, 1), fortran=True), 2, 2, "0 1",
         10),
    last("fortran_big", npy(">f4", (2, 3), numbers(">f", 1, 3, 2, 4, 0, 1), fortran=True), 2, 2,
         "0 1", 10),
    last("version_2", npy("<f8", (2, 3), DOUBLES, version=2), 2, 2, "0 1", 10),
    last("version_3", npy("<f8", (2, 3), DOUBLES, version=3), 2, 2, "0 1", 10),
    last("half_subnormal", npy("<f2", (2, 2), bytes((1, 0, 0, 0, 0, 0, 0, 0x3c))), 2, 1, "0 1",
         2**-24),
    last("beyond_53_bits", npy("<i8", (2, 2), numbers("<q", 2**53 + 1, 0, 0, 1)), 2, 1, "0 1",
         2.0**53),
    last("largest_u8", npy("<u8", (2, 2), numbers("<Q", 2**64 - 1, 0, 0, 1)), 2, 1, "0 1", 2.0**64),
    last("minus_zero", doubles(-0.0, 0, 1, 1, columns=2), 2, 1, "0 1", 1),
    last("label_fractions", doubles(1, 1.7, 2, 2.2, 3, 1.2, columns=2), 3, 1, "1.2 1.7 2.2", 6),
    last("other_key_order", header("{'shape': (2, 3), 'fortran_order': False, 'descr': '<f8'}"), 2,
         2,
         "0 1", 10),
    last("double_quotes", header('{"descr": "<f8", "fortran_order": False, "shape": (2,3)}'), 2, 2,
         "0 1", 10),
    last("any_name.bin", GOOD, 2, 2, "0 1", 10),
    last("wrong_name.csv", GOOD, 2, 2, "0 1", 10),
    read("target", doubles(0, 1, 2, 1, 3, 4), 2, 2, "0 1", 10, "--target 1"),
    last("drop", GOOD, 2, 1, "0 1", 6, "--drop x1"),

    # ---- values -------------------------------------------------------------------------------
    refused("nan", doubles(1, 2, 0, 3, NAN, 1), (2, 2), "missing"),
    refused("nan_fortran", npy("<f8", (2, 3), numbers("<d", 1, 3, 2, NAN, 0, 1), fortran=True),
            (2, 2), "missing"),
    last("nan_mean", doubles(1, 2, 0, 3, NAN, 1), 2, 2, "0 1", 6, "--missing mean"),
    last("nan_drop", doubles(1, 2, 0, 3, NAN, 0, 5, 6, 1), 2, 2, "0 1", 14, "--missing drop",
         ["rows"]),
    refused("inf", doubles(1, 2, 0, INF, 4, 1), (2, 1), "inf"),
    refused("minus_inf", doubles(1, 2, 0, 3, -INF, 1), (2, 2), "inf"),
    refused("half_inf", npy("<f2", (2, 3), numbers("<e", 1, 2, 0, 3, INF, 1)), (2, 2), "inf"),
    refused("inf_category", doubles(1, 2, 0, INF, 4, 1), (2, 1), "inf", "--categorical 1"),
    last("nan_category", doubles(1, 2, 0, NAN, 4, 1, 5, 6, 0), 2, 2, "0", 10,
         "--categorical 1 --missing drop", ["rows-dropped"]),
    refused("inf_label", doubles(1, 2, 0, 3, 4, INF), (2, 3), "label"),
    refused("nan_label", doubles(1, 2, 0, 3, 4, NAN), (2, 3), "label"),
    refused("one_class", doubles(1, 2, 0, 3, 4, 0), None, "two classes"),

    # ---- shapes -------------------------------------------------------------------------------
    refused("no_rows", npy("<f8", (0, 3), b""), None, "rows"),
    refused("no_columns", npy("<f8", (3, 0), b"")),
    refused("one_column", npy("<f8", (2, 1), numbers("<d", 0, 1)), None, "feature"),
    refused("one_dimension", npy("<f8", "(6,)", DOUBLES), None, "--labels"),
    refused("no_dimensions", npy("<f8", "()", numbers("<d", 1)), None, "rows and columns"),
    refused("three_dimensions", npy("<f8", (1, 2, 3), DOUBLES), None, "dimension"),
    refused("negative_shape", npy("<f8", "(-2, -3)", DOUBLES)),
    refused("shape_overflows", npy("<f8", (2**62, 2**62), DOUBLES)),
    refused("bytes_overflow", npy("<f8", (2**61, 1), DOUBLES)),
    refused("wraps_to_true_size", npy("<f8", (2, 2**63 + 3), DOUBLES)),
    refused("shape_of_30_digits", npy("<f8", f"(2, {10**30})", DOUBLES)),
    refused("huge_but_cut", npy("<f8", (10**9, 10**3), DOUBLES)),

    # ---- types that are no numbers ------------------------------------------------------------
    *[refused("type_" + name, npy(dtype, (2, 3), bytes(6 * size)))
      for name, dtype, size in (
          ("object", "|O", 8), ("unicode", "<U4", 16), ("bytes", "|S4", 4), ("complex", "<c16", 16),
          ("void", "|V8", 8), ("datetime", "<M8[ns]", 8), ("timedelta", "<m8[s]", 8),
          ("unknown", "<x8", 8), ("f3", "<f3", 3), ("i16", "<i16", 16), ("nothing", "", 8))],
    refused("record", header("{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, "
                             "'shape': (3, 1)}")),

    # ---- cut, surplus, lies -------------------------------------------------------------------
    *[refused(f"cut_at_{n}", GOOD[:n]) for n in (7, 8, 9, 10, 40, 127, 128, 129, len(GOOD) - 1)],
    refused("cut_in_a_row", GOOD[:-20], None, "48 bytes in all, and 28 bytes follow"),
    refused("surplus_byte", GOOD + b"\0"),
    refused("surplus_row", GOOD + numbers("<d", 5, 6, 1)),
    refused("two_arrays", GOOD + GOOD),
    refused("wrong_magic", GOOD.replace(b"NUMPY", b"NUMPX")),
    refused("version_4", npy("<f8", (2, 3), DOUBLES, version=4), None, "version"),
    refused("version_0", npy("<f8", (2, 3), DOUBLES, version=0)),
    refused("length_zero", npy("<f8", (2, 3), DOUBLES, length=0)),
    refused("length_short", npy("<f8", (2, 3), DOUBLES, length=20)),
    refused("length_beyond_the_end", npy("<f8", (2, 3), DOUBLES, length=60000)),
    refused("length_4_gigabytes", npy("<f8", (2, 3), DOUBLES, version=2, length=2**32 - 1)),
    refused("no_descr", header("{'fortran_order': False, 'shape': (2, 3)}")),
    refused("no_shape", header("{'descr': '<f8', 'fortran_order': False}")),
    refused("no_order", header("{'descr': '<f8', 'shape': (2, 3)}")),
    refused("order_is_no_word", header("{'descr': '<f8', 'fortran_order': 7, 'shape': (2, 3)}")),
    refused("key_twice", header("{'descr': '<f8', 'shape': (2, 3), 'fortran_order': False, "
                                "'shape': (3, 2)}")),
    refused("unknown_key", header(WHOLE[:-1] + ", 'x': 1}")),
    refused("unclosed", header(WHOLE[:-1])),
    refused("after_the_dict", header(WHOLE + " + 1")),
    refused("code", header("__import__('os').system('touch out')")),
    refused("nested", header("(" * 60 + ")" * 60)),
    refused("nothing_but_blanks", header("")),

    # ---- labels beside them -------------------------------------------------------------------
    read("sibling_npy", doubles(1, 2, 3, 4, columns=2), 2, 2, "5 7", 10, warns=["labels"],
         pipe=False,
         beside={"sibling_npy.labels.npy": npy("<i8", "(2,)", numbers("<q", 7, 5))}),
    read("sibling_idx", doubles(1, 2, 3, 4, columns=2), 2, 2, "5 7", 10, warns=["labels"],
         pipe=False,
         beside={"sibling_idx.labels.idx": idx(8, (2,), bytes((7, 5)))}),
    read("sibling_txt", doubles(1, 2, 3, 4, columns=2), 2, 2, "p q", 10, warns=["labels"],
         pipe=False,
         beside={"sibling_txt.labels.txt": b"q\np\n"}),
    refused("sibling_too_short", doubles(1, 2, 3, 4, columns=2), pipe=False,
            file="sibling_too_short.labels.txt", beside={"sibling_too_short.labels.txt": b"q\n"}),
], ".npy")
