/* One reader on any bytes: that of the format which the environment names in ORRERY_FUZZ_FORMAT.
 * What can be read is described and must keep its promises. */
#include "reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *format = getenv("ORRERY_FUZZ_FORMAT");
    ORR_ASSERT(format, "ORRERY_FUZZ_FORMAT names the format");
    const orr_trace_options merged = {.format = format, .keep_cpu_jobs = true};
    const orr_trace_options single = {.format = format, .replay_attempts = true};
    read_as(data, size, &merged);
    read_as(data, size, &single);
    return 0;
}
