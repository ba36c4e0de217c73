/* Delimited text, by the laws of data_laws.h. The format is by content unless a letter says it. */
#include "fuzz/data_laws.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct fuzz_reading reading;
    reading_cut(&reading, bytes, size);
    reading_laws(&reading, "in", NULL);
    return 0;
}
