/* Bytes as a file of applications, and as a table of throughputs by number of GPUs. What is accepted must hold what the headers
 * promise. */
#include "config/applications.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INPUT 65536

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_step(const orr_application *a, int32_t type, int32_t gpus)
{
    double step = 0, sync = 0;
    const orr_placement gang = orr_application_gang(a, type, gpus);
    const orr_batch_limits l = orr_application_limits_on(a, type, &gang);
    const orr_batch batch = orr_batch_split(&l, gpus, l.initial);
    must(batch.local >= 0 && orr_batch_total(batch, gpus) <= l.most);
    if (orr_application_step(a, type, &gang, batch.local, &step, &sync))
        must(step > 0 && isfinite(step) && sync >= 0 && sync <= step);
}

static void check(const orr_application *a)
{
    const orr_batch_limits *l = orr_application_limits(a);
    const int32_t epochs = orr_application_epochs(a);
    must(orr_application_name(a) && epochs >= 1 && orr_application_types(a) >= 1 && orr_application_most_gpus(a) >= 1);
    must(l->initial >= 1 && l->initial <= l->most && l->local_least >= 1 && l->local_least <= l->local_most);
    must(orr_application_progress(a, 0) == 0 && orr_application_progress(a, epochs) > 0);
    for (int32_t e = 0; e < epochs && e < 10; e++) {
        const orr_noise n = orr_application_noise(a, e, l->most);
        must(n.sqr >= 0 && n.var >= 0 && orr_application_progress(a, e + 1) > orr_application_progress(a, e));
    }
    for (int32_t t = 0; t < orr_application_types(a); t++)
        for (int32_t gpus = 1; gpus <= 8; gpus += 7)
            check_step(a, t, gpus);
}

static void as_file(const uint8_t *data, size_t size)
{
    static const orr_applications_wish nothing;
    char text[4096];
    orr_error e = {0};
    orr_input *in = orr_input_memory("fuzz", data, size);
    orr_applications *all = orr_applications_read(in, "", &nothing, &e);
    orr_input_close(in);
    must((all != NULL) == (e.code == 0));
    if (!all) {
        must(orr_error_format(&e, text, sizeof text) > 0 && orr_err_exit_status(e.code) >= 64);
        return;
    }
    must(orr_applications_count(all) > 0 && strlen(orr_applications_digest(all)) == 64);
    for (int32_t i = 0; i < orr_applications_count(all); i++) {
        check(orr_applications_at(all, i));
        must(orr_applications_find(all, orr_application_name(orr_applications_at(all, i))) == orr_applications_at(all, i));
    }
    orr_applications_destroy(all);
}

static void as_counts(const uint8_t *data, size_t size)
{
    orr_error e = {0};
    orr_input *in = orr_input_memory("fuzz", data, size);
    orr_application *a = orr_application_read_counts(in, "fuzz", &e);
    orr_input_close(in);
    must((a != NULL) == (e.code == 0));
    if (a)
        check(a);
    orr_application_destroy(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT)
        return 0;
    as_file(data, size);
    as_counts(data, size);
    return 0;
}
