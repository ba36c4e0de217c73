/* LIBSVM text, by the laws of data_laws.h. */
#include "fuzz/data_laws.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct fuzz_reading reading;
    reading_cut(&reading, bytes, size);
    reading_laws(&reading, "in.svm", NULL);
    return 0;
}
