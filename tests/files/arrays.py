"""npy and idx files by hand, right or wrong in any part."""
import struct


def npy(dtype, shape, data, fortran=False, version=1, header=None, length=None, magic=b"\x93NUMPY"):
    """An array as numpy.save writes it; `header` and `length` replace what would be true."""
    if header is None:
        header = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    head = header.encode("utf-8" if version >= 3 else "latin-1")
    size = 2 if version == 1 else 4
    pad = -(len(magic) + 2 + size + len(head) + 1) % 64
    head += b" " * pad + b"\n"
    count = struct.pack("<H" if size == 2 else "<I", len(head) if length is None else length)
    return magic + bytes([version, 0]) + count + head + data


def numbers(kind, *values):
    """The bytes of numbers, by a letter of struct: '<d' are doubles, little end first."""
    return struct.pack(f"{kind[0]}{len(values)}{kind[1]}", *values)


def idx(kind, dims, data, magic=b"\0\0"):
    return magic + bytes([kind, len(dims)]) + struct.pack(f">{len(dims)}I", *dims) + data
