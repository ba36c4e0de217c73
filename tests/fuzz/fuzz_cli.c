/* The command line: the input's words, cut at line ends, are the arguments of the whole program in a
   folder with a table, a LIBSVM file and a model. The exit code is one that the manual knows, and
   codes of failure leave the folder as it was.

   Words that could lead out of the folder, or to long runs, are left out. */
#include "cli.h"
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char table[] = "a,b,c,class\n1,2,red,x\n3,-4,blue,y\n5,6.5,red,x\n0,1,blue,z\n";
static const char indexed[] = "1 1:1 3:2\n-1 2:1\n1 1:2\n";
static char *model;
static size_t model_size;

static void put_files(void) {
    fuzz_put("a.csv", table, sizeof table - 1);
    fuzz_put("a.svm", indexed, sizeof indexed - 1);
    if (model) fuzz_put("m.sepal", model, model_size);
}

/* How many files there are; all but the three are removed. */
static size_t clear_folder(void) {
    static const char *const kept[] = {"a.csv", "a.svm", "m.sepal"};
    size_t n = 0;
    DIR *open = opendir(".");
    for (struct dirent *entry; open && (entry = readdir(open));) {
        bool keep = entry->d_name[0] == '.' && (!entry->d_name[1] || entry->d_name[1] == '.');
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            keep = keep || strcmp(entry->d_name, kept[i]) == 0;
        if (!keep) unlink(entry->d_name);
        n += !keep;
    }
    if (open) closedir(open);
    return n;
}

/* Nothing outside the folder, no numbers that ask for hours or hundreds of threads. */
static bool is_harmless(const char *word) {
    size_t digits = 0;
    if (strchr(word, '/') || strstr(word, "..")) return false;
    for (const char *p = word; *p; p++) {
        bool digit = *p >= '0' && *p <= '9';
        digits = digit ? digits + 1 : 0;
        if (digits > 2 || (digit && (p[1] == 'e' || p[1] == 'E'))) return false;
    }
    return true;
}

static void run(int count, char **words) {
    int code = cli_run(count, words);
    bool known = (code >= EXIT_DONE && code <= EXIT_OUTPUT) || code == EXIT_CLOSED;
    size_t left = clear_folder();
    LAW(known && code != EXIT_INTERNAL, "exit code %d", code);
    bool written = code == EXIT_DONE || code == EXIT_NOT_CONVERGED;
    LAW(written || left == 0, "exit code %d, and %zu files written", code, left);
}

static void make_model(void) {
    char *words[] = {"sepal", "train", "a.csv", "-m", "perceptron", "-o", "m.sepal", "-q", NULL};
    put_files();
    LAW(cli_run(8, words) == EXIT_DONE, "the model cannot be trained");
    model = fuzz_get("m.sepal", &model_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    enum { MOST = 40 };
    static int home = -1, folder, nothing;
    if (home < 0) {
        home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        folder = open(fuzz_path("."), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        LAW(home >= 0 && folder >= 0 && dup2(nothing, STDIN_FILENO) == 0, "no folder");
    }
    char *text = fuzz_text(bytes, size), *words[MOST + 2] = {"sepal"}, *rest = text;
    int count = 1;
    bool harmless = true;
    for (char *word; count <= MOST && (word = strsep(&rest, "\n"));) {
        harmless = harmless && is_harmless(word);
        words[count++] = word;
    }
    if (count > 1 && !*words[count - 1]) count--; /* a line end behind the last word */
    words[count] = NULL;
    int standard = dup(STDOUT_FILENO);
    dup2(nothing, STDOUT_FILENO);
    if (harmless && fchdir(folder) == 0) {
        if (!model) make_model();
        put_files();
        run(count, words);
    }
    dup2(standard, STDOUT_FILENO);
    close(standard);
    LAW(fchdir(home) == 0, "no way home");
    free(text);
    return 0;
}
