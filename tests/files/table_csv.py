"""Delimited text: tables with commas, semicolons, tabs, bars or blanks between the cells."""
from entry import NOT_NUMBERS, NUMBERS, TOO_LARGE, named, read, refused

HEAD = b"a,b,class\n"
GOOD = HEAD + b"1,2,x\n3,4,y\n"
WITH = HEAD + b"1,2,x\n%s,4,y\n"  # the cell in question is at line 3, column 1
LABELS = b"a,class\n1,%s\n2,%s\n"


def many(count, row):
    return b"".join(row % {b"i": i} for i in range(count))


def dates():
    """600 rows, of which the first 64 KiB, which decide on the delimiter, cut one in two."""
    row = b"2020-01-01 10:00:%02d," + b",".join(b"%d.5" % i for i in range(20)) + b",%s\n"
    return b"".join(row % (i % 60, (b"x", b"y")[i % 2]) for i in range(600))


def long_header(length):
    """The first line has so many bytes, then CR and LF."""
    return b"a," + b"b" * (length - len(b"a,,class")) + b",class\r\n1,2,x\r\n3,4,y\r\n"


FILES = named([
    # ---- nothing, or next to nothing ----------------------------------------------------------
    refused("empty", b"", (1, 1), "nothing"),
    refused("newline", b"\n", None, "nothing"),
    refused("newlines", b"\n\n\r\n\n", None, "nothing"),
    refused("blanks_only", b"  \n \t \n", None, "no"),
    refused("mark_only", b"\xef\xbb\xbf", (1, 1), "nothing"),
    refused("header_only", HEAD, (2, 1), "no rows"),
    refused("header_only_unended", HEAD[:-1], (2, 1), "no rows"),
    refused("header_and_blank_lines", HEAD + b"\n\n\n", None, "no rows"),
    refused("one_number", b"1"),
    refused("one_column", b"class\nx\ny\n", None, "feature"),
    refused("one_column_of_numbers", b"1\n2\n3\n", None, "feature"),
    refused("all_dropped", GOOD, None, "feature", "--drop a,b"),
    refused("one_row", HEAD + b"1,2,x\n", None, "two classes"),
    refused("one_class", HEAD + b"1,2,x\n3,4,x\n", None, "two classes"),
    read("one_row_described", HEAD + b"1,2,x\n", 1, 2, "x", 3),
    refused("absent", None, None, "cannot open"),
    refused("skip_beyond_the_end", GOOD, None, "nothing", "--skip 99"),

    # ---- lines --------------------------------------------------------------------------------
    read("plain", GOOD, 2, 2, "x y", 10),
    read("crlf", GOOD.replace(b"\n", b"\r\n"), 2, 2, "x y", 10),
    read("cr", GOOD.replace(b"\n", b"\r"), 2, 2, "x y", 10),
    read("crlf_and_lf", b"a,b,class\r\n1,2,x\n3,4,y\r\n", 2, 2, "x y", 10),
    read("no_final_newline", GOOD[:-1], 2, 2, "x y", 10),
    read("final_cr", GOOD.replace(b"\n", b"\r\n")[:-1], 2, 2, "x y", 10),
    read("blank_lines", b"\n\n" + GOOD.replace(b"\n", b"\n\n \n"), 2, 2, "x y", 10),
    read("mark", b"\xef\xbb\xbf" + GOOD, 2, 2, "x y", 10),
    refused("cr_inside", HEAD + b"1,2\r,x\n3,4,y\n", (2, 4), "carriage return"),
    refused("place_after_blank_lines", HEAD + b"\n1,2,x\n\n\nz,4,y\n", (6, 1), "'z'"),
    refused("place_with_crlf", b"a,b,class\r\n1,2,x\r\n3,z,y\r\n", (3, 3), "'z'"),
    refused("place_with_cr", b"a,b,class\r1,2,x\r3,z,y\r", (3, 3), "'z'"),
    refused("place_after_mark", b"\xef\xbb\xbf1,2,x\n3,z,y\n", (2, 3), "'z'"),
    refused("place_after_skip", b"note\n" + HEAD + b"1,2,x\n3,z,y\n", (4, 3), "'z'", "--skip 1"),
    refused("place_in_bytes", HEAD + b"1,2,x\n3,z,\xc3\xa9\n5,6,\xc3\xa9\n", (3, 3), "'z'"),
    read("skip", b"# made by hand\n" + GOOD, 2, 2, "x y", 10, "--skip 1"),
    refused("note_at_the_top", b"# made by hand\n" + GOOD, (2, 3), "more than 1 cell"),
    refused("sep_line_of_spreadsheets", b"sep=;\na;b;class\n1;2;x\n3;4;y\n", (2, 5), "cells"),

    *[read(f"line_end_at_{n}", long_header(n), 2, 2, "x y", 10) for n in range(65534, 65538)],
    read("window_cuts_a_row", dates(), 600, 20, "x y", 600 * 200, "--drop 1"),

    # ---- cells per row ------------------------------------------------------------------------
    refused("short_row", HEAD + b"1,2,x\n3,y\n", (3, 4), "2 cells"),
    refused("one_cell", HEAD + b"1,2,x\n3\n5,6,y\n", (3, 2), "1 cell"),
    refused("long_row", HEAD + b"1,2,x\n3,4,y,5\n", (3, 7), "more than 3 cells"),
    refused("short_header", b"a,b\n1,2,x\n3,4,y\n", (2, 5), "more than 2 cells"),
    refused("delimiter_after_one_row", HEAD + b"1,2,x\n3,4,y,\n", (3, 7), "more than 3 cells"),
    refused("delimiter_before_one_row", HEAD + b"1,2,x\n,3,4,y\n", (3, 6), "more than 3 cells"),
    refused("delimiter_after_all_rows", b"a,b,class,\n1,2,x,\n3,4,y,\n", (2, 7), "missing"),
    refused("delimiter_after_headerless_rows", b"1,2,x,\n3,4,y,\n", (1, 7), "label is missing"),
    refused("delimiters_only", HEAD + b"1,2,x\n,,\n", (3, 3), "label is missing"),

    # ---- quotes -------------------------------------------------------------------------------
    read("quoted", b'"a","b ""c""",class\n"1",2,"x, and\nmore"\n3,4,y\n', 2, 2,
         ("x, and\nmore", "y"), 10),
    read("quoted_crlf", b'a,class\r\n1,"x\r\ny"\r\n2,z\r\n', 2, 1, ("x\r\ny", "z"), 3),
    read("quoted_numbers", b'a,class\n"1","0"\n"2.5","1"\n', 2, 1, "0 1", 3.5),
    read("quoted_blanks_stay", b'a,class\n1," x"\n2,x\n', 2, 1, (" x", "x"), 3),
    read("blanks_after_quote", b'a,class\n"1" ,x\n"2"\t,y\n', 2, 1, "x y", 3),
    read("only_quotes", b'a,class\n1,""""\n2,x\n', 2, 1, '" x', 3),
    read("inner_quote", b'a,size,class\n1,5" pipe,x\n3,6" pipe,y\n', 2, 2, "x y", 6),
    read("quotes_off", b'a,class\n1,"x\n2,y"\n', 2, 1, '"x y"', 3, "--quote no"),
    read("delimiter_in_quotes", b'a,class\n1,"x,y"\n2,"x;y"\n', 2, 1, "x,y x;y", 3),
    refused("quoted_empty", b'a,class\n1,x\n"",y\n', (3, 1), "missing"),
    refused("quoted_thousands", HEAD + b'1,2,x\n"1,000",4,y\n', (3, 1), "thousands"),
    refused("unclosed", HEAD + b'1,2,x\n"3,4,y\n5,6,x\n', (3, 1), "never closed"),
    refused("unclosed_in_header", b'a,"b,class\n1,2,x\n3,4,y\n', (1, 3), "never closed"),
    refused("unclosed_at_end", HEAD + b'1,2,x\n3,4,"', (3, 5), "never closed"),
    refused("doubled_quote_at_end", HEAD + b'1,2,x\n3,4,"y""', (3, 5), "never closed"),
    refused("text_after_quote", HEAD + b'1,2,x\n"3"z,4,y\n', (3, 4), "after the closing quote"),
    refused("place_after_quoted_newline", b'a,b,t,class\n1,2,"p\nq",x\nz,4,r,y\n', (4, 1), "'z'"),
    refused("place_behind_quoted_newline", b't,a,b,class\np,1,2,x\n"p\nq",z,4,y\n', (4, 4), "'z'"),

    # ---- bytes that are no text ---------------------------------------------------------------
    refused("nul", HEAD + b"1,2,x\n3,\x004,y\n", (3, 3), "0x00"),
    refused("nul_late", HEAD + b"1,2,x\n" * 20000 + b"3,\x004,y\n", (20002, 3), "0x00"),
    refused("bell", HEAD + b"1,2,x\n3,\x074,y\n", (3, 3), "0x07"),
    refused("backspace", HEAD + b"1,2,x\n3,4\x08,y\n", (3, 4), "0x08"),
    refused("vertical_tab", HEAD + b"1,2,x\n3,\x0b4,y\n", (3, 3), "0x0b"),
    refused("form_feed", HEAD + b"1,2,x\n\x0c3,4,y\n", (3, 1), "0x0c"),
    refused("control_z_at_end", GOOD + b"\x1a", (4, 1), "0x1a"),
    refused("escape_in_label", HEAD + b"1,2,x\n3,4,\x1b[31my\n", (3, 5), "0x1b"),
    refused("delete", HEAD + b"1,2,x\n3,\x7f4,y\n", (3, 3), "0x7f"),
    refused("control_in_quotes", HEAD + b'1,2,x\n3,"\x01",y\n', (3, 4), "0x01"),
    refused("control_in_header", b"a,b\x01,class\n1,2,x\n3,4,y\n", (1, 4), "0x01"),
    refused("control_in_dropped_column", HEAD + b"1,2,x\n3,\x01,y\n", (3, 3), "0x01", "--drop b"),
    refused("utf16_le", "\ufeffa,b\n1,x\n".encode("utf-16-le"), None, "not text"),
    refused("utf16_be", "\ufeffa,b\n1,x\n".encode("utf-16-be"), None, "not text"),
    refused("utf16_unmarked", "a,b\n1,x\n".encode("utf-16-le"), (1, 2), "not text"),
    refused("utf32", "a,b\n1,x\n".encode("utf-32"), None, "not text"),
    refused("latin1_label", HEAD + b"1,2,caf\xe9\n3,4,y\n", (2, 5), "UTF-8"),
    refused("latin1_category", b"t,a,class\ncaf\xe9,2,x\nz,4,y\n", (2, 1), "UTF-8"),
    refused("latin1_header", b"a,caf\xe9,class\n1,2,x\n3,4,y\n", (1, 3), "UTF-8"),
    refused("overlong_utf8", HEAD + b"1,2,\xc0\xaf\n3,4,y\n", (2, 5), "UTF-8"),
    refused("surrogate_utf8", HEAD + b"1,2,\xed\xa0\x80\n3,4,y\n", (2, 5), "UTF-8"),
    refused("cut_utf8", HEAD + b"1,2,x\n3,4,\xc3", (3, 5), "UTF-8"),
    refused("all_bytes.bin", bytes(range(256)) * 40, None, "not text"),

    # ---- which mark is between the cells ------------------------------------------------------
    read("semicolon", GOOD.replace(b",", b";"), 2, 2, "x y", 10),
    read("bar", GOOD.replace(b",", b"|"), 2, 2, "x y", 10),
    read("tab_in_csv", GOOD.replace(b",", b"\t"), 2, 2, "x y", 10),
    read("tab.tsv", GOOD.replace(b",", b"\t"), 2, 2, "x y", 10, piped="--format tsv"),
    read("commas_in_cells.tsv", b"a\tclass\n1\tx,1\n2\ty,2\n", 2, 1, "x,1 y,2", 3,
         piped="--format tsv"),
    refused("commas.tsv", GOOD, None, "feature", piped="--format tsv"),
    refused("tabs_only_row.tsv", b"a\tb\tclass\n1\t2\tx\n\t\t\n", (3, 3), "missing",
            piped="--format tsv"),
    read("runs.txt", b"  1   2 x\n 3 \t4   y  \n", 2, 2, "x y", 10),
    read("semicolons_and_one_comma", b"a;b;class\n1;2;p,q\n3;4;y\n", 2, 2, "p,q y", 10),
    read("colon", GOOD.replace(b",", b":"), 2, 2, "x y", 10, "--delimiter :"),
    read("blanks_around", b"a , b,class\n 1,\t2 , x\n3 ,4, y \n", 2, 2, "x y", 10),
    refused("decimal_comma", b"a;b;class\n1,5;2;x\n2;3;y\n", (2, 1), "--decimal comma"),
    read("decimal_comma_asked_for", b"a;b;class\n1,5;2;x\n2;-,5e1;y\n", 2, 2, "x y", 0.5,
         "--decimal comma"),
    refused("decimal_comma_in_comma_file", b"a,class\n1,5,x\n2,y\n", (2, 5), "cells"),

    # ---- the header ---------------------------------------------------------------------------
    read("headerless", b"1,2,x\n3,4,y\n", 2, 2, "x y", 10),
    read("number_names_text_target", b"7,8,x\n1,2,x\n3,4,y\n", 3, 2, "x y", 25),
    read("number_names", b"1,2,class\n3,4,0\n5,6,1\n", 2, 2, "0 1", 18),
    read("number_names_by_word", b"1,2,class\n3,4,x\n5,6,y\n", 2, 2, "x y", 18, "--header yes"),
    read("missing_words_as_names", b"NA,?,class\n1,2,0\n3,4,1\n", 2, 2, "0 1", 10),
    read("empty_name", b",b,class\n1,2,x\n3,4,y\n", 2, 2, "x y", 10),
    read("names_that_differ_in_case", b"a,A,class\n1,2,x\n3,4,y\n", 2, 2, "x y", 10),
    read("quoted_name_with_newline", b'"a\nb",class\n1,x\n2,y\n', 2, 1, "x y", 3),
    read("all_text", b"colour,shape,class\nred,box,x\nblue,ball,y\n", 2, 2, "x y", 4),
    read("all_text_recurs", b"red,box,x\nred,ball,y\n", 2, 2, "x y", 4),
    read("header_then_gaps", b"a,class\n?,x\n1,y\n", 2, 1, "x y", 1, "--missing mean"),
    read("late_header_evidence", b"a,class\n" + b"NA,x\n" * 50 + b"1,y\n", 1, 1, "y", 1,
         "--missing drop", "rows"),
    refused("duplicate_names", b"a,a,class\n1,2,x\n3,4,y\n", (1, 3), "'a'"),
    refused("duplicate_quoted_names", b'a,"a",class\n1,2,x\n3,4,y\n', (1, 3), "'a'"),
    refused("duplicate_names_after_blanks", b"a, a ,class\n1,2,x\n3,4,y\n", (1, 4), "'a'"),
    refused("header_denied", GOOD, (1, 1), "'a'", "--header no"),
    refused("header_twice", GOOD + GOOD, (1, 1), "'a'"),

    # ---- numbers ------------------------------------------------------------------------------
    *[refused(f"not_number_{name}", WITH % cell, (3, 1),
              "too large for a double" if name in TOO_LARGE else "decimal number")
      for name, cell in NOT_NUMBERS.items()],
    *[read(f"number_{name}", b"a,class\n%s,x\n0,y\n" % cell, 2, 1, "x y", value)
      for name, (cell, value) in NUMBERS.items()],
    refused("not_number_bad_utf8", WITH % b"1\xff", (3, 1), "UTF-8"),
    refused("blank_inside_number", WITH % b"1 2", (3, 1), "decimal number"),
    refused("tab_inside_number", WITH % b"1\t2", (3, 1), "decimal number"),
    refused("text_before_numbers", HEAD + b"one,2,x\n3,4,y\n", (2, 1), "'one'"),
    refused("text_among_numbers", HEAD + b"1,2,x\n3,four,y\n", (3, 3), "--categorical"),
    refused("text_after_header_window", b"a,class\n" + b"1,x\n" * 150 + b"z,y\n", (152, 1), "'z'"),
    refused("header_in_doubt", b"a,class\n1,x\n2,x\nfoo,y\n", (1, 1), "--header yes"),
    refused("half_are_numbers", b"a,class\n1,x\nfoo,y\n", (3, 1), "1 of them, and 1 other cell"),
    read("fewer_are_numbers", b"a,b,class\n1,1,x\n01,2,y\nfoo,3,x\nbar,4,y\nfoo,5,x\n",
         5, 2, "x y", 20, warns=["2 of its 5 cells"]),
    read("only_inf_is_text", b"a,b,class\ninf,1,x\n-inf,2,y\n", 2, 2, "x y", 5),
    read("cancelling", b"a,class\n1e16,x\n1,x\n-1e16,y\n", 3, 1, "x y", 1),

    # ---- missing values -----------------------------------------------------------------------
    *[refused(f"missing_{name}", WITH % cell, (3, 1), "missing")
      for name, cell in {"nothing": b"", "question": b"?", "na": b"NA",
                         "na_small": b"na", "n_a": b"N/A", "nan": b"nan", "nan_mixed": b"NaN",
                         "null": b"NULL", "null_mixed": b"Null"}.items()],
    *[refused(f"not_missing_{name}", WITH % cell, (3, 1), "decimal number")
      for name, cell in {"none": b"None", "dash": b"-", "hash": b"#N/A", "nil": b"nil",
                         "two_questions": b"??", "nans": b"nans"}.items()],
    refused("missing_blank", WITH % b" ", (3, 2), "missing"),
    refused("missing_counts", HEAD + b"1,2,x\n,4,y\n,?,y\n", (3, 1), "a 2, b 1"),
    refused("missing_text", b"t,a,class\np,1,x\n,2,y\n", (3, 1), "missing"),
    read("mean", b"a,class\n1,x\n,x\n3,y\n", 3, 1, "x y", 4, "--missing mean"),
    read("indicator", b"a,class\n1,x\n,x\n3,y\n", 3, 1, "x y", 4, "--missing indicator"),
    read("drop", b"a,class\n1,x\n,x\n3,y\n", 2, 1, "x y", 4, "--missing drop", "rows"),
    read("drop_the_class_too", b"a,class\n1,x\n,z\n3,y\n", 2, 1, "x y", 4, "--missing drop",
         "rows"),
    refused("drop_all", b"a,class\n?,x\n,y\n", None, "rows", "--missing drop"),
    read("dropped_column", b"a,b,class\n1,?,x\n2,,y\n", 2, 1, "x y", 3, "--drop b"),
    read("mean_of_nothing", b"a,b,class\n,1,x\n,2,y\n", 2, 2, "x y", 3, "--missing mean"),

    # ---- text columns -------------------------------------------------------------------------
    read("categorical", b"zip,class\n007,x\n7,y\n", 2, 1, "x y", 2, "--categorical zip"),
    read("thousand_categories", b"n,class\n" + many(1000, b"t%(i)d,x\n"), 1000, 1, "x", 1000),
    refused("more_categories", b"n,class\nt0,y\n" + many(1001, b"t%(i)d,x\n"), None, "--drop"),
    read("category_case", b"t,class\nred,x\nRed,y\n", 2, 1, "x y", 2),
    read("nbsp_is_text", b"t,class\nred,x\n\xc2\xa0red,y\n", 2, 1, "x y", 2),

    # ---- labels -------------------------------------------------------------------------------
    read("target_first", b"y,a,b\nx,1,2\nz,3,4\n", 2, 2, "x z", 10),
    read("target_any_case", b"CLASS,a,b\nx,1,2\nz,3,4\n", 2, 2, "x z", 10),
    read("target_number", b"1,x,2\n3,y,4\n", 2, 2, "x y", 10, "--target 2"),
    read("target_before_class", b"target,a,class\nx,1,2\nz,3,4\n", 2, 2, "x z", 10),
    read("labels_with_fractions", b"a,class\n1,1.7\n2,2.2\n3,1.2\n", 3, 1, "1.2 1.7 2.2", 6),
    read("labels_by_value", b"a,class\n1,10\n2,9\n3,+9.0\n4,9e0\n5,-1\n", 5, 1, "-1 9 10", 15),
    read("labels_equal", b"a,class\n1,100\n2,1e2\n3,+1.00E+02\n4,1\n", 4, 1, "1 100", 10,
         counts=(1, 3)),
    read("labels_zero", b"a,class\n1,-0\n2,0\n3,+0\n4,0.0\n5,00\n6,1\n", 6, 1, "0 1", 21,
         counts=(5, 1)),
    read("labels_one_text", b"a,class\n1,10\n2,9\n3,1.0\n4,1\n5,b\n", 5, 1, "1 1.0 10 9 b", 15),
    read("labels_hex_are_text", LABELS % (b"0x10", b"16"), 2, 1, "0x10 16", 3),
    read("labels_overflow_is_text", LABELS % (b"1e999", b"1"), 2, 1, "1 1e999", 3),
    read("labels_underscore_is_text", LABELS % (b"1_000", b"1000"), 2, 1, "1000 1_000", 3),
    read("labels_bytewise", LABELS % ("\u00e9".encode(), b"Z") + b"3,a\n", 3, 1, "Z a \u00e9", 6),
    read("labels_with_blanks", LABELS % (b" new york ", b"rome"), 2, 1, ("new york", "rome"), 3),
    read("labels_case", LABELS % (b"x", b"X"), 2, 1, "X x", 3),
    read("labels_true_false", LABELS % (b"True", b"False"), 2, 1, "False True", 3),
    read("labels_none_is_text", LABELS % (b"None", b"some"), 2, 1, "None some", 3),
    refused("labels_same_double", LABELS % (b"9007199254740993", b"9007199254740992"), None,
            "same"),
    refused("labels_near", LABELS % (b"0.1", b"0.10000000000000000001"), None, "same double"),
    refused("labels_beyond_doubles", LABELS % (b"9007199254740993", b"1"), None, "same double"),
    *[refused(f"label_{name}", LABELS % (b"x", cell), (3, 3), "label")
      for name, cell in {"empty": b"", "quoted_empty": b'""', "question": b"?", "nan": b"nan",
                         "inf": b"inf", "minus_inf": b"-Inf", "na": b"NA",
                         "null": b"null"}.items()],
    refused("unlabelled", b"age,port\n1,S\n2,\n", (3, 3), "--target"),

    # ---- weights and choices of columns -------------------------------------------------------
    read("weight", b"a,w,class\n1,2,x\n2,0,z\n3,1,y\n", 2, 1, "x y", 4, "--weight w"),
    read("weightless_row_is_not_read", b"a,w,class\n1,2,x\nz,0,?\n3,1,y\n", 2, 1, "x y", 4,
         "--weight w"),
    read("weight_minus_zero", b"a,w,class\n1,2,x\n2,-0,z\n3,1,y\n", 2, 1, "x y", 4, "--weight w"),
    *[refused(f"weight_{name}", b"a,w,class\n1,1,x\n2,%s,y\n" % cell, (3, 3), "weight",
              "--weight w")
      for name, cell in {"negative": b"-1", "nan": b"nan", "inf": b"inf", "missing": b"",
                         "text": b"z", "overflow": b"1e400"}.items()],
    refused("weights_all_zero", b"a,w,class\n1,0,x\n2,0,y\n", None, "weight", "--weight w"),
    refused("weights_overflow", b"a,w,class\n1,1e308,x\n2,1e308,y\n", None, "weight", "--weight w"),
    refused("unknown_target", GOOD, (1, 1), "'klass'", "--target klass"),
    refused("unknown_drop", GOOD, (1, 1), "'9'", "--drop 9"),
    refused("column_zero", GOOD, (1, 1), "'0'", "--target 0"),
    refused("unknown_weight", GOOD, (1, 1), "'w'", "--weight w"),
    read("text_whatever_its_name.npy", b"a,class\n1,x\n2,y\n", 2, 1, "x y", 3),
    refused("late_line_feed", b"\xef\xbb\xbfa,class\r" + b"1,x\r2,y\r" * 9000 + b"3,x\n4,y\r",
            (18002, 4), "0x0a"),
    read("colon_without_index.txt", b"p :1\nq :2\np :1\np :2\n", 4, 1, ":1 :2", 4),
    read("only", b"a,b,c,class\n1,2,3,x\n4,5,6,y\n", 2, 2, "x y", 14, "--only a,c"),
], ".csv", "--format csv")
