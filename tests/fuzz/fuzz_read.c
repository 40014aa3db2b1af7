/* One reader on any bytes: that of the format which the environment names in ORRERY_FUZZ_FORMAT, with the tables of
 * ORRERY_FUZZ_TABLES beside them. What can be read must keep its promises; where attempts are merged it is described too. */
#include "reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *format = getenv("ORRERY_FUZZ_FORMAT");
    const char *tables = getenv("ORRERY_FUZZ_TABLES");
    ORR_ASSERT(format, "ORRERY_FUZZ_FORMAT names the format");
    const orr_trace_options merged = {.format = format, .tables = tables, .keep_cpu_jobs = true};
    const orr_trace_options single = {.format = format, .tables = tables, .replay_attempts = true};
    read_as(data, size, &merged, true);
    read_as(data, size, &single, false);
    return 0;
}
