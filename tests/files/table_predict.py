"""Files read through a model: columns by name, categories and indices that it knows or not."""
from entry import Model, predicted, read, refused

CSV = Model("t.csv", b"a,b,class\n1,1,x\n2,2,x\n-1,-1,y\n-2,-2,y\n")
BARE = Model("t.csv", b"1,1,x\n2,2,x\n-1,-1,y\n-2,-2,y\n")
TEXT = Model("t.csv", b"colour,a,class\nred,1,x\nred,2,x\nblue,-1,y\nblue,-2,y\n")
MEAN = Model("t.csv", b"a,b,class\n1,1,x\n2,,x\n-1,-1,y\n-2,-2,y\n", "--missing mean")
DROP = Model("t.csv", b"a,b,class\n1,1,x\n2,,x\n-1,-1,y\n-2,-2,y\n", "--missing drop")
SVM = Model("t.svm", b"1 1:1 2:1\n1 1:2\n-1 1:-1 2:-1\n-1 1:-2\n")
ZERO = Model("t.svm", b"1 0:1 1:1\n1 0:2\n-1 0:-1 1:-1\n-1 0:-2\n")
ARFF = Model("t.arff", b"@relation r\n@attribute a numeric\n@attribute b numeric\n"
             b"@attribute class {x,y}\n@data\n1,1,x\n2,2,x\n-1,-1,y\n-2,-2,y\n")
STEEP = Model("t.csv", b"a,b,class\n9,1,x\n8,-1,x\n-9,1,y\n-8,-1,y\n")
WEIGHT = Model("t.csv", b"a,w,class\n1,1,x\n2,1,x\n-1,1,y\n-2,2,y\n", "--weight w")
PREDICT, EVALUATE = {"command": "predict"}, {"command": "evaluate"}
AS_CSV, AS_SVM, AS_ARFF = ({"piped": f"--format {f}"} for f in ("csv", "libsvm", "arff"))

