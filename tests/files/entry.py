"""The words of the tables: what a file holds, and what must come of it.

    refused("short_row", bytes, at=(3, 4), says="2 cells")
    read("crlf", bytes, 2, 2, "x y", 10)                    rows, features, classes, sum of values
    predicted("any_order", bytes, "x y", model=MODEL)       the answers, in order

Expectations come from the contract and docs/formats.md, never from what the program does. A place
is (line, column), counted from 1, columns in bytes; in arrays it is (row, column). Without a place,
or with None in it, the fault is one of the file or the line as a whole.
"""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Model:
    """A model to read files with: what it is trained on, and how."""
    name: str
    data: bytes
    options: str = ""


@dataclass
class Entry:
    name: str
    data: bytes
    options: str = ""
    beside: dict = field(default_factory=dict)  # other files: name -> bytes
    piped: str = ""  # options that a pipe needs, where the name of the file says something
    pipe: bool = True  # False: the name of the file matters otherwise
    command: str = ""  # by default train for what is refused, describe for what is read
    model: Model = None
    # refused
    at: tuple = None
    says: str = ""
    exit: int = 0
    file: str = ""  # the file that is at fault, when it is another one
    # read
    rows: int = 0
    features: int = 0
    classes: tuple = ()
    sum: float = 0
    counts: tuple = None
    warns: tuple = ()  # a part of each warning's code or text, in order
    # predicted
    labels: tuple = ()


def words(text):
    """Labels as a tuple, or as one string where none of them holds a blank."""
    return tuple(text.split()) if isinstance(text, str) else tuple(text)


def refused(name, data, at=None, says="", options="", exit=3, **more):
    return Entry(name, data, options, at=at, says=says, exit=exit, **more)


def usage(name, data, says="", options="", **more):
    """What no file could satisfy: exit 2, and no place."""
    return Entry(name, data, options, says=says, exit=2, **more)


def read(name, data, rows, features, classes, sum, options="", warns=(), **more):
    return Entry(name, data, options, rows=rows, features=features, classes=words(classes),
                 sum=sum, warns=words(warns), **more)


def predicted(name, data, labels, model, options="", warns=(), **more):
    return Entry(name, data, options, labels=words(labels), model=model, warns=words(warns),
                 command="predict", **more)


def named(entries, extension, piped=""):
    """Give the entries of one format their extension, and tell a pipe what it said."""
    for entry in entries:
        if "." not in entry.name:
            entry.name += extension
        if not entry.piped and "--format" not in entry.options:
            entry.piped = piped
    return entries


# Those of them that are decimal numbers, but too large for a double.
TOO_LARGE = ("overflow", "overflow_minus", "just_too_large", "long_overflow", "wrapping_exponent")

# What is no number, whatever the format. The contract has nan, inf, 1e999, hex, 1_000 and decimal
# commas; the rest is what strtod, Python, Fortran, C and spreadsheets let through or write.
NOT_NUMBERS = {
    "inf": b"inf", "minus_inf": b"-inf", "infinity": b"Infinity", "signed_nan": b"-nan",
    "nan_payload": b"nan(7)", "ind": b"-1.#IND", "one_inf": b"1.#INF",
    "overflow": b"1e999", "overflow_minus": b"-1e309", "just_too_large": b"1.7976931348623159e308",
    "long_overflow": b"1" + b"0" * 309, "wrapping_exponent": b"1e4294967297",
    "hex": b"0x10", "hex_float": b"0x1p3", "binary": b"0b1", "octal": b"0o7",
    "underscore": b"1_000", "apostrophe": b"1'000", "two_points": b"1.2.3", "point_alone": b".",
    "sign_alone": b"+", "two_signs": b"--1", "mixed_signs": b"+-1", "point_exponent": b".e5",
    "no_mantissa": b"e5", "no_exponent": b"1e", "exponent_sign": b"1e+", "exponent_point": b"1e1.5",
    "two_exponents": b"1e5e5", "fortran": b"1d0", "suffix_f": b"1.5f", "suffix_l": b"10L",
    "percent": b"5%", "currency": b"$5", "unit": b"3kg", "fraction": b"1/2", "true": b"true",
    "parentheses": b"(5)", "fullwidth_digit": "\uff11".encode(), "arabic_digit": "\u0663".encode(),
    "minus_sign": "\u22121".encode(), "nbsp_before": b"\xc2\xa01", "nbsp_after": b"1\xc2\xa0",
    "mark_inside": b"\xef\xbb\xbf1", "superscript": "1\u00b2".encode(),
}

# Odd, but numbers; with the double each must become.
NUMBERS = {
    "plus": (b"+1", 1.0), "leading_zeros": (b"0007", 7.0), "point_after": (b"1.", 1.0),
    "point_before": (b".5", 0.5), "sign_point": (b"-.5", -0.5), "large_e": (b"1E+05", 1e5),
    "exponent_zeros": (b"1e0000000000000000000001", 10.0),
    "zero_exponent": (b"0e999999999999", 0.0),
    "minus_zero": (b"-0", 0.0), "minus_zero_point": (b"-0.0", 0.0),
    "largest": (b"1.7976931348623157e308", 1.7976931348623157e308),
    "rounds_to_largest": (b"1.79769313486231580793728971405301e308", 1.7976931348623157e308),
    "least": (b"4.9e-324", 5e-324), "half_of_least": (b"2.5e-324", 5e-324),
    "below": (b"2.4e-324", 0.0),
    "tiny": (b"1e-400", 0.0), "very_tiny": (b"1e-99999999999999999999", 0.0),
    "subnormal": (b"2.2250738585072011e-308", 2.225073858507201e-308),
    "beyond_53_bits": (b"9007199254740993", 9007199254740992.0),
    "above_tie": (b"9007199254740993.00000000000000000000000000001", 9007199254740994.0),
    "many_digits": (b"3.14159265358979323846264338327950288419716939937510", 3.141592653589793),
    "digits_800": (b"0." + b"3" * 800, 1 / 3), "zeros_800": (b"0." + b"0" * 800 + b"1e801", 1.0),
    "large_integer": (b"123456789012345678901234567890", 1.2345678901234568e29),
    "tie_by_far_digit": (b"1." + b"0" * 15 + b"111022302462515654042363166809082031250" +
                         b"0" * 700 + b"1", 1.0000000000000002),
}
