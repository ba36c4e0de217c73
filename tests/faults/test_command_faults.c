/* Whole commands, with the first, second, ... allocation or system call failing, once and from then
   on. Whatever happens: no signal, the exit code that fits, a line that says why, the right bytes or
   none, no temporary file, no file left open, the inputs as they were; and the sanitizers find no
   leak. Each loop runs in a child, so that a crash in one does not hide the others. */
#include "faults/rigged_calls.h"

#include "cli.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* ---- the commands ------------------------------------------------------------------------- */

enum { MOST_WORDS = 16 };
struct run {
    const char *words[MOST_WORDS];
    const char *output; /* NULL: none but standard output */
    const char *old;    /* what the output holds before; NULL: it is not there */
    const char *beside; /* a second output that comes and stays away with the first */
};
static const struct run runs[] = {
    {.words = {"train", "data.csv", "-m", "least-squares", "-o", "out.sepal"},
     .output = "out.sepal",
     .old = "old"},
    {.words = {"train", "data.csv", "-m", "perceptron", "--eta", "0.5", "--holdout", "0.3",
               "--json", "-o", "out.sepal"},
     .output = "out.sepal"},
    {.words = {"train", "data.svm", "-m", "perceptron", "--test", "test.svm", "--positive", "2",
               "--json"}},
    {.words = {"train", "-", "-m", "perceptron(variant=averaged)", "-q", "-o", "out.sepal"},
     .output = "out.sepal",
     .old = "old"},
    {.words = {"train", "data.csv", "-m", "perceptron", "--trace", "out.trace", "-v", "--quiet"},
     .output = "out.trace",
     .old = "old"},
    {.words = {"train", "data.csv", "-m", "least-squares", "--threads", "2", "-o", "out.sepal"},
     .output = "out.sepal",
     .old = "old"},
    {.words = {"predict", "model.sepal", "data.csv"}},
    {.words = {"predict", "model.sepal", "data.csv", "--scores", "--keep", "b", "-o", "out.csv"},
     .output = "out.csv",
     .old = "old"},
    {.words = {"predict", "model.sepal", "data.csv", "--json", "--scores"}},
    {.words = {"predict", "model.sepal", "data.csv", "--distance", "--ambiguous", "undecided"}},
    {.words = {"transform", "model.sepal", "data.csv", "--keep", "b"}},
    {.words = {"transform", "model.sepal", "data.csv", "--json"}},
    {.words = {"explain", "model.sepal", "data.csv"}},
    {.words = {"explain", "model.sepal", "data.csv", "--json", "--top", "1"}},
    {.words = {"explain", "model.sepal", "data.csv", "--csv", "--top", "1", "-o", "out.csv"},
     .output = "out.csv",
     .old = "old"},
    {.words = {"report", "model.sepal", "data.csv", "-o", "out.html"},
     .output = "out.html",
     .old = "old"},
    {.words = {"sample", "bits.sepal", "-n", "5"}},
    {.words = {"sample", "bits.sepal", "-n", "5", "--class", "x", "-o", "out.csv", "--json"},
     .output = "out.csv",
     .old = "old"},
    {.words = {"sample", "bits.sepal", "-n", "5", "--json"}},
    {.words = {"evaluate", "model.sepal", "data.csv", "--json"}},
    {.words = {"evaluate", "model.sepal", "-"}},
    {.words = {"describe", "data.csv"}},
    {.words = {"describe", "data.mixed"}}, /* read twice */
    {.words = {"describe", "data.svm", "--json"}},
    {.words = {"separable", "data.csv", "--certificate", "out.json"},
     .output = "out.json",
     .old = "old"},
    {.words = {"separable", "data.svm", "--json", "-m", "standardize"}},
    {.words = {"inspect", "model.sepal", "--json"}},
    {.words = {"inspect", "model.sepal"}},
    {.words = {"plot", "coefficients", "model.sepal", "-o", "out.svg"},
     .output = "out.svg",
     .old = "old"},
    {.words = {"plot", "losses", "--term"}},
    {.words = {"plot", "confusion", "model.sepal", "data.csv", "-o", "out.svg", "--json"},
     .output = "out.svg"},
    {.words = {"convert", "data.csv", "-o", "out.libsvm"}, .output = "out.libsvm", .old = "old"},
    {.words = {"convert", "data.csv", "-o", "out.tsv"}, .output = "out.tsv"},
    {.words = {"convert", "data.svm", "-o", "out.csv", "--json"},
     .output = "out.csv",
     .old = "old"},
    {.words = {"convert", "data.csv", "-o", "-", "--to", "csv"}},
    {.words = {"convert", "data.csv", "-o", "out.arff"}, .output = "out.arff"},
    {.words = {"convert", "data.svm", "-o", "out.npy"},
     .output = "out.npy",
     .beside = "out.labels.npy"},
    {.words = {"convert", "data.svm", "-o", "out.idx", "-q"},
     .output = "out.idx",
     .beside = "out.labels.idx"},
    {.words = {"describe", "data.arff"}},
    {.words = {"doctor", "data.csv", "-m", "logistic"}},
    {.words = {"doctor", "data.svm", "--json"}},
    {.words = {"describe", "data.npy", "--labels", "data.labels.npy", "--weights", "data.weights"}},
    {.words = {"describe", "data.idx", "-q"}},
    {.words = {"describe", "data.bad", "--bad-lines", "skip"}},
    {.words = {"describe", "data.packed"}},
    {.words = {"list", "learners"}},
    {.words = {"list", "--json"}},
    {.words = {"help", "train"}},
    {.words = {"--version"}},
    {.words = {"train", "data.csv"}},
    {.words = {"train", "data.csv", "-m", "perceptron", "--no-such-option"}},
    {.words = {"train", "data.bad", "-m", "perceptron", "--json"}},
};
enum { RUNS = sizeof runs / sizeof *runs };