FILES = [
    # ---- columns ------------------------------------------------------------------------------
    predicted("same.csv", b"a,b,class\n1,2,x\n-3,-4,y\n", "x y", CSV, **AS_CSV),
    predicted("no_target.csv", b"a,b\n1,2\n-3,-4\n", "x y", CSV, **AS_CSV),
    predicted("any_order.csv", b"class,b,a\nx,1,2\n?,-3,-4\n", "x y", CSV, **AS_CSV),
    predicted("extra_columns.csv", b"z,a,q,b\nw,1,?,2\nw,-3,\xc3\xa9,-4\n", "x y", CSV,
              warns=["2 columns"], **AS_CSV),
    predicted("target_is_not_looked_at.csv", b"a,b,class\n1,2,\n-3,-4,unheard of\n", "x y", CSV,
              **AS_CSV),
    predicted("bare.csv", b"1,2\n-3,-4\n", "x y", BARE, **AS_CSV),
    predicted("bare_with_target.csv", b"1,2,x\n-3,-4,y\n", "x y", BARE, **AS_CSV),
    predicted("one_row.csv", b"a,b\n-1,-2\n", "y", CSV, **AS_CSV),
    predicted("semicolons.csv", b"a;b\n1;2\n-3;-4\n", "x y", CSV, **AS_CSV),
    refused("missing_column.csv", b"a,class\n1,x\n", (1, 1), "'b'", model=CSV, **PREDICT, **AS_CSV),
    refused("case_matters.csv", b"A,b\n1,2\n", (1, 1), "'a'", model=CSV, **PREDICT, **AS_CSV),
    refused("bare_too_few.csv", b"1\n2\n", (1, 1), "2", model=BARE, **PREDICT, **AS_CSV),
    refused("bare_too_many.csv", b"1,2,3,4\n1,2,3,4\n", (1, 1), "2", model=BARE, **PREDICT,
            **AS_CSV),
    refused("duplicate_names.csv", b"a,b,a\n1,2,3\n", (1, 5), "'a'", model=CSV, **PREDICT,
            **AS_CSV),
    refused("text_in_numbers.csv", b"a,b\n1,2\n3,four\n", (3, 3), "number", model=CSV, **PREDICT,
            **AS_CSV),
    refused("all_text_in_numbers.csv", b"a,b\n1,p\n3,q\n", (2, 3), "number", model=CSV, **PREDICT,
            **AS_CSV),
    refused("inf.csv", b"a,b\n1,2\n3,inf\n", (3, 3), "number", model=CSV, **PREDICT, **AS_CSV),
    refused("short_row.csv", b"a,b\n1,2\n3\n", (3, 2), "1 cell", model=CSV, **PREDICT, **AS_CSV),
    refused("empty.csv", b"", (1, 1), "nothing", model=CSV, **PREDICT, **AS_CSV),
    refused("header_only.csv", b"a,b\n", (2, 1), "no rows", model=CSV, **PREDICT, **AS_CSV),

    # ---- sparse rows --------------------------------------------------------------------------
    predicted("other_order.arff", b"@relation r\n@attribute b numeric\n@attribute a numeric\n@data\n"
              b"{0 4, 1 -3}\n{0 -4, 1 3}\n{1 -1}\n{0 1}\n", "y x y x", STEEP, **AS_ARFF),

    # ---- missing values and categories --------------------------------------------------------
    refused("missing.csv", b"a,b\n1,2\n?,4\n", (3, 1), "missing", model=CSV, **PREDICT, **AS_CSV),
    predicted("missing_by_mean.csv", b"a,b\n5,?\n-5,\n", "x y", MEAN, **AS_CSV),
    predicted("missing_by_drop.csv", b"a,b\n5,5\n?,1\n-5,-5\n", "x ? y", DROP, **AS_CSV),
    refused("unseen_category.csv", b"colour,a\nred,1\ngreen,2\n", (3, 1), "green", model=TEXT,
            **PREDICT,
            **AS_CSV),
    predicted("unseen_category_as_none.csv", b"colour,a\nred,1\ngreen,-2\n", "x y", TEXT,
              "--unknown zero", **AS_CSV),
    refused("latin1_category.csv", b"colour,a\nred,1\ncaf\xe9,2\n", (3, 1), "UTF-8",
            "--unknown zero", model=TEXT, **PREDICT, **AS_CSV),
    refused("number_as_category.csv", b"colour,a\n1,1\n2,2\n", (2, 1), "1", model=TEXT, **PREDICT,
            **AS_CSV),

    # ---- indices ------------------------------------------------------------------------------
    predicted("same.svm", b"1 1:5\n-1 1:-5\n", "1 -1", SVM, **AS_SVM),
    predicted("no_labels.svm", b"1:5\n1:-5 2:-3\n", "1 -1", SVM, **AS_SVM),
    predicted("odd_labels.svm", b"? 1:5\nnan 1:-5\n", "1 -1", SVM, **AS_SVM),
    predicted("unknown_indices.svm", b"1 1:5 3:9 7:9\n-1 1:-5 2147483647:5\n", "1 -1", SVM,
              warns=["3"], **AS_SVM),
    predicted("index_zero_is_unknown.svm", b"1 0:9 1:5\n-1 1:-5\n", "1 -1", SVM, warns=["1"],
              **AS_SVM),
    predicted("zero_based.svm", b"1 0:5\n-1 0:-5\n", "1 -1", ZERO, **AS_SVM),
    predicted("zero_based_unseen.svm", b"1 1:5\n-1 0:-5 2:9\n", "1 -1", ZERO, warns=["1"],
              **AS_SVM),
    refused("duplicate.svm", b"1 1:1\n-1 2:1 2:1\n", (2, 8), "twice", model=SVM, **PREDICT,
            **AS_SVM),
    predicted("duplicate_unknown.svm", b"1 1:5\n-1 1:-5 9:1 9:1\n", "1 -1", SVM, warns=["2"],
              **AS_SVM),
    refused("too_large_index.svm", b"1 1:1\n-1 4294967297:1\n", (2, 4), "2147483647", model=SVM,
            **PREDICT, **AS_SVM),
    refused("bad_value_of_unknown.svm", b"1 1:1\n-1 9:z\n", (2, 6), "z", model=SVM, **PREDICT,
            **AS_SVM),

    # ---- other formats than in training -------------------------------------------------------
    predicted("by_name.arff", b"@relation r\n@attribute b numeric\n@attribute a numeric\n@data\n"
              b"1,2\n-3,-4\n",
              "x y", ARFF, **AS_ARFF),
    predicted("sparse_first_value.arff", b"@relation r\n@attribute a {-7,7}\n@attribute b numeric\n"
              b"@data\n{1 1}\n{0 7}\n", "y x", CSV, **AS_ARFF),
    refused("sparse_text.arff", b"@relation r\n@attribute a string\n@attribute b numeric\n@data\n"
            b"{0 1,1 1}\n{1 1}\n", (6, 2), "must give", model=CSV, **PREDICT, **AS_ARFF),
    refused("missing_attribute.arff", b"@relation r\n@attribute b numeric\n@data\n1\n", None, "'a'",
            model=ARFF, **PREDICT, **AS_ARFF),
    refused("table_for_indices.csv", b"a,b\n1,2\n", None, "LIBSVM", model=SVM, **PREDICT, **AS_CSV),
    refused("indices_for_table.svm", b"1 1:1\n", None, "LIBSVM", model=CSV, **PREDICT, **AS_SVM),

    # ---- evaluate -----------------------------------------------------------------------------
    read("evaluated.csv", b"b,a,class\n1,2,x\n-3,-4,x\n", 2, 0, "x y", 0.5, model=CSV,
         warns=["absent-classes"], **EVALUATE, **AS_CSV),
    read("unseen_label.csv", b"a,b,class\n1,2,x\n-3,-4,z\n", 2, 0, "x y z", 0.5, model=CSV,
         warns=["label that the model was not trained on", "absent-classes"], **EVALUATE, **AS_CSV),
    read("equal_by_value.svm", b"+1 1:5\n-1.0 1:-5\n", 2, 0, "-1 1", 1, model=SVM, **EVALUATE,
         **AS_SVM),
    read("weights_count.csv", b"a,w,class\n1,3,x\n-3,1,x\n", 2, 0, "x y", 0.75, model=WEIGHT,
         warns=["absent-classes"], **EVALUATE, **AS_CSV),
    read("weight_file_beats_column.csv", b"a,w,class\n1,0,x\n-3,1,x\n-5,9,y\n", 2, 0, "x y", 0.75,
         "--weights w.txt", beside={"w.txt": b"3\n1\n0\n"}, model=WEIGHT,
         warns=["absent-classes"], **EVALUATE, **AS_CSV),
    refused("unlabelled.csv", b"a,b\n1,2\n", (1, 1), "label", model=CSV, **EVALUATE, **AS_CSV),
    refused("missing_label.csv", b"a,b,class\n1,2,x\n3,4,?\n", (3, 5), "label", model=CSV,
            **EVALUATE,
            **AS_CSV),
    refused("unlabelled.svm", b"1 1:1\n2:1\n", (2, 1), "label", model=SVM, **EVALUATE, **AS_SVM),
    refused("bare_unlabelled.csv", b"1,2\n3,4\n", (1, 1), "label", model=BARE, **EVALUATE,
            **AS_CSV),
    refused("negative_weight.csv", b"a,w,class\n1,-1,x\n", (2, 3), "weight", model=WEIGHT,
            **EVALUATE,
            **AS_CSV),
]
