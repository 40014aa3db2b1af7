/* Any bytes as a trace, of the format that they seem to be: sniffing, then the reader; strictly, too. */
#include "reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const orr_trace_options lenient = {.keep_cpu_jobs = true}, strict = {.strict = true};
    read_as(data, size, &lenient, true);
    read_as(data, size, &strict, false);
    return 0;
}