static const char table[] = "a,b,c,class\n1,red,2.5,x\n2,blue,-1,y\n3,red,0,x\n4,green,1e-3,z\n"
                            "5,blue,7,y\n6,green,2,z\n7,red,1,x\n8,blue,0.25,y\n9,green,3,z\n";
static const char rows[] = "1 1:0.5 3:2\n2 2:1 3:-1\n1 1:1 2:0.25\n2 3:4\n1 1:2\n2 2:3 3:1\n";

/* "a,y\n1,p\n2,q\n3,p\n" through gzip. */
static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                       0xff, 0x4b, 0xd4, 0xa9, 0xe4, 0x32, 0xd4, 0x29, 0xe0,
                                       0x32, 0xd2, 0x29, 0xe4, 0x32, 0x06, 0xd2, 0x00, 0x69,
                                       0x3b, 0xb1, 0xf1, 0x10, 0x00, 0x00, 0x00};

/* ---- the faults --------------------------------------------------------------------------- */

enum { ANY_FILE_CALL = (CALL_MAKE << 1) - 1 - CALL_ALLOC };
struct manner {
    const char *name;
    struct rig rig;
};
static const struct manner manners[] = {
    {"memory", {.calls = CALL_ALLOC}},
    {"EIO", {.calls = ANY_FILE_CALL, .error = EIO}},
    {"ENOSPC",
     {.calls = CALL_OPEN | CALL_MAKE | CALL_WRITE | CALL_CLOSE | CALL_SYNC | CALL_RENAME,
      .error = ENOSPC}},
    {"EPIPE", {.calls = CALL_WRITE, .error = EPIPE}},
    {"EINTR",
     {.calls = CALL_OPEN | CALL_READ | CALL_WRITE | CALL_CLOSE | CALL_SYNC | CALL_RENAME,
      .error = EINTR}},
    {"EMFILE", {.calls = CALL_OPEN | CALL_MAKE, .error = EMFILE}},
    {"EACCES", {.calls = CALL_OPEN | CALL_MAKE | CALL_RENAME, .error = EACCES}},
    {"short", {.calls = CALL_READ | CALL_WRITE, .short_count = true}},
    {"EDQUOT", {.calls = CALL_CLOSE | CALL_SYNC, .error = EDQUOT}},
};
enum { MANNERS = sizeof manners / sizeof *manners };

/* ---- one run ------------------------------------------------------------------------------ */

enum { MOST_BYTES = 1 << 16 };
struct bytes {
    size_t size;
    char at[MOST_BYTES];
};
struct outcome {
    int code;
    bool written, written_beside; /* there are such files */
    struct bytes stdout_, stderr_, output, beside;
};

/* What the child tells its parent, in memory that both see. */
struct tale {
    size_t points, failures, k;
    bool done;
};
static struct tale *tale;
static int report_fd; /* the test's own standard output */

