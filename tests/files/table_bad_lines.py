"""--bad-lines skip: what would have stopped the reading is left out, counted and shown."""
from entry import named, read, refused

HEAD = b"a,b,class\n"
SKIP = "--bad-lines skip"


def skipped(name, data, rows, features, classes, sum, options="", shown=1, **more):
    warns = ["bad-lines"] + ["bad-line "] * shown
    return read(name, data, rows, features, classes, sum, f"{SKIP} {options}", warns, **more)


def rows(*lines):
    return HEAD + b"1,2,x\n" + b"\n".join(lines) + b"\n3,4,y\n"


FILES = named([
    read("none", HEAD + b"1,2,x\n3,4,y\n", 2, 2, "x y", 10, SKIP),
    read("stop_is_the_word", HEAD + b"1,2,x\n3,4,y\n", 2, 2, "x y", 10, "--bad-lines stop"),
    skipped("short", rows(b"5,z"), 2, 2, "x y", 10),
    skipped("long", rows(b"5,6,z,7"), 2, 2, "x y", 10),
    skipped("text_in_numbers", rows(b"five,6,z"), 2, 2, "x y", 10),
    skipped("text_behind_the_label", b"class,a\nx,1\ny,2\nz,three\n", 2, 1, "x y", 3, "--header yes"),
    skipped("first_row", HEAD + b"1\n1,2,x\n3,4,y\n", 2, 2, "x y", 10),
    skipped("last_row", HEAD + b"1,2,x\n3,4,y\n5,6", 2, 2, "x y", 10),
    skipped("missing_value", rows(b"?,6,z"), 2, 2, "x y", 10),
    skipped("missing_label", rows(b"5,6,"), 2, 2, "x y", 10),
    skipped("overflow", rows(b"1e999,6,z"), 2, 2, "x y", 10),
    skipped("control", rows(b"5,\x07,z"), 2, 2, "x y", 10),
    skipped("latin1_label", rows(b"5,6,\xe9"), 2, 2, "x y", 10),
    skipped("text_after_quote", rows(b'"5"6,7,z'), 2, 2, "x y", 10),
    skipped("bad_weight", b"a,w,class\n1,1,x\n2,-1,z\n3,1,y\n", 2, 1, "x y", 4, "--weight w"),
    skipped("many", rows(*[b"5,z"] * 50), 2, 2, "x y", 10, shown=5),
    read("missing_values_have_a_rule", rows(b"?,6,x"), 3, 2, "x y", 16, f"{SKIP} --missing mean"),
    skipped("no_part_of_a_mean", rows(b"9,z,x", b"?,4,x"), 3, 2, "x y", 14, "--missing mean"),
    skipped("labels_count_them", b"a,b\n1,2\n3\n5,6\n", 2, 2, "p r", 14, "--labels l.txt",
            beside={"l.txt": b"p\nq\nr\n"}),
    skipped("labels_of_text_in_numbers", b"a,b\n1,2\n3,z\n5,6\n", 2, 2, "p r", 14,
            "--header yes --labels l.txt", beside={"l.txt": b"p\n?\nr\n"}),
    read("names_that_are_left_out", b"a,class\nz,x\n1,x\n2,y\n", 2, 1, "x y", 3, SKIP,
         warns=["bad-lines", "--header yes", "bad-line "]),
    skipped("weights_count_them", rows(b"5"), 1, 2, "y", 7, "--weights w.txt",
            beside={"w.txt": b"0\n1\n1\n"}),
    skipped("svm_index.svm", b"1 1:1\n-1 0x2:2\n-1 2:2\n", 2, 2, "-1 1", 3,
            piped="--format libsvm"),
    skipped("svm_value.svm", b"1 1:1\n-1 2:nan\n-1 2:2\n", 2, 2, "-1 1", 3,
            piped="--format libsvm"),
    skipped("svm_large_index.svm", b"1 1:1\n-1 2147483648:1\n-1 2:2\n", 2, 2, "-1 1", 3,
            piped="--format libsvm"),
    skipped("svm_half_good.svm", b"1 1:1\n5 9:1 8:z\n-1 2:2\n", 2, 2, "-1 1", 3,
            piped="--format libsvm"),
    skipped("svm_zero_in_a_bad_line.svm", b"1 1:1\n5 0:1 8:z\n-1 2:2\n", 2, 2, "-1 1", 3,
            piped="--format libsvm"),
    skipped("svm_duplicate.svm", b"1 1:1\n-1 2:1 2:1\n-1 2:2\n", 2, 2, "-1 1", 3,
            piped="--format libsvm"),
    skipped("svm_no_label.svm", b"1 1:1\n2:7\n-1 2:2\n", 2, 2, "-1 1", 3, piped="--format libsvm"),
    skipped("svm_indices_without_label.svm", b"1 1:1\n0:1 9:7\n-1 2:2\n", 2, 2, "-1 1", 3,
            piped="--format libsvm"),
    read("svm_sets_without_label.svm", b"1,2 1:1\n0:1 9:7\n2 2:2\n", 3, 10, "1 2", 11, SKIP,
         warns=["zero-based"], piped="--format libsvm"),
    skipped("arff.arff", b"@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n"
            b"1,x\n2,z\nz,x\n3\n4,y\n", 2, 1, "x y", 5, shown=3, piped="--format arff"),
    skipped("arff_sparse.arff", b"@relation r\n@attribute a numeric\n@attribute class {x,y}\n"
            b"@data\n{0 1}\n{9 9}\n{0 4, 1 y}\n", 2, 1, "x y", 5, piped="--format arff"),
    skipped("arff_sparse_half_good.arff", b"@relation r\n@attribute a numeric\n"
            b"@attribute class {x,y}\n@data\n{0 1}\n{0 7, 9 9}\n{0 4, 1 y}\n", 2, 1, "x y", 5,
            piped="--format arff"),
    refused("all", HEAD + b"1\n2\n", None, "rows", SKIP),
    refused("header", b"a,a,class\n1,2,x\n3,4,y\n", (1, 3), "'a'", SKIP),
    refused("arff_head.arff", b"@relation r\n@attribute a what\n@attribute class {x,y}\n@data\n"
            b"1,x\n2,y\n",
            (2, 14), "what", SKIP, piped="--format arff"),
], ".csv", "--format csv")
