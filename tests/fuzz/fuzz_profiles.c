/* Bytes as a file of profiles, and as each of the tables that such a file may name. What is accepted must hold what the header
 * promises. */
#include "config/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INPUT 65536

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(const orr_profiles *profiles, const orr_profile *p)
{
    const double speed = orr_profiles_pair(profiles, p, p);
    must(p->gpu_util <= 1 && p->gpu_mem >= 0 && p->iteration >= 0 && p->overlap >= 0 && p->overlap <= 1);
    must(p->sharing >= -1 && p->sharing <= 2 && isfinite(speed) && p->number < orr_profiles_count(profiles));
    must(orr_profiles_sharing(profiles, p) <= ORR_SHARING_JUMBO);
    for (size_t i = 0; i < p->host_points; i++)
        must(p->host[i].speed > 0 && p->host[i].cpus >= 0);
}

static void as_file(const uint8_t *data, size_t size)
{
    char text[4096];
    orr_error e = {0};
    orr_input *in = orr_input_memory("fuzz", data, size);
    orr_profiles *profiles = orr_profiles_read(in, "", &e);
    orr_input_close(in);
    must((profiles != NULL) == (e.code == 0));
    if (!profiles) {
        must(orr_error_format(&e, text, sizeof text) > 0 && orr_err_exit_status(e.code) >= 64);
        return;
    }
    must(orr_profiles_count(profiles) > 0 && strlen(orr_profiles_digest(profiles)) == 64);
    orr_profiles_destroy(profiles);
}

typedef orr_err read_table(orr_profiles *profiles, orr_input *in, orr_error *e);

static void as_table(read_table *read, const uint8_t *data, size_t size)
{
    orr_error e = {0};
    orr_profiles *profiles = orr_profiles_create("fuzz");
    orr_profile a = orr_profile_default();
    a.model = "a";
    must(orr_profiles_add(profiles, &a));
    orr_input *in = orr_input_memory("fuzz", data, size);
    const orr_err err = read(profiles, in, &e);
    orr_input_close(in);
    must(err == e.code);
    check(profiles, orr_profiles_find(profiles, "a"));
    orr_profiles_destroy(profiles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT)
        return 0;
    as_file(data, size);
    as_table(orr_profiles_read_models, data, size);
    as_table(orr_profiles_read_pairs, data, size);
    return 0;
}