static void load_file(struct bytes *out, int fd) {
    ssize_t n = pread(fd, out->at, sizeof out->at - 1, 0);
    out->size = n > 0 ? (size_t)n : 0;
    out->at[out->size] = '\0';
}

static bool load_path(struct bytes *out, const char *path) {
    int fd = open(path, O_RDONLY);
    *out = (struct bytes){0};
    if (fd < 0) return false;
    load_file(out, fd);
    close(fd);
    return true;
}

static void save_path(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) exit(99);
}

/* Times, and what depends on threads that may not be had. */
static void drop_volatile_lines(struct bytes *text) {
    static const char *const marks[] = {"\"load\":", "\"fit\":",    "\"total\":", "\"threads\":",
                                        "time ",     "peak_memory", "start\n",    "exit "};
    char *to = text->at;
    for (char *line = text->at, *end; *line; line = end) {
        end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        char after = *end;
        bool drop = false;
        *end = '\0';
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) drop |= !!strstr(line, marks[i]);
        *end = after;
        if (drop) continue;
        memmove(to, line, (size_t)(end - line));
        to += end - line;
    }
    *to = '\0';
    text->size = (size_t)(to - text->at);
}

static void prepare(const struct run *run, const struct outcome *last) {
    for (int fd = 1; fd <= 2; fd++) {
        if (ftruncate(fd, 0) != 0) exit(99);
        lseek(fd, 0, SEEK_SET);
    }
    lseek(0, 0, SEEK_SET);
    if (run->beside) unlink(run->beside);
    bool kept = run->old && last->written && strcmp(last->output.at, run->old) == 0;
    if (!run->output || kept) return;
    unlink(run->output);
    if (run->old) save_path(run->output, run->old);
}

static int words_of(char **words, const struct run *run) {
    int n = 1;
    for (size_t i = 0; i < MOST_WORDS && run->words[i]; i++)
        words[n++] = (char *)(uintptr_t)run->words[i];
    return n;
}

static void perform(struct outcome *out, const struct run *run) {
    char *words[MOST_WORDS + 4] = {(char *)(uintptr_t) "sepal"};
    int n = words_of(words, run);
    prepare(run, out);
    rig.armed = true;
    out->code = cli_run(n, words);
    rig.armed = false;
    load_file(&out->stdout_, 1);
    load_file(&out->stderr_, 2);
    drop_volatile_lines(&out->stdout_);
    drop_volatile_lines(&out->stderr_);
    out->written = run->output && load_path(&out->output, run->output);
    out->written_beside = run->beside && load_path(&out->beside, run->beside);
}

/* ---- what must hold ----------------------------------------------------------------------- */

static bool same(const struct bytes *a, const struct bytes *b) {
    return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

/* NULL, or what is wrong. */
static const char *check_lines(const struct outcome *got, int code) {
    if (atomic_load(&rig.stderr_hit)) return NULL;
    size_t lines = 0;
    for (const char *line = got->stderr_.at; *line; lines++) {
        if (!begins(line, "sepal: ")) return "a line does not begin with 'sepal: '";
        if (code == EXIT_CLOSED && !begins(line, "sepal: warning: ")) return "141 is not silent";
        line = strchr(line, '\n');
        if (!line) return "the last line has no end";
        line++;
    }
    return lines || code == EXIT_CLOSED ? NULL : "it fails without a word";
}

static bool in_place(const struct outcome *got) {
    return strstr(got->stderr_.at, "it is in place and whole") != NULL;
}

/* On failure: the old file, or the new one if it is said, or if what failed came after it. */
static const char *check_kept(const struct run *run, const struct outcome *got,
                              const struct outcome *wanted) {
    if (!run->output) return NULL;
    bool old = run->old ? got->written && strcmp(got->output.at, run->old) == 0 : !got->written;
    if (got->written_beside && (old || !same(&got->beside, &wanted->beside)))
        return "the file beside the output is alone, or not whole";
    if (old) return in_place(got) ? "it is said to be in place" : NULL;
    if (!got->written) return "the old output is gone";
    if (!same(&got->output, &wanted->output)) return "the output is neither old nor new";
    bool told = in_place(got) || atomic_load(&rig.stderr_hit);
    bool converted = strcmp(run->words[0], "convert") == 0 || /* facts are printed afterwards */
                     strcmp(run->words[0], "sample") == 0;
    bool traced = strstr(run->output, "trace") != NULL;
    return told || converted || traced ? NULL : "the output was replaced, and nobody says so";
}

static const char *check_success(const struct outcome *got, const struct outcome *wanted,
                                 bool memory) {
    if (!same(&got->stdout_, &wanted->stdout_)) return "other bytes on standard output";
    if (!same(&got->output, &wanted->output)) return "other bytes in the output";
    if (!same(&got->beside, &wanted->beside)) return "other bytes in the file beside it";
    /* a warning is dropped when there is no memory for it */
    if (!memory && !atomic_load(&rig.stderr_hit) && !same(&got->stderr_, &wanted->stderr_))
        return "other bytes on standard error";
    return NULL;
}

static const char *check_folder(const struct run *run) {
    static const char *const known[] = {
        "data.csv",  "data.svm",        "data.bad",     "data.npy",        "data.idx",
        "data.arff", "data.labels.npy", "data.weights", "data.labels.idx", "data.packed",
        "test.svm",  "model.sepal",     "bits.sepal",   "data.mixed"};
    const char *wrong = NULL;
    DIR *folder = opendir(".");
    if (!folder) return "no folder";
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        bool expected = entry->d_name[0] == '.' && strlen(entry->d_name) <= 2;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            expected |= strcmp(entry->d_name, known[i]) == 0;
        expected |= run->output && strcmp(entry->d_name, run->output) == 0;
        expected |= run->beside && strcmp(entry->d_name, run->beside) == 0;
        if (expected) continue;
        wrong = "a file was left behind";
        unlink(entry->d_name);
    }
    closedir(folder);
    return wrong;
}

