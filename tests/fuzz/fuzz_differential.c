/* The fast readers of CSV and LIBSVM against a slow and strict one. */
#include "fuzz/agree.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct fuzz_reading reading;
    reading_cut(&reading, bytes, size);
    readers_agree(&reading);
    return 0;
}
