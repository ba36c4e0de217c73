/* Files with the labels or the weights of rows, beside a small table: the input is a line of letters,
   the labels, then perhaps a line "----" and the weights. */
#include "fuzz/data_laws.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char table[] = "a,b\n1,2\n3,4\n5,6\n";
    struct fuzz_reading reading;
    reading_cut(&reading, bytes, size);
    reading.labels = reading.data;
    reading.weights = reading.other;
    reading.data = reading.other = (struct fuzz_bytes){table, sizeof table - 1};
    reading_laws(&reading, "in.csv", NULL);
    return 0;
}
