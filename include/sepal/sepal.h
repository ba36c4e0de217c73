/* sepal.h - linear classification, done completely: the whole public interface of libsepal. Conventions:
   - What can fail returns a sepal_status; its result goes to the first parameter, `out`, which is NULL (or untouched,
     for plain numbers) on failure. The message waits in the context.
   - A pointer-to-pointer result belongs to the caller, who gives it back to the matching _free. Every other returned
     pointer belongs to the object it was asked from.
   - Every _free accepts NULL. Any other pointer may be NULL only where that is said; else the call fails with
     SEPAL_EUSAGE, or gives 0, NaN, "" or NULL if it has no status to give.
   - A struct that the caller makes begins with `size`, to be set to its sizeof: later versions add fields at its end. 0,
     or less than this version's first fields, is SEPAL_EUSAGE. Those that functions return never grow.
   - A context serves one thread; data, models and reports never change and may be read from many threads.
   - Texts are UTF-8, ending with a zero byte. It never prints, exits, aborts or touches the locale. */
#ifndef SEPAL_SEPAL_H
#define SEPAL_SEPAL_H
#include <stddef.h>
#include <stdint.h>
#if defined(__GNUC__)
#define SEPAL_API __attribute__((visibility("default")))
#else
#define SEPAL_API
#endif
/* The version, for #if one number: 100 is 0.1.0, 10203 is 1.2.3. */
#define SEPAL_VERSION_MAJOR 0
#define SEPAL_VERSION_MINOR 1
#define SEPAL_VERSION_PATCH 0
#define SEPAL_VERSION_NUMBER                                                                       \
    (SEPAL_VERSION_MAJOR * 10000 + SEPAL_VERSION_MINOR * 100 + SEPAL_VERSION_PATCH)
