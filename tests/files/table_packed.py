"""Packings by their magic bytes, and which format a file is in."""
import bz2
import gzip
import lzma
import zipfile
from io import BytesIO

from arrays import npy, numbers
from entry import read, refused

GOOD = b"a,b,class\n1,2,x\n3,4,y\n"
SVM = b"1 1:1 3:0.5\n-1 2:2\n"
ARFF = b"@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\n2,y\n"
NPY = npy("<f8", (2, 3), numbers("<d", 1, 2, 0, 3, 4, 1))


def gz(data):
    return gzip.compress(data, mtime=0)


def stored(data):
    """Packed without compression: the bytes stand there as they are."""
    return gzip.compress(data, 0, mtime=0)


def zst(data):
    """One frame of one raw block (RFC 8878): magic, single segment, size, block header, bytes."""
    return (b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)]) +
            (len(data) << 3 | 1).to_bytes(3, "little") +
            data)


def zipped(data):
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.csv", data)
    return out.getvalue()


SAFETENSORS = b'{"w":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}'
SAFETENSORS = len(SAFETENSORS).to_bytes(8, "little") + SAFETENSORS + bytes(8)
CSV, LIBSVM = {"piped": "--format csv"}, {"piped": "--format libsvm"}

FILES = [
    # ---- packings -----------------------------------------------------------------------------
    read("good.csv.gz", gz(GOOD), 2, 2, "x y", 10, **CSV),
    read("good.csv.xz", lzma.compress(GOOD), 2, 2, "x y", 10, **CSV),
    read("good.csv.bz2", bz2.compress(GOOD), 2, 2, "x y", 10, **CSV),
    read("good.csv.zst", zst(GOOD), 2, 2, "x y", 10, **CSV),
    read("good.svm.gz", gz(SVM), 2, 3, "-1 1", 3.5, **LIBSVM),
    read("good.arff.gz", gz(ARFF), 2, 1, "x y", 3, piped="--format arff"),
    read("good.npy.gz", gz(NPY), 2, 2, "0 1", 10, warns=["labels-last"]),
    read("upper.CSV.GZ", gz(GOOD), 2, 2, "x y", 10, **CSV),
    read("packed_but_named_plain.csv", gz(GOOD), 2, 2, "x y", 10, **CSV),
    read("plain_but_named_packed.csv.gz", GOOD, 2, 2, "x y", 10, **CSV),
    read("two_members.csv.gz", gz(GOOD) + gz(b"5,6,z\n"), 3, 2, "x y z", 21, **CSV),
    read("two_streams.csv.xz", lzma.compress(GOOD) + lzma.compress(b"5,6,z\n"), 3, 2, "x y z", 21,
         **CSV),
    read("two_streams.csv.bz2", bz2.compress(GOOD) + bz2.compress(b"5,6,z\n"), 3, 2, "x y z", 21,
         **CSV),
    read("mark_inside.csv.gz", gz(b"\xef\xbb\xbf" + GOOD), 2, 2, "x y", 10, **CSV),
    refused("place_inside.csv.gz", gz(GOOD + b"5,z,x\n"), (4, 3), "'z'", **CSV),
    refused("nothing_inside.csv.gz", gz(b""), (1, 1), "nothing", **CSV),
    refused("nothing_inside.csv.xz", lzma.compress(b""), (1, 1), "nothing", **CSV),
    refused("cut.csv.gz", gz(GOOD * 9)[:-12], None, "unpack", **CSV),
    # All bytes are used up, but not all that they stand for fits into what is looked at first.
    *[refused(f"cut_after_{n}_{lost}.csv.gz", gz(GOOD.ljust(65536 + n, b"\n"))[:-lost], None,
              "unpack", **CSV) for n in (1, 20) for lost in (8, 9)],
    refused("cut_to_the_magic.csv.gz", gz(GOOD)[:2], **CSV),
    refused("cut_checksum.csv.gz", gz(GOOD)[:-5], None, "unpack", **CSV),
    refused("cut.csv.xz", lzma.compress(GOOD)[:-20], None, "unpack", **CSV),
    refused("cut.csv.bz2", bz2.compress(GOOD)[:-6], None, "unpack", **CSV),
    refused("cut.csv.zst", zst(GOOD)[:-3], None, "unpack", **CSV),
    read("padded.csv.gz", gz(GOOD) + bytes(512), 2, 2, "x y", 10, **CSV),
    refused("member_behind_zeros.csv.gz", gz(GOOD) + bytes(9) + gz(b"5,6,z\n"), None, "unpack",
            **CSV),
    refused("packed_twice.csv.gz", gz(gz(GOOD)), None, "not text", **CSV),
    refused("cut.idx.gz", gz(bytes((0, 0, 8, 2, 0, 0, 0, 1)))[:12], None, "unpack", "--format idx"),
    refused("surplus.csv.gz", gz(GOOD) + b"more", None, "unpack", **CSV),
    refused("damaged_length.csv.gz", gz(GOOD)[:-1] + b"\1", None, "unpack", **CSV),
    refused("damaged_inside.csv.gz", stored(GOOD).replace(b"3,4", b"3,5"), None, "unpack", **CSV),
    read("stored.csv.gz", stored(GOOD), 2, 2, "x y", 10, **CSV),
    refused("damaged.csv.gz", gz(GOOD)[:-8] + bytes(4) + gz(GOOD)[-4:], None, "unpack", **CSV),
    refused("damaged.csv.xz", lzma.compress(GOOD)[:40] + bytes(9) + lzma.compress(GOOD)[49:], None,
            "unpack", **CSV),

    # ---- what else people hand over -----------------------------------------------------------
    refused("table.zip", zipped(GOOD), None, "unpack"),
    refused("book.xlsx", zipped(b"<xml/>"), None, "unpack"),
    refused("arrays.npz", zipped(NPY), None, "unpack"),
    refused("model.sepal", SAFETENSORS, None, "model"),
    refused("model_by_another_name.csv", SAFETENSORS, None, "model"),
    refused("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20)),
    refused("frame.parquet", b"PAR1\x15\x04\x15\x10" + bytes(20) + b"PAR1"),
    refused("store.h5", b"\x89HDF\r\n\x1a\n" + bytes(40)),
    refused("object.pkl", b"\x80\x04\x95\x0b\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s."),
    refused("program", b"\x7fELF\x02\x01\x01" + bytes(57)),
    refused("web_page.csv", b"<!DOCTYPE html>\n<html>\n<body>\nNot found\n</body>\n</html>\n", None,
            "feature", **CSV),

    # ---- which format -------------------------------------------------------------------------
    read("svm_by_content", SVM, 2, 3, "-1 1", 3.5),
    read("svm_by_content_late.txt", b"1\n-1\n" + SVM, 4, 3, "-1 1", 3.5),
    read("csv_by_content", GOOD, 2, 2, "x y", 10),
    read("csv_by_content.data", GOOD.replace(b",", b";"), 2, 2, "x y", 10),
    read("csv_by_content.idx", GOOD, 2, 2, "x y", 10),
    read("arff_by_content", ARFF, 2, 1, "x y", 3),
    read("arff_by_content_upper", ARFF.upper(), 2, 1, "X Y", 3),
    read("extension_upper.SVM", SVM, 2, 3, "-1 1", 3.5, **LIBSVM),
    read("extension.libsvm", SVM, 2, 3, "-1 1", 3.5, **LIBSVM),
    read("word_beats_extension.svm", GOOD, 2, 2, "x y", 10, "--format csv"),
    read("word_beats_content.txt", b"3 1:1\n4 2:2\n", 2, 1, "3 4", 2, "--format csv --target 1"),
    refused("word_is_wrong.csv", GOOD, None, "", "--format npy"),
    refused("word_is_wrong.npy", NPY, None, "", "--format csv"),
    refused("word_is_idx.csv", GOOD, None, "", "--format idx"),
]
