/* Variants of a service: what can answer, and on what it was measured. */
#include "config/services.h"

#include <math.h>
#include <stdio.h>

#define MAX_BYTES ((int64_t)1 << 50)
#define MAX_TIME (10000 * ORR_DAY)

typedef struct variant_entry {
    const char *name;
    double accuracy, cost;
    int64_t weights, item_memory, max_batch;
    orr_time load, call;
    const orr_yaml *profile, *profiles;
} variant_entry;

/* clang-format off */
#define AT(member) offsetof(variant_entry, member)
static const orr_key variant_keys[] = {
    {"name", ORR_KEY_TEXT, AT(name), NULL, 0, 0, "Its name, of which there is one in the service.", NULL},
    {"accuracy", ORR_KEY_REAL, AT(accuracy), "", 0, 1,
     "Part of its answers that are right; left out: not known.", NULL},
    {"weights", ORR_KEY_BYTES, AT(weights), "0", 0, MAX_BYTES,
     "Size of its weights; left out, what the table of its profile says, else not modelled.", NULL},
    {"item_memory", ORR_KEY_BYTES, AT(item_memory), "0", 0, MAX_BYTES,
     "Device memory that each request of a batch needs besides.", NULL},
    {"max_batch", ORR_KEY_INT, AT(max_batch), "", 1, 1000000,
     "The largest batch; of sequences where it makes tokens. Left out, the largest that all its profiles have; one by "
     "a formula has none and needs it stated.", NULL},
    {"load", ORR_KEY_DURATION, AT(load), "0", 0, MAX_TIME,
     "Until its weights are on the GPU, where there is no `store`.", NULL},
    {"cost", ORR_KEY_REAL, AT(cost), "0", 0, 1000000, "Money for an answer that is bought by call.", NULL},
    {"call", ORR_KEY_DURATION, AT(call), "0", 0, MAX_TIME, "How long such a call takes.", NULL},
    {"profile", ORR_KEY_MAP, AT(profile), "", 0, 0, "How long its batches take (below).", &orr_exec_profile_keys},
    {"profiles", ORR_KEY_LIST, AT(profiles), "", 1, 1000,
     "The same by GPU type, share or number of GPUs.", &orr_exec_profile_keys},
    {0},
};
#undef AT
const orr_keys orr_variant_keys = {
    .title = "An element of `variants`",
    .doc = "A model that can stand in for the others of its service. It needs `profile` or `profiles`.",
    .at = variant_keys,
};
/* clang-format on */

/* ---- profiles ---- */

static bool same_place(const orr_exec_profile *a, const orr_exec_profile *b)
{
    return strcmp(a->gpu_type, b->gpu_type) == 0 && a->milli == b->milli && a->gpus == b->gpus;
}

static orr_err read_profiles(orr_services_reader *r, const orr_yaml *first, int32_t n, const char *name,
                             orr_variant *out)
{
    orr_exec_profile *profiles = orr_arena_alloc(&r->memory->arena, (size_t)n * sizeof *profiles);
    double weights = 0, most = 0;
    orr_err err = ORR_OK;
    for (const orr_yaml *v = first; out->profile_count < n && !err; v = v->next) {
        orr_exec_profile *p = &profiles[out->profile_count++];
        err = orr_services_read_profile(r, v, name, p, &weights);
        most = weights > most ? weights : most;
        for (const orr_exec_profile *q = profiles; q < p && !err; q++)
            if (same_place(p, q))
                err = orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e,
                                    "two profiles of '%.80s' are for this GPU type, share and number of GPUs", name);
    }
    out->profiles = profiles;
    if (!out->bytes)
        out->bytes = (int64_t)most;
    return err;
}

static bool has_end(const orr_exec_profile *p)
{
    return p->kind != ORR_EXEC_LINEAR && p->kind != ORR_EXEC_ITER;
}

/* The largest batch that all profiles with points have; INT32_MAX: none has points. */
static int32_t largest_of(const orr_variant *v, const orr_exec_profile **least)
{
    int32_t most = INT32_MAX;
    for (int32_t i = 0; i < v->profile_count; i++) {
        const orr_exec_profile *p = &v->profiles[i];
        if (!has_end(p) || p->points[p->point_count - 1].batch >= most)
            continue;
        most = p->points[p->point_count - 1].batch;
        *least = p;
    }
    return most;
}

static orr_err check_batch(const orr_services_reader *r, const orr_yaml *map, orr_variant *v)
{
    const orr_exec_profile *least = NULL;
    const int32_t most = largest_of(v, &least);
    const orr_yaml *given = orr_yaml_member(map, "max_batch");
    if (!given && !least)
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "'%.80s' is by a formula and needs a 'max_batch'",
                             v->name);
    if (!given)
        v->max_batch = most;
    if (v->max_batch <= most)
        return ORR_OK;
    return orr_yaml_fail(r->doc, given, ORR_E_SYNTAX, r->e, "the profile for %s%.80s ends at a batch of %d",
                         least->gpu_type[0] ? "" : "any GPU", least->gpu_type, (int)most);
}

/* ---- a variant ---- */

static orr_err read_variant(orr_services_reader *r, const orr_yaml *map, const char *service, orr_variant *out)
{
    variant_entry entry;
    char name[192];
    orr_schema_defaults(&orr_variant_keys, &entry);
    entry.accuracy = NAN;
    orr_err err = orr_schema_read(&orr_variant_keys, r->doc, map, &entry, r->e);
    if (!err)
        err = orr_services_name(r, orr_yaml_member(map, "name"));
    if (err)
        return err;
    if (!entry.profile == !entry.profiles)
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e,
                             entry.profile ? "'profile' and 'profiles' don't go together"
                                           : "a variant needs 'profile' or 'profiles'");
    *out = (orr_variant){.name = entry.name,
                         .accuracy = entry.accuracy,
                         .bytes = entry.weights,
                         .item_bytes = entry.item_memory,
                         .max_batch = (int32_t)entry.max_batch,
                         .load = entry.load,
                         .cost = entry.cost,
                         .call = entry.call};
    snprintf(name, sizeof name, "%.80s/%.80s", service, entry.name);
    const int32_t n = entry.profile ? 1 : (int32_t)entry.profiles->count;
    err = read_profiles(r, entry.profile ? entry.profile : entry.profiles->first, n, name, out);
    return err ? err : check_batch(r, map, out);
}

orr_err orr_services_read_variants(orr_services_reader *r, const orr_yaml *list, const char *service, orr_service *out)
{
    orr_variant *variants = orr_arena_alloc(&r->memory->arena, list->count * sizeof *variants);
    orr_err err = ORR_OK;
    int32_t n = 0;
    for (const orr_yaml *v = list->first; v && !err; v = v->next, n++) {
        err = read_variant(r, v, service, &variants[n]);
        for (int32_t k = 0; k < n && !err; k++)
            if (strcmp(variants[k].name, variants[n].name) == 0)
                err = orr_yaml_fail(r->doc, orr_yaml_member(v, "name"), ORR_E_SYNTAX, r->e,
                                    "two variants of '%.80s' have this name", service);
    }
    out->variants = variants;
    out->variant_count = n;
    return err;
}
