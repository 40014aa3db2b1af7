/* Profiles by name, and speeds of pairs by the numbers of both; both through hash maps of texts, a pair's text being
 * the two numbers, least first. */
#include "model/profile.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdlib.h>

typedef struct pair {
    double of_first, of_second; /* first: the one with the lesser number */
} pair;

typedef struct mean {
    double sum;
    uint32_t count;
} mean;

struct orr_profiles {
    orr_arena arena; /* profiles, names and points: at places that don't move */
    const char *name;
    char digest[65];
    orr_names *models, *pair_keys;
    ORR_VEC(orr_profile *) at;
    ORR_VEC(pair) pairs;
    ORR_VEC(mean) speeds; /* of each model over its pairs */
};

orr_profile orr_profile_default(void)
{
    return (orr_profile){.model = "", .gpu_util = -1, .largest_tensor = -1, .sharing = -1};
}

orr_profiles *orr_profiles_create(const char *name)
{
    orr_profiles *p = orr_xcalloc(1, sizeof *p);
    p->name = orr_arena_strdup(&p->arena, name, strlen(name));
    p->models = orr_names_create();
    p->pair_keys = orr_names_create();
    return p;
}

void orr_profiles_destroy(orr_profiles *p)
{
    if (!p)
        return;
    orr_names_destroy(p->models);
    orr_names_destroy(p->pair_keys);
    ORR_VEC_FREE(&p->at);
    ORR_VEC_FREE(&p->pairs);
    ORR_VEC_FREE(&p->speeds);
    orr_arena_fini(&p->arena);
    free(p);
}

void orr_profiles_set_digest(orr_profiles *p, const char hex[65])
{
    memcpy(p->digest, hex, sizeof p->digest);
}

const char *orr_profiles_name(const orr_profiles *p)
{
    return p->name;
}

size_t orr_profiles_count(const orr_profiles *p)
{
    return p->at.n;
}

const char *orr_profiles_digest(const orr_profiles *p)
{
    return p->digest;
}

/* ---- models ---- */

static orr_profile *keep(orr_profiles *p, const orr_profile *profile)
{
    orr_profile *own = orr_arena_alloc(&p->arena, sizeof *own);
    *own = *profile;
    own->model = orr_arena_strdup(&p->arena, profile->model, strlen(profile->model));
    own->number = (uint32_t)p->at.n;
    if (!profile->host_points) {
        own->host = NULL;
        return own;
    }
    orr_host_point *points = orr_arena_alloc(&p->arena, profile->host_points * sizeof *points);
    memcpy(points, profile->host, profile->host_points * sizeof *points);
    own->host = points;
    return own;
}

bool orr_profiles_add(orr_profiles *p, const orr_profile *profile)
{
    if (orr_profiles_find(p, profile->model))
        return false;
    orr_profile *own = keep(p, profile);
    orr_names_id(p->models, own->model, strlen(own->model));
    ORR_VEC_PUSH(&p->at, own);
    ORR_VEC_PUSH(&p->speeds, ((mean){0}));
    return true;
}

const orr_profile *orr_profiles_find(const orr_profiles *p, const char *model)
{
    if (!p || !model)
        return NULL;
    const int64_t id = orr_names_find(p->models, model, strlen(model));
    return id < 0 ? NULL : p->at.at[id];
}

/* ---- pairs ---- */

typedef struct pair_key {
    uint32_t first, second;
} pair_key;

static pair_key key_of(const orr_profile *a, const orr_profile *b)
{
    return a->number < b->number ? (pair_key){a->number, b->number} : (pair_key){b->number, a->number};
}

static void count_speed(orr_profiles *p, const orr_profile *of, double speed)
{
    p->speeds.at[of->number].sum += speed;
    p->speeds.at[of->number].count++;
}

bool orr_profiles_add_pair(orr_profiles *p, const orr_profile *a, const orr_profile *b, double speed_a, double speed_b)
{
    const pair_key key = key_of(a, b);
    const uint32_t id = orr_names_id(p->pair_keys, (const char *)&key, sizeof key);
    if (id < p->pairs.n)
        return false;
    pair speeds = a->number == key.first ? (pair){speed_a, speed_b} : (pair){speed_b, speed_a};
    if (a == b) /* two of a kind can't be told apart: both have the mean of what was measured */
        speeds.of_first = speeds.of_second = (speed_a + speed_b) / 2;
    ORR_VEC_PUSH(&p->pairs, speeds);
    count_speed(p, a, speed_a);
    count_speed(p, b, speed_b);
    return true;
}

double orr_profiles_pair(const orr_profiles *p, const orr_profile *a, const orr_profile *b)
{
    if (!p || !a || !b)
        return -1;
    const pair_key key = key_of(a, b);
    const int64_t id = orr_names_find(p->pair_keys, (const char *)&key, sizeof key);
    if (id < 0)
        return -1;
    return a->number == key.first ? p->pairs.at[id].of_first : p->pairs.at[id].of_second;
}

orr_sharing orr_profiles_sharing(const orr_profiles *p, const orr_profile *profile)
{
    if (!p || !profile)
        return ORR_SHARING_JUMBO;
    if (profile->sharing >= 0)
        return (orr_sharing)profile->sharing;
    const mean *m = &p->speeds.at[profile->number];
    const double speed = m->count ? m->sum / m->count : 0;
    return speed >= 0.95 ? ORR_SHARING_TINY : speed >= 0.85 ? ORR_SHARING_MEDIUM : ORR_SHARING_JUMBO;
}