static unsigned long open_files(void) {
    unsigned long open = 0;
    for (int fd = 0; fd < 64; fd++) open |= (unsigned long)(fcntl(fd, F_GETFD) >= 0) << fd;
    return open;
}

static const char *check(const struct run *run, const struct outcome *got,
                         const struct outcome *wanted) {
    int asked = atomic_load(&rig.code);
    bool memory = rig.calls == CALL_ALLOC, optional = atomic_load(&rig.optional);
    const char *wrong;
    if (wanted->code != 0 && got->code == wanted->code && asked != 0) {
        wrong = check_lines(got, got->code); /* the first failure is the one that counts */
    } else if (got->code == wanted->code && (asked == 0 || optional)) {
        wrong = check_success(got, wanted, memory);
    } else if (got->code != asked && !(optional && !memory && got->code == EXIT_DATA)) {
        wrong = "the wrong exit code";
    } else {
        wrong = check_lines(got, got->code);
        if (!wrong) wrong = check_kept(run, got, wanted);
    }
    const char *left = check_folder(run);
    return wrong ? wrong : left;
}

/* ---- the loops ---------------------------------------------------------------------------- */

static void complain_about(const struct run *run, const struct manner *manner, const char *what,
                           const struct outcome *got) {
    dprintf(report_fd, "%s %s %zu:", manner->name, rig.from_then_on ? "from" : "at", tale->k);
    for (size_t i = 0; i < MOST_WORDS && run->words[i]; i++)
        dprintf(report_fd, " %s", run->words[i]);
    dprintf(report_fd, ": %s", what);
    if (got)
        dprintf(report_fd, "; exit %d, asked for %d; %s", got->code, atomic_load(&rig.code),
                got->stderr_.size ? got->stderr_.at : "no message\n");
    else
        dprintf(report_fd, "\n");
}

static void become_command(void) {
    int input = open("data.csv", O_RDONLY), out = memfd_create("out", 0),
        err = memfd_create("err", 0);
    if (input < 0 || out < 0 || err < 0) exit(99);
    dup2(input, 0);
    dup2(out, 1);
    dup2(err, 2);
    close(input);
    close(out);
    close(err);
    role_of[0] = ROLE_DATA;
    role_of[1] = ROLE_STDOUT;
    role_of[2] = ROLE_STDERR;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one); /* one thread unless asked for: one order of calls */
    signal(SIGPIPE, SIG_IGN);
    alarm(120); /* a loop that does not end is a fault, too */
}

static void arm(const struct manner *manner, bool from_then_on, size_t k) {
    rig = manner->rig;
    rig.from_then_on = from_then_on;
    rig.at = k;
}

