"""ARFF: declared attributes, then dense or sparse rows."""
from entry import NOT_NUMBERS, named, read, refused

HEAD = b"@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute class {x,y}\n@data\n"
GOOD = HEAD + b"1,2,x\n3,4,y\n"  # the rows are at lines 6 and 7


def rows(*lines, a=b"numeric", b=b"numeric", target=b"{x,y}"):
    """A file with two features of these types; its first row is line 6."""
    return (b"@relation r\n@attribute a %s\n@attribute b %s\n@attribute class %s\n@data\n" %
            (a, b, target)) + b"\n".join(lines) + b"\n"


def attribute(declaration, *lines):
    """A file whose first attribute, at line 2, is declared so; its first row is line 5."""
    return (b"@relation r\n@attribute %s\n@attribute class {x,y}\n@data\n" % declaration +
            b"\n".join(lines or (b"1,x", b"2,y")) + b"\n")


FILES = named([
    # ---- the head -----------------------------------------------------------------------------
    read("plain", GOOD, 2, 2, "x y", 10),
    read("upper_case", GOOD.upper(), 2, 2, "X Y", 10),
    read("mixed_case", GOOD.replace(b"@relation", b"@Relation").replace(b"@data", b"@DATA"), 2, 2,
         "x y", 10),
    read("tabs", GOOD.replace(b" ", b"\t \t"), 2, 2, "x y", 10),
    read("indented", GOOD.replace(b"@", b"  @"), 2, 2, "x y", 10),
    read("crlf", GOOD.replace(b"\n", b"\r\n"), 2, 2, "x y", 10),
    read("cr", GOOD.replace(b"\n", b"\r"), 2, 2, "x y", 10),
    read("no_final_newline", GOOD[:-1], 2, 2, "x y", 10),
    read("mark", b"\xef\xbb\xbf" + GOOD, 2, 2, "x y", 10),
    read("comments", b"% by hand\n%\n" + GOOD.replace(b"\n", b"\n% 7,8,z\n\n"), 2, 2, "x y", 10),
    read("real_and_integer", rows(b"1.5,2,x", b"3,4.5,y", a=b"real", b=b"INTEGER"), 2, 2, "x y",
         11),
    read("quoted_relation", GOOD.replace(b"relation r", b"relation 'my table'"), 2, 2, "x y", 10),
    read("quoted_names", GOOD.replace(b"e a ", b"e 'my a' ").replace(b"e b ", b'e "b, too" '), 2, 2,
         "x y", 10),
    read("escaped_name", GOOD.replace(b"e a ", b"e 'it\\'s' "), 2, 1, "x y", 4, '--only "it\'s"'),
    read("percent_in_quotes", GOOD.replace(b"e a ", b"e '% a' "), 2, 1, "x y", 4, "--only '% a'"),
    read("brace_without_blank", GOOD.replace(b"class {", b"class{"), 2, 2, "x y", 10),
    read("wide_braces", GOOD.replace(b"{x,y}", b"{ x , y }"), 2, 2, "x y", 10),
    read("target_by_name", b"@relation r\n@attribute class {x,y}\n@attribute a numeric\n@data\n"
         b"x,1\ny,2\n", 2, 1, "x y", 3),
    read("target_last", b"@relation r\n@attribute a numeric\n@attribute b {p,q}\n@data\n"
         b"1,p\n2,q\n", 2, 1, "p q", 3),
    read("numeric_target", rows(b"1,2,10", b"3,4,9", b"0,0,+9.0", target=b"numeric"), 3, 2, "9 10",
         10),
    read("string_target", rows(b"1,2,'p q'", b"3,4,r", target=b"string"), 2, 2, ("p q", "r"), 10),
    read("classes_that_occur", rows(b"1,2,z", b"3,4,x", target=b"{z,y,x}"), 2, 2, "x z", 10),
    refused("empty", b"", (1, 1), "nothing"),
    refused("comment_only", b"% nothing\n"),
    refused("no_data_line", HEAD[:-6], None, "@data"),
    refused("no_rows", HEAD, None, "no rows"),
    refused("data_line_is_a_value", HEAD[:-8] + b",\n@data }", None, "no rows"),
    refused("no_attributes", b"@relation r\n@data\n1,x\n"),
    refused("row_before_data", HEAD.replace(b"@data\n", b"1,2,x\n@data\n") + b"1,2,x\n", (5, 1)),
    refused("unknown_word", GOOD.replace(b"@attribute b", b"@atribute b"), (3, 1)),
    refused("attribute_after_data", GOOD + b"@attribute c numeric\n", (8, None)),
    refused("unknown_type", attribute(b"a decimal"), (2, 14), "decimal"),
    refused("relational", attribute(b"a relational"), (2, 14), "relational"),
    refused("no_type", attribute(b"a"), (2, None)),
    refused("no_name", attribute(b""), (2, None)),
    refused("unclosed_name", attribute(b"'a numeric"), (2, 12)),
    refused("unclosed_braces", attribute(b"a {p,q")),
    refused("empty_braces", attribute(b"a {}", b"?,x", b"?,y"), (2, None)),
    refused("category_twice", attribute(b"a {p,q,p}", b"p,x", b"q,y"), (2, None), "p"),
    refused("duplicate_names", GOOD.replace(b"e b", b"e a"), (3, None), "'a'"),
    refused("duplicate_quoted_names", GOOD.replace(b"e b", b"e 'a'"), (3, None), "'a'"),
    refused("latin1_name", GOOD.replace(b"e a", b"e caf\xe9"), (2, None), "UTF-8"),
    refused("nul", GOOD.replace(b"3,", b"3\0,"), (7, 2), "0x00"),
    refused("control", GOOD.replace(b"3,", b"3\x01,"), (7, 2), "0x01"),
    refused("unknown_target", GOOD, None, "'klass'", "--target klass"),

    # ---- dense rows ---------------------------------------------------------------------------
    read("blanks_around", rows(b" 1 ,\t2 , x", b"3,4 ,y "), 2, 2, "x y", 10),
    read("cut_at_blanks", rows(b"1 2 x", b"3   4\ty"), 2, 2, "x y", 10),
    refused("comma_among_blanks", rows(b"1 2 x", b"3 4,y"), (7, 4), "comma"),
    refused("comma_behind_blanks", rows(b"1 2 x", b"3 4 , y"), (7, 5), "comma"),
    refused("joined_quotes_at_blanks", rows(b"1 2 x", b"3 4 'x'y"), (7, 8), "quote"),
    refused("cr_is_no_comma", rows(b"1\r2,x", b"3,4,y"), (6, 2), "carriage return"),
    refused("cr_is_no_blank", rows(b"1 2 x", b"3\r4 y"), (7, 2), "carriage return"),
    read("quoted_values", rows(b"'1',\"2\",'x'", b"3,4,\"y\""), 2, 2, "x y", 10),
    read("blank_in_category", rows(b"'p q',2,x", b"r,4,y", a=b"{'p q',r}"), 2, 2, "x y", 8),
    read("comma_in_category", rows(b"'p,q',2,x", b"r,4,y", a=b"{'p,q',r}"), 2, 2, "x y", 8),
    read("escaped_category", rows(b"'it\\'s',2,x", b"r,4,y", a=b"{'it\\'s',r}"), 2, 2, "x y", 8),
    read("double_in_single", rows(b"'5\" pipe',2,x", b"r,4,y", a=b"{'5\" pipe',r}"), 2, 2, "x y",
         8),
    read("unseen_category", rows(b"p,2,x", b"p,4,y", a=b"{p,q}"), 2, 2, "x y", 8),
    read("numbers_as_categories", rows(b"1,2,x", b"2,4,y", a=b"{1,2}"), 2, 2, "x y", 8),
    read("string", rows(b"red,2,x", b"'light blue',4,y", a=b"string"), 2, 2, "x y", 8),
    read("date", rows(b"2001-01-01,2,x", b'"2001-01-02",4,y', a=b'date "yyyy-MM-dd"'), 2, 2, "x y",
         8),
    read("na_declared_is_text", rows(b"NA,2,x", b"p,4,y", a=b"{NA,p}"), 2, 2, "x y", 8),
    read("quoted_question_is_text", rows(b"'?',2,x", b"p,4,y", a=b"{'?',p}"), 2, 2, "x y", 8),
    read("quoted_nothing_is_text", rows(b"'',2,x", b"p,4,y", a=b"{'',p}"), 2, 2, "x y", 8),
    read("missing_mean", rows(b"1,2,x", b"?,4,y"), 2, 2, "x y", 7, "--missing mean"),
    read("missing_drop", rows(b"1,2,x", b",4,x", b"3,4,y"), 2, 2, "x y", 10, "--missing drop",
         "rows"),
    refused("missing", rows(b"1,2,x", b"?,4,y"), (7, 1), "missing"),
    refused("missing_nothing", rows(b"1,2,x", b"3,,y"), (7, 3), "missing"),
    refused("missing_nan", rows(b"1,2,x", b"3,NaN,y"), (7, 3), "missing"),
    refused("missing_category", rows(b"p,2,x", b"?,4,y", a=b"{p,q}"), (7, 1), "missing"),
    refused("missing_label", rows(b"1,2,x", b"3,4,?"), (7, 5), "label"),
    refused("undeclared", rows(b"p,2,x", b"r,4,y", a=b"{p,q}"), (7, 1), "r"),
    refused("undeclared_question", rows(b"p,2,x", b"'?',4,y", a=b"{p,q}"), (7, 1), "declared"),
    refused("undeclared_label", rows(b"1,2,x", b"3,4,z"), (7, 5), "z"),
    refused("undeclared_by_case", rows(b"1,2,x", b"3,4,Y"), (7, 5), "Y"),
    refused("comment_behind_a_row", rows(b"1,2,x", b"3,4,y % c"), (7, 5)),
    refused("text_in_numbers", rows(b"1,2,x", b"3,four,y"), (7, 3), "four"),
    refused("text_in_all_numbers", rows(b"one,2,x", b"two,4,y"), (6, 1), "one"),
    refused("too_few", rows(b"1,2,x", b"3,4"), (7, None), "2 cells"),
    refused("too_many", rows(b"1,2,x", b"3,4,y,5"), (7, None)),
    refused("trailing_comma", rows(b"1,2,x", b"3,4,y,"), (7, None)),
    refused("weight_in_braces", rows(b"1,2,x", b"3,4,y, {2}"), (7, None)),
    refused("unclosed_quote", rows(b"1,2,x", b"3,'4,y"), (7, 3)),
    refused("text_after_quote", rows(b"1,2,x", b"'3'z,4,y"), (7, None)),
    refused("latin1_value", rows(b"1,2,x", b"3,4,caf\xe9", target=b"string"), (7, 5), "UTF-8"),
    refused("too_many_categories", attribute(b"a {%s}" % b",".join(b"%d" % i for i in range(1001))),
            None, "1000"),
    *[refused(f"not_number_{name}", rows(b"1,2,x", NOT_NUMBERS[name] + b",4,y"), (7, 1), "number")
      for name in ("inf", "minus_inf", "overflow", "hex", "underscore", "no_exponent", "two_signs",
                   "fullwidth_digit", "nbsp_before")],

    # ---- sparse rows --------------------------------------------------------------------------
    read("sparse", rows(b"{0 1, 1 2, 2 x}", b"{0 3,1 4,2 y}"), 2, 2, "x y", 10),
    read("sparse_zeros", rows(b"{0 1, 2 y}", b"{1 4, 2 x}"), 2, 2, "x y", 5),
    read("sparse_zeros_given", rows(b"{0 0, 1 2, 2 y}", b"{0 1, 1 -0.0}"), 2, 2, "x y", 3),
    read("sparse_first_category", rows(b"{1 2, 2 y}", b"{0 q, 1 4}", a=b"{p,q}"), 2, 2, "x y", 8),
    read("sparse_first_class", rows(b"{0 1}", b"{0 2, 2 y}", b"{1 3}"), 3, 2, "x y", 6,
         counts=(2, 1)),
    read("sparse_empty_row", rows(b"{}", b"{0 2, 2 y}", b"{ }"), 3, 2, "x y", 2),
    read("sparse_weight_left_out", rows(b"{}", b"{0 2, 1 1, 2 y}", b"{0 9}", b"{0 3, 1 2}"), 2, 1,
         "x y", 5, "--weight b"),
    read("sparse_and_dense", rows(b"{0 1, 2 x}", b"3,4,y"), 2, 2, "x y", 8),
    read("sparse_blanks", rows(b" {  0   1 ,\t2 x } ", b"{0 3 , 2 y}"), 2, 2, "x y", 4),
    read("sparse_quoted", rows(b"{0 'p q', 2 \"x\"}", b"{0 r, 2 y}", a=b"{'p q',r}"), 2, 2, "x y",
         2),
    refused("sparse_missing", rows(b"{0 1, 2 x}", b"{0 ?, 2 y}"), (7, 4), "missing"),
    refused("sparse_unsorted", rows(b"{0 1, 2 x}", b"{1 4, 0 3, 2 y}"), (7, 7)),
    refused("sparse_duplicate", rows(b"{0 1, 2 x}", b"{0 3, 0 4, 2 y}"), (7, 7)),
    refused("sparse_beyond", rows(b"{0 1, 2 x}", b"{0 3, 3 4}"), (7, 7)),
    refused("sparse_far_beyond", rows(b"{0 1, 2 x}", b"{0 3, 4294967297 4}"), (7, 7)),
    refused("sparse_negative", rows(b"{0 1, 2 x}", b"{-1 3, 2 y}"), (7, 2)),
    refused("sparse_no_index", rows(b"{0 1, 2 x}", b"{y}"), (7, 2)),
    refused("sparse_no_value", rows(b"{0 1, 2 x}", b"{0 , 2 y}"), (7, None)),
    refused("sparse_text", rows(b"{0 1, 2 x}", b"{0 z, 2 y}"), (7, 4), "z"),
    refused("sparse_undeclared", rows(b"{0 1, 2 x}", b"{0 3, 2 z}"), (7, 9), "z"),
    refused("sparse_unclosed", rows(b"{0 1, 2 x}", b"{0 3, 2 y"), (7, None)),
    refused("sparse_text_after", rows(b"{0 1, 2 x}", b"{0 3, 2 y} 5"), (7, None)),
    refused("sparse_weight", rows(b"{0 1, 2 x}", b"{0 3, 2 y}, {5}"), (7, None)),
], ".arff", "--format arff")
FILES += [
    read("by_content", GOOD, 2, 2, "x y", 10),
    read("by_content_after_comments.txt", b"% a\n\n" + GOOD, 2, 2, "x y", 10),
]
