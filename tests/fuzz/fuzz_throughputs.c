/* Any bytes as a throughput table. What is accepted answers for every name that it lists, and for no other. */
#include "base/assert.h"
#include "model/throughputs.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_job(const orr_throughputs *t, int32_t job)
{
    int64_t gpus;
    double speeds[2];
    const char *model = orr_throughputs_model(t, job, &gpus);
    ORR_ASSERT(gpus >= 1 && orr_throughputs_job(t, model, gpus) == job, "a job is found by its name");
    for (int32_t type = 0; type < orr_throughputs_types(t); type++) {
        const double alone = orr_throughputs_alone(t, type, job);
        ORR_ASSERT(isfinite(alone) && (alone >= 0 || alone == -1), "a speed, 0 or nothing said");
        if (orr_throughputs_pair(t, type, job, job, speeds))
            ORR_ASSERT(speeds[0] >= 0 && speeds[1] >= 0 && isfinite(speeds[0] + speeds[1]), "two speeds");
    }
}

static void check(const orr_throughputs *t)
{
    ORR_ASSERT(orr_throughputs_types(t) > 0 && orr_throughputs_jobs(t) > 0, "an empty table is an error");
    for (int32_t i = 0; i < orr_throughputs_types(t); i++)
        ORR_ASSERT(orr_throughputs_type(t, orr_throughputs_type_name(t, i)) == i, "a type is found by its name");
    for (int32_t i = 0; i < orr_throughputs_jobs(t); i++)
        check_job(t, i);
    ORR_ASSERT(orr_throughputs_alone(t, 0, -1) == -1, "no job has no speed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    orr_error e = {0};
    orr_input *in = orr_input_memory("fuzz", data, size);
    orr_throughputs *t = orr_throughputs_read(in, &e);
    orr_input_close(in);
    ORR_ASSERT((t != NULL) == (e.code == ORR_OK), "a table or an error");
    if (t)
        check(t);
    orr_throughputs_destroy(t);
    return 0;
}