#define SEPAL_VERSION "0.1.0"
#ifdef __cplusplus
extern "C" {
#endif
/* ---- What happened ------------------------------------------------------------------------ */
/* Named by whose fault it is, because that is what a caller acts on. */
typedef enum {
    SEPAL_OK = 0,
    SEPAL_EINTERNAL = -1, /* a fault of the library itself */
    SEPAL_EUSAGE = -2,    /* unknown or impossible spec, parameter, option or argument */
    SEPAL_EDATA = -3,     /* data missing, unreadable, malformed or unfit */
    SEPAL_EMODEL = -4,    /* model missing, unreadable, damaged or unfit */
    SEPAL_EMEMORY = -5,   /* not enough memory */
    SEPAL_EOUTPUT = -6,   /* output not writable */
    SEPAL_ECANCEL = -7    /* the progress callback asked to stop before there was a result */
} sepal_status;

typedef struct sepal_ctx sepal_ctx;       /* errors, warnings, threads, seed, callbacks */
typedef struct sepal_data sepal_data;     /* rows with labels and weights */
typedef struct sepal_model sepal_model;   /* a fitted pipeline */
typedef struct sepal_report sepal_report; /* a tree of named facts */
typedef struct sepal_staged sepal_staged; /* a file that waits to be put in place */
/* Where the last failure is: `file` is "" when it has no place, numbers count from 1, 0 = none. */
typedef struct {
    const char *file;
    size_t line, column;
} sepal_place;
typedef struct {
    const char *code;    /* a short stable word, e.g. "not-separable" */
    const char *message; /* one sentence */
} sepal_warning;
/* Called now and then, by the caller's thread, with a line or "". Nonzero: stop, a fit with its best model, else SEPAL_ECANCEL. */
typedef int (*sepal_progress_fn)(const char *line, void *payload);
/* Called with one JSON object (no newline) per step of an iterative method; nonzero: it failed. */
typedef int (*sepal_trace_fn)(const char *json, void *payload);
SEPAL_API sepal_status sepal_ctx_new(sepal_ctx **out);
SEPAL_API void sepal_ctx_free(sepal_ctx *ctx);
/* The last failure in one line, "file:line:column: what" where it has a place; "" after success; its two parts. */
SEPAL_API const char *sepal_ctx_error(const sepal_ctx *ctx);
SEPAL_API const char *sepal_ctx_error_message(const sepal_ctx *ctx);
SEPAL_API sepal_place sepal_ctx_error_place(const sepal_ctx *ctx);
SEPAL_API size_t sepal_ctx_warning_count(const sepal_ctx *ctx);
SEPAL_API sepal_warning sepal_ctx_warning(const sepal_ctx *ctx, size_t i);
SEPAL_API void sepal_ctx_clear_warnings(sepal_ctx *ctx);
SEPAL_API void sepal_ctx_set_seed(sepal_ctx *ctx, uint64_t seed);       /* default 1 */
SEPAL_API void sepal_ctx_set_threads(sepal_ctx *ctx, unsigned threads); /* 0: all cores, default */
SEPAL_API unsigned sepal_ctx_threads(const sepal_ctx *ctx);
/* What stands before the name of an option in messages, "option " by default; it is not copied. */
SEPAL_API void sepal_ctx_set_option_prefix(sepal_ctx *ctx, const char *prefix);
SEPAL_API void sepal_ctx_set_progress(sepal_ctx *ctx, sepal_progress_fn fn, void *payload);
SEPAL_API void sepal_ctx_set_trace(sepal_ctx *ctx, sepal_trace_fn fn, void *payload);
SEPAL_API const char *sepal_version(void); /* of the library in use: SEPAL_VERSION of its header */
SEPAL_API const char *sepal_ctx_kernels(const sepal_ctx *ctx); /* "avx512", "avx2", "reference" */
SEPAL_API const char *sepal_ctx_blas(const sepal_ctx *ctx);    /* "OpenBLAS 0.3.21", "built-in" */
SEPAL_API int sepal_ctx_blas_is_slow(const sepal_ctx *ctx);    /* 1: the reference BLAS is in use */

/* ---- Data --------------------------------------------------------------------------------- */
/* Read rows to learn from. `path` "-" is standard input; gz, xz, zst and bz2 are unpacked. `options` is NULL or
   "name=value, name=value" with rows of SEPAL_READ_OPTION ("target=y, header=no"). A large npy file of doubles is
   mapped: it must not be cut short in place before sepal_data_free, or the process gets SIGBUS. */
SEPAL_API sepal_status sepal_data_read(sepal_data **out, sepal_ctx *ctx, const char *path,
                                       const char *options);
/* Read rows for a model, whose columns are matched. With `with_labels` 0 labels are ignored, with 1 they must be there. */
SEPAL_API sepal_status sepal_data_read_for(sepal_data **out, sepal_ctx *ctx,
                                           const sepal_model *model, const char *path,
                                           const char *options, int with_labels);
/* Rows in the caller's memory. What is 0 or NULL is not given. Exactly one of the two layouts:
   - dense: `values`, cell (i, j) at i * row_stride + j * column_stride, in elements; both 0 mean row after row
     (columns, 1). No two cells may be in one place.
   - sparse (CSR): `row_start`, rows + 1 numbers that do not fall, `index`, columns from 0 on that rise within a row,
     and `values` (NULL: all 1); `index` and `values` have `entries` elements.
   Labels are texts or numbers, one a row; with neither, the rows are for predictions. Rows of weight 0 are left out.
   With `borrow` the caller keeps `values` and `index` as they are until sepal_data_free. Lent then, block by block of
   up to 512 rows, and never copied: dense rows one after the other in F32, or in F64 where floats do not hold a number
   of the block; sparse indices in I32, and values likewise. Doubles that floats hold are copied as floats, and so is
   what has -0 or, sparse, a stored 0: the model's bytes are the same. All else is copied, all if a row has weight 0. */
typedef enum { SEPAL_F64, SEPAL_F32, SEPAL_I32, SEPAL_I64 } sepal_type;
/* What becomes of dense cells that are NaN; DROP leaves out rows that have labels, to learn from. A model
   keeps its rule for all rows that it is given: in their input any but REFUSE lets NaN in. */
typedef enum { SEPAL_REFUSE, SEPAL_MEAN, SEPAL_INDICATOR, SEPAL_DROP } sepal_missing;
typedef struct {
    size_t size, rows, columns;
    const void *values;
    sepal_type value_type; /* SEPAL_F64, SEPAL_F32 */
    size_t row_stride, column_stride;
    const void *row_start, *index;
    sepal_type row_start_type, index_type; /* SEPAL_I32, SEPAL_I64 */
    size_t entries;
    const char *const *labels;
    const int64_t *label_numbers; /* sorted by value, printed as decimals */
    const double *weights;
    const char *const *column_names; /* NULL: x1, x2, ...; of sparse rows 1, 2, ... */
    int borrow;
    sepal_missing missing;
    /* Of every column how many categories it has, 0: it holds numbers. Cells are codes from 0 on; the
       names (NULL: the codes) are what data and models are matched by. Dense rows only, copied. */
    const size_t *categories;
    const char *const *const *category_names;
    /* Instead of labels, sets of them: rows x label_count bytes, 0 where a row does not have the label. Their
       names (NULL: 1, 2, ...) are all labels of the data, whether a row has them or not. */
    size_t label_count;
    const unsigned char *label_bits;
    const char *const *label_names;
} sepal_input;
SEPAL_API sepal_status sepal_data_from(sepal_data **out, sepal_ctx *ctx, const sepal_input *input);
/* The commonest of them, copied: a row-major array of doubles. */
SEPAL_API sepal_status sepal_data_dense(sepal_data **out, sepal_ctx *ctx, const double *x,
                                        size_t rows, size_t columns, const char *const *labels,
                                        const double *weights);
/* Cut a fraction (0 < fraction < 1) of the rows off, class by class, by the context's seed. */
SEPAL_API sepal_status sepal_data_split(sepal_data **rest, sepal_data **part, sepal_ctx *ctx,
                                        const sepal_data *data, double fraction);
/* Write in one of the formats of SEPAL_FORMAT ("csv", "npy"); NULL: by the path's extension. Files are replaced
   whole; npy and idx have a second one for labels. What a format has no place for is left out with a warning. */
SEPAL_API sepal_status sepal_data_write(sepal_ctx *ctx, const sepal_data *data, const char *path,
                                        const char *format);
/* The name of that second file, NULL: none; free it with sepal_text_free. */
SEPAL_API sepal_status sepal_data_labels_path(char **out, sepal_ctx *ctx, const sepal_data *data,
                                              const char *path, const char *format);
/* The file of labels beside `path` that reading it finds by itself, NULL: none; free it likewise. */
SEPAL_API sepal_status sepal_data_sibling(char **out, sepal_ctx *ctx, const char *path);
SEPAL_API sepal_status sepal_data_describe(sepal_report **out, sepal_ctx *ctx,
                                           const sepal_data *data);
/* A first look at a file, which nothing in a cell stops: what is odd is counted, lines that have no cells left out. */
SEPAL_API sepal_status sepal_file_describe(sepal_report **out, sepal_ctx *ctx, const char *path,
                                           const char *options);
/* What may harm a fit of `spec` (NULL: any) to these rows, or to a file, which nothing in a cell stops: "doctor", a
   list of code, columns, message and advice. */
SEPAL_API sepal_status sepal_data_doctor(sepal_report **out, sepal_ctx *ctx, const sepal_data *data,
                                         const char *spec);
SEPAL_API sepal_status sepal_file_doctor(sepal_report **out, sepal_ctx *ctx, const char *path,
                                         const char *options, const char *spec);
/* Cut a file in two of its format, each row's bytes as they are; `options` of reading, `how` "test=0.25",
   "ordered" (the last rows are the test) or "group=COLUMN" (rows of one value stay together), by the context's seed. */
SEPAL_API sepal_status sepal_file_split(sepal_report **out, sepal_ctx *ctx, const char *path,
                                        const char *options, const char *how, const char *train,
                                        const char *test);
SEPAL_API size_t sepal_data_rows(const sepal_data *data);
SEPAL_API size_t sepal_data_columns(const sepal_data *data); /* features */
/* The numbers of a row, sepal_data_columns(data) of them, NaN where a value is missing, the number of the category
   where the column is text; its label, or NULL; what a column is called, to be freed with sepal_text_free. */
SEPAL_API void sepal_data_row(double *out, const sepal_data *data, size_t row);
SEPAL_API const char *sepal_data_label(const sepal_data *data, size_t row);
/* Where rows have sets of labels: how many a row has, and its label j; else its one label. */
SEPAL_API size_t sepal_data_label_count(const sepal_data *data, size_t row);
SEPAL_API const char *sepal_data_label_at(const sepal_data *data, size_t row, size_t j);
SEPAL_API sepal_status sepal_data_column_name(char **out, sepal_ctx *ctx, const sepal_data *data,
                                              size_t j);
/* Text carried along by the reading option keep=...: its header (or ""), and the row's cells as CSV. */
SEPAL_API const char *sepal_data_kept_header(const sepal_data *data);
SEPAL_API const char *sepal_data_kept_row(const sepal_data *data, size_t row);
SEPAL_API void sepal_data_free(sepal_data *data);

/* ---- Learning and predicting -------------------------------------------------------------- */
/* Fit the pipeline that `spec` names ("perceptron(variant=averaged)"). `options` are rows of SEPAL_FIT_OPTION ("tol=1e-8")
   and, for the model to keep as its rule of decision, decide, cutoff and ambiguous of SEPAL_PREDICT_OPTION ("cutoff=0.2").
   Not converging is a fact in the report and a warning. When the progress callback asks to stop, the best model so far
   is returned, "interrupted" in the report (which may be NULL), but SEPAL_ECANCEL while a class has no weights yet. */
SEPAL_API sepal_status sepal_model_fit(sepal_model **out, sepal_report **report, sepal_ctx *ctx,
                                       const char *spec, const sepal_data *train,
                                       const char *options);
/* The same from the weights of a model of the same columns, classes and maps, if the learner can. */
SEPAL_API sepal_status sepal_model_fit_from(sepal_model **out, sepal_report **report,
                                            sepal_ctx *ctx, const char *spec,
                                            const sepal_data *train, const char *options,
                                            const sepal_model *start);
/* Whether sepal_model_fit would understand them: to be asked before a long read. */
SEPAL_API sepal_status sepal_model_fit_check(sepal_ctx *ctx, const char *spec, const char *options);
/* Judge or choose by rows held out: `task` is a row of SEPAL_SELECTION ("cv", "path"), `options` are its parameters
   ("folds=5"), `fit_options` those of sepal_model_fit for every spec. A task that chooses fits its choice to all rows;
   sepal_model_fit makes the same model of the report's "spec". `data` NULL: only whether all would be understood, to be
   asked before a long read. Asked to stop it is SEPAL_ECANCEL. `model` and `report` may be NULL. */
SEPAL_API sepal_status sepal_select(sepal_model **model, sepal_report **report, sepal_ctx *ctx,
                                    const char *task, const char *const *specs, size_t n_specs,
                                    const sepal_data *data, const char *options,
                                    const char *fit_options);
/* Whether the labels look like classes: SEPAL_EDATA if each row is its own; a warning if like a regression's. */
SEPAL_API sepal_status sepal_data_check_target(sepal_ctx *ctx, const sepal_data *train);
SEPAL_API void sepal_model_free(sepal_model *model);
SEPAL_API sepal_status sepal_model_save(sepal_ctx *ctx, const sepal_model *model, const char *path);
/* The same in two steps: write it beside its place, then put it there. Freeing what was not committed removes it. */
SEPAL_API sepal_status sepal_model_stage(sepal_staged **out, sepal_ctx *ctx,
                                         const sepal_model *model, const char *path);
SEPAL_API sepal_status sepal_staged_commit(sepal_ctx *ctx, sepal_staged *staged);
SEPAL_API void sepal_staged_free(sepal_staged *staged);
SEPAL_API sepal_status sepal_model_load(sepal_model **out, sepal_ctx *ctx, const char *path);
/* The bytes of such a file, to be freed with sepal_bytes_free, and a model from them. */
SEPAL_API sepal_status sepal_model_to_memory(void **out, size_t *n, sepal_ctx *ctx,
                                             const sepal_model *model);
SEPAL_API sepal_status sepal_model_from_memory(sepal_model **out, sepal_ctx *ctx, const void *bytes,
                                               size_t n);
SEPAL_API void sepal_bytes_free(void *bytes);
SEPAL_API sepal_status sepal_model_inspect(sepal_report **out, sepal_ctx *ctx,
                                           const sepal_model *model);
/* The same, and under "summary" the table of coefficients, or why it has no standard errors; its text. */
SEPAL_API sepal_status sepal_model_summary(sepal_report **out, sepal_ctx *ctx,
                                           const sepal_model *model);
SEPAL_API const char *sepal_model_spec(const sepal_model *model); /* canonical */
SEPAL_API const char *sepal_model_learner(const sepal_model *model);
SEPAL_API const char *sepal_model_missing(const sepal_model *model); /* "refuse", "mean", ... */
SEPAL_API size_t sepal_model_classes(const sepal_model *model);
SEPAL_API const char *sepal_model_class(const sepal_model *model, size_t k); /* NULL past the end */
/* 1: a row gets any number of the classes, which are labels then (multilabel); 0: one of them. */
SEPAL_API int sepal_model_label_sets(const sepal_model *model);
/* What it was trained on; a name is to be freed with sepal_text_free. */
SEPAL_API size_t sepal_model_features(const sepal_model *model);
SEPAL_API sepal_status sepal_model_feature_name(char **out, sepal_ctx *ctx,
                                                const sepal_model *model, size_t j);
/* Categories of feature j, 0 of one that holds numbers, and their names: code k of a row is name k. */
SEPAL_API size_t sepal_model_categories(const sepal_model *model, size_t j);
SEPAL_API const char *sepal_model_category(const sepal_model *model, size_t j, size_t k);
/* The score functions s_r = bias_r + sum over the columns j of weights_rj (phi_j - centre_j), with phi the features
   after the maps. The arrays belong to the model; a centre of NULL is 0. Weights of curved surfaces are slopes there. */
SEPAL_API size_t sepal_model_functions(const sepal_model *model); /* 1 for two classes */
SEPAL_API size_t sepal_model_columns(const sepal_model *model);
SEPAL_API const double *sepal_model_weights(const sepal_model *model); /* functions x columns */
SEPAL_API const double *sepal_model_bias(const sepal_model *model);
SEPAL_API const double *sepal_model_centre(const sepal_model *model);
/* The same as weights x + bias: the centre, and standardize and minmax at the end of the maps, are folded in. */
SEPAL_API sepal_status sepal_model_coefficients(double *weights, double *bias, sepal_ctx *ctx,
                                                const sepal_model *model);

/* Numbers that a model has for a row; sepal_model_outputs says how many, 0: none of this kind. */
typedef enum {
    SEPAL_SCORES,        /* 1 for two classes, else one a class; the strategy ovo has votes */
    SEPAL_PROBABILITIES, /* one a class, of label sets each by itself; methods that only score have none */
    SEPAL_DISTANCES,   /* signed, as many as scores; NaN where all weights are 0 */
    SEPAL_LIKELIHOODS, /* ln p(x | class), of models that keep a density */
    SEPAL_PROJECTIONS, /* on the axes of a discriminant, or else the mapped features */
    SEPAL_CONTRIBUTIONS /* of every score function its score, and what adds up to it: docs/explain.md */
} sepal_output;
SEPAL_API size_t sepal_model_outputs(const sepal_model *model, sepal_output what);
/* What number j is called ("setosa", "score", "axis1", "x1^2"); free it with sepal_text_free. */
SEPAL_API sepal_status sepal_model_output_name(char **out, sepal_ctx *ctx, const sepal_model *model,
                                               sepal_output what, size_t j);
/* The class number of every row, sepal_data_rows(data) of them, -1 where it is not decided (a missing value under
   missing=drop). SEPAL_EUSAGE of a model of label sets, which sepal_model_predict_rows knows. */
SEPAL_API sepal_status sepal_model_predict(int32_t *out, sepal_ctx *ctx, const sepal_model *model,
                                           const sepal_data *data);
/* rows x sepal_model_outputs(model, SEPAL_SCORES) numbers, row-major. */
SEPAL_API sepal_status sepal_model_scores(double *out, sepal_ctx *ctx, const sepal_model *model,
                                          const sepal_data *data);
/* One row, its class and its scores (either may be NULL), without a context and safe from any number of threads. `x`
   has sepal_model_features(model) numbers, NaN where one is missing, codes of the model's categories (-1: of none).
   Nothing is allocated for linear scores of up to 256 functions without maps, or with standardize and minmax alone on
   up to 2048 columns. Class and scores are the bits that whole data has; of sparse rows scores are near them.
   SEPAL_EDATA: other columns, or a number that is not finite; SEPAL_EMODEL: the model draws its classes (decide=soft),
   or gives label sets, of which the scores alone can be asked for. */
SEPAL_API sepal_status sepal_model_predict_row(int32_t *out, double *scores,
                                               const sepal_model *model, const double *x, size_t n);
/* The same for a row that is 0 but for `n` entries; their columns count from 0 and rise. */
SEPAL_API sepal_status sepal_model_predict_entries(int32_t *out, double *scores,
                                                   const sepal_model *model, const int32_t *index,
                                                   const double *values, size_t n);
/* 1: the projections are something else than the features as they were read. */
SEPAL_API int sepal_model_transforms(const sepal_model *model);
/* Both for rows [first, first + n), decided by `options`: rows of SEPAL_PREDICT_OPTION
   ("decide=reject, cutoff=0.9"); what they leave open is as the model was trained to decide. Arrays that are NULL are not filled; counts are added to. */
typedef struct {
    size_t size;
    int32_t *classes; /* n, -1 where not decided */
    double *numbers;  /* n x sepal_model_outputs(model, what) */
    sepal_output what;
    size_t several, none, tied; /* rows that several classes of a strategy claim, none, or a tie */
    int open;                   /* set: 1 if such rows stay undecided by the rule in force */
    /* of label sets, instead of classes: n x sepal_model_classes(model), 1, 0, or -1 where not decided */
    signed char *labels;
} sepal_predictions;
SEPAL_API sepal_status sepal_model_predict_rows(sepal_predictions *out, sepal_ctx *ctx,
                                                const sepal_model *model, const sepal_data *data,
                                                size_t first, size_t n, const char *options);
/* Whether sepal_model_predict_rows could do it (what NULL: no numbers): to be asked before a long read. */
SEPAL_API sepal_status sepal_model_predict_check(sepal_ctx *ctx, const sepal_model *model,
                                                 const sepal_output *what, const char *options);
/* `options`: rows of SEPAL_PREDICT_OPTION and SEPAL_EVALUATE_OPTION ("positive=spam, curves"). */
SEPAL_API sepal_status sepal_model_evaluate(sepal_report **out, sepal_ctx *ctx,
                                            const sepal_model *model, const sepal_data *data,
                                            const char *options);
/* Draw n labelled rows from a model with densities, by the seed. `options`: SEPAL_SAMPLE_OPTION ("class=spam"). */
SEPAL_API sepal_status sepal_model_sample(sepal_data **out, sepal_ctx *ctx,
                                          const sepal_model *model, size_t n, const char *options);

/* ---- Separability ------------------------------------------------------------------------- */
/* Whether the classes are linearly separable after `maps` (a spec without learner; NULL: none), with a proof either
   way. `options`: NULL or "max-seconds=N". What is not decided when that is over, or the progress callback asks to
   stop, is null. `certificate` (may be NULL) takes the proofs as JSON, to be freed with sepal_text_free. */
SEPAL_API sepal_status sepal_data_separable(sepal_report **out, char **certificate, sepal_ctx *ctx,
                                            const sepal_data *data, const char *maps,
                                            const char *options);
/* Whether such proofs, in a file, hold, judged by none of the code that finds them; else SEPAL_EDATA. */
SEPAL_API sepal_status sepal_data_separable_check(sepal_ctx *ctx, const sepal_data *data,
                                                  const char *maps, const char *path);

/* ---- Reports ------------------------------------------------------------------------------ */
/* The number at a dotted path ("train.accuracy", "path.0.gap"; true is 1); NaN when it is absent or null. */
SEPAL_API double sepal_report_number(const sepal_report *report, const char *path);
/* The text there, or NULL. */
SEPAL_API const char *sepal_report_string(const sepal_report *report, const char *path);
/* Put a copy of `part` into `report` under `key`. */
SEPAL_API sepal_status sepal_report_attach(sepal_report *report, sepal_ctx *ctx, const char *key,
                                           const sepal_report *part);
/* One JSON object: schema, command, the report, the context's warnings; and a page for people. */
SEPAL_API sepal_status sepal_report_json(char **out, sepal_ctx *ctx, const sepal_report *report,
                                         const char *command);
SEPAL_API sepal_status sepal_report_text(char **out, sepal_ctx *ctx, const sepal_report *report);
/* How many weights of a score function the text of a model shows, 12 by default; 0: all (of a path, all values). */
SEPAL_API void sepal_report_set_top(sepal_report *report, size_t top);
/* The context's last error as JSON. */
SEPAL_API sepal_status sepal_ctx_error_json(char **out, sepal_ctx *ctx, const char *command,
                                            int exit_code);
/* A report out of the JSON that sepal_report_json printed, or a trace, an object a line: for pictures. */
SEPAL_API sepal_status sepal_report_read(sepal_report **out, sepal_ctx *ctx, const char *path);
SEPAL_API void sepal_text_free(char *text);
SEPAL_API void sepal_report_free(sepal_report *report);
/* The shortest decimal text that reads back as `value`; returns its length. */
enum { SEPAL_NUMBER_BYTES = 32 };
SEPAL_API size_t sepal_number_print(char out[SEPAL_NUMBER_BYTES], double value);
/* A picture, a row of SEPAL_PLOT, as the bytes of a file, to be freed with sepal_bytes_free. What its row does not
   need may be NULL. `options`: rows of SEPAL_PLOT_OPTION and the kind's own ("to=png, theme=dark"). */
SEPAL_API sepal_status sepal_plot(void **out, size_t *n, sepal_ctx *ctx, const char *kind,
                                  const sepal_model *model, const sepal_data *data,
                                  const sepal_report *report, const char *options);
/* A page of HTML that loads nothing: all of a judgement of `data`, made with `options`; `fit` is the report of the
   training, or NULL; `command` makes the page again, or NULL. To be freed with sepal_text_free. */
SEPAL_API sepal_status sepal_page(char **out, sepal_ctx *ctx, const sepal_model *model,
                                  const sepal_data *data, const sepal_report *judgement,
                                  const sepal_report *fit, const char *options,
                                  const char *command);
/* ---- The tables: help, documentation, bindings and tests are made from these --------------- */
typedef enum {
    SEPAL_LEARNER,
    SEPAL_MAP,
    SEPAL_STRATEGY, /* for more than two classes */
    SEPAL_SOLVER,   /* those that some learner can be told to use */
    SEPAL_FORMAT,
    SEPAL_METRIC,
    SEPAL_READ_OPTION, /* one "method" whose params are the reading options */
    SEPAL_FIT_OPTION,  /* likewise */
    SEPAL_PREDICT_OPTION,
    SEPAL_SAMPLE_OPTION,
    SEPAL_EVALUATE_OPTION,
    SEPAL_SELECTION, /* tasks of sepal_select, with their options */
    SEPAL_PLOT,
    SEPAL_PLOT_OPTION
} sepal_kind;
typedef struct {
    size_t size;
    const char *name;
    const char *fallback; /* NULL: none */
    const char *range;    /* "" for anything */
    const char *help;
    int file, many; /* 1: it names a file that is read; it may be given again ("a; b") */
} sepal_param;
typedef struct {
    size_t size;
    const char *name, *summary;
    const char *activation; /* learners: "identity", "sign", ...; else NULL */
    size_t n_params;
    int files; /* formats: how many data is written to, 2: rows and labels; 0: it is only read */
    int needs; /* pictures: the sum of 1 a model, 2 data, 4 a report of sepal_model_evaluate, 8 another report */
} sepal_method;
SEPAL_API size_t sepal_method_count(sepal_kind kind);
/* The row; SEPAL_EUSAGE past the end, or if out->size is not set. */
SEPAL_API sepal_status sepal_method_at(sepal_kind kind, size_t i, sepal_method *out);
SEPAL_API sepal_status sepal_param_at(sepal_kind kind, size_t i, size_t param, sepal_param *out);
/* 1 if row `learner` of SEPAL_LEARNER can be told to use that solver. */
SEPAL_API int sepal_learner_has_solver(size_t learner, const char *solver);
/* What a word of another program is here, or NULL: "logreg" is "logistic"; of `names`, "l1_ratio" is "ratio". */
SEPAL_API const char *sepal_method_synonym(const char *word);
SEPAL_API const char *sepal_param_synonym(const char *word, const char *const *names, size_t n);
#ifdef __cplusplus
}
#endif
#endif