/* Every k until one is not reached. */
static void loop(const struct run *run, const struct manner *manner, bool from_then_on) {
    static struct outcome wanted, got; /* too large for the stack */
    become_command();
    arm(manner, false, SIZE_MAX);
    perform(&wanted, run);
    unsigned long open_before = open_files();
    for (size_t k = 1;; k++) {
        tale->k = k;
        arm(manner, from_then_on, k);
        perform(&got, run);
        const char *wrong = check(run, &got, &wanted);
        if (!wrong && open_files() != open_before) wrong = "a file was left open";
        if (!atomic_load(&rig.hit)) {
            if (got.code != wanted.code) wrong = "it fails without a fault";
            if (!wrong) break;
        }
        tale->points++;
        if (!wrong) continue;
        tale->failures++;
        complain_about(run, manner, wrong, &got);
        if (!atomic_load(&rig.hit)) break;
    }
    tale->done = true;
}

/* In a child; what ends it other than its own end is a failure at the point it had reached. */
static void loop_apart(const struct run *run, const struct manner *manner, bool from_then_on) {
    tale->done = false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        loop(run, manner, from_then_on);
        exit(0); /* where leaks are looked for */
    }
    int status = 0;
    bool ended = child > 0 && waitpid(child, &status, 0) == child;
    if (ended && tale->done && status == 0) return;
    tale->failures++;
    rig.from_then_on = from_then_on;
    char what[64];
    snprintf(what, sizeof what, WIFSIGNALED(status) ? "signal %d" : "exit status %d of the loop",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    complain_about(run, manner, what, NULL);
}

/* The thread sanitizer would rather not have threads after a fork. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "die_after_fork=0";
}

static void make_inputs(void) {
    static const struct run steps[] = {
        {.words = {"train", "data.csv", "-m", "least-squares", "-q", "-o", "model.sepal"}},
        {.words = {"train", "data.csv", "-m", "naive-bayes(kind=bernoulli)", "-q", "-o",
                   "bits.sepal"}},
        {.words = {"convert", "data.csv", "-o", "data.arff"}},
        {.words = {"convert", "data.svm", "-o", "data.npy", "-q"}},
        {.words = {"convert", "data.svm", "-o", "data.idx", "-q"}},
    };
    save_path("data.csv", table);
    save_path("data.svm", rows);
    save_path("test.svm", rows);
    save_path("data.bad", "a,b\n1,x\n1\n2,y\n");
    save_path("data.mixed", "a,b,y\n1,2,x\nu,3,y\nv,4,x\n");
    save_path("data.weights", "1\n2\n1\n0.5\n1\n1\n");
    int fd = open("data.packed", O_WRONLY | O_CREAT, 0666);
    if (fd < 0 || write(fd, packed, sizeof packed) != sizeof packed || close(fd)) exit(99);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char *words[MOST_WORDS + 4] = {(char *)(uintptr_t) "sepal"};
        if (cli_run(words_of(words, &steps[i]), words) != 0) exit(99);
    }
}

static bool inputs_are_whole(const struct bytes *model) {
    static struct bytes now;
    bool whole = load_path(&now, "data.csv") && strcmp(now.at, table) == 0;
    whole = whole && load_path(&now, "data.svm") && strcmp(now.at, rows) == 0;
    whole = whole && load_path(&now, "test.svm") && strcmp(now.at, rows) == 0;
    return whole && load_path(&now, "model.sepal") && same(&now, model);
}

int main(void) {
    static struct bytes model;
    tale = mmap(NULL, sizeof *tale, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    report_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 70);
    if (tale == MAP_FAILED || report_fd < 0) return 99;
    setenv("TMPDIR", ".", 1);
    make_inputs();
    load_path(&model, "model.sepal");
    for (const struct run *run = runs; run < runs + RUNS; run++) {
        size_t before = tale->points;
        for (const struct manner *manner = manners; manner < manners + MANNERS; manner++)
            for (int on = 0; on < 2; on++) loop_apart(run, manner, on);
        printf("%6zu points: sepal", tale->points - before);
        for (size_t i = 0; i < MOST_WORDS && run->words[i]; i++) printf(" %s", run->words[i]);
        printf("\n");
        if (run->output) unlink(run->output);
        if (run->beside) unlink(run->beside);
        if (!inputs_are_whole(&model)) {
            printf("an input was changed\n");
            tale->failures++;
        }
    }
    printf("COUNT injection-points %zu %zu\n", tale->points, tale->failures);
    fflush(stdout); /* a leak found at exit would lose it */
    return tale->failures > 0;
}
