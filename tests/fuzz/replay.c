/* The inputs of a folder, one after the other, through a fuzz target: the fuzzer's finds as a test
   of every build.
     replay_NAME [FILE | FOLDER ...]      default: tests/fuzz/corpus/NAME under $SEPAL_SOURCE */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count;

/* A copy of exactly the input's size, so that an address sanitizer sees any overreach. */
static void run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes || fread(bytes, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one shown is the one that failed */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    count++;
}

static void run(const char *path) {
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    if (n < 0) {
        run_file(path);
        return;
    }
    for (int i = 0; i < n; i++) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') run_file(inside);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv) {
    char kept[4096];
    const char *source = getenv("SEPAL_SOURCE");
    snprintf(kept, sizeof kept, "%s/tests/fuzz/corpus/" FUZZ_NAME, source ? source : ".");
    if (argc < 2) run(kept);
    for (int i = 1; i < argc; i++) run(argv[i]);
    printf("COUNT corpus-inputs %zu 0\n", count);
    return count == 0; /* a corpus that cannot be found must not look like one that passes */
}
