#include "predict/rolling.h"

#include "base/mem.h"
#include "base/text.h"
#include "predict/history.h"
#include "predict/similar.h"

/* Names by their number, best first: by similarity, then the greater text, as Python's `get_close_matches` does. */
typedef struct close_names {
    uint32_t seen; /* how many of the known names were looked at */
    uint32_t n;
    uint32_t name[ORR_ROLLING_MATCHES];
    double similarity[ORR_ROLLING_MATCHES];
} close_names;

struct rolling {
    orr_rolling_rules rules;
    struct history *sums;
    orr_names *users, *names;   /* of jobs that were added */
    orr_names *asked;           /* unknown names, */
    ORR_VEC(close_names) close; /* and what is close to them */
    uint64_t compared;
};

/* What a sum is over. No padding: the bytes are the key. */
typedef enum over { OVER_ALL, OVER_USER, OVER_NAME, OVER_USER_NAME, OVER_USER_NAME_GPUS } over;
typedef struct key {
    int32_t over;
    uint32_t user, name;
    int32_t gpus;
} key;

static key key_of(over o, uint32_t user, uint32_t name, int32_t gpus)
{
    return (key){.over = (int32_t)o,
                 .user = o == OVER_ALL || o == OVER_NAME ? 0 : user,
                 .name = o == OVER_ALL || o == OVER_USER ? 0 : name,
                 .gpus = o == OVER_USER_NAME_GPUS ? gpus : 0};
}

struct rolling *orr_rolling_create(const orr_rolling_rules *rules)
{
    struct rolling *r = orr_xcalloc(1, sizeof *r);
    r->rules = *rules;
    r->sums = orr_history_create();
    r->users = orr_names_create();
    r->names = orr_names_create();
    r->asked = orr_names_create();
    return r;
}

void orr_rolling_destroy(struct rolling *r)
{
    if (!r)
        return;
    orr_history_destroy(r->sums);
    orr_names_destroy(r->users);
    orr_names_destroy(r->names);
    orr_names_destroy(r->asked);
    ORR_VEC_FREE(&r->close);
    free(r);
}

void orr_rolling_put(struct rolling *r, const orr_sample *job, double value)
{
    uint32_t user = orr_names_id(r->users, job->user, strlen(job->user));
    uint32_t name = orr_names_id(r->names, job->name, strlen(job->name));
    for (int o = OVER_ALL; o <= OVER_USER_NAME_GPUS; o++) {
        key k = key_of((over)o, user, name, job->gpus);
        orr_history_put(r->sums, &k, sizeof k, value);
    }
}

/* ---- close names ---- */

static bool goes_before(const struct rolling *r, double similarity, uint32_t name, double than, uint32_t other)
{
    if (similarity != than)
        return similarity > than;
    return strcmp(orr_names_text(r->names, name), orr_names_text(r->names, other)) > 0;
}

static void consider(const struct rolling *r, close_names *c, uint32_t name, double similarity)
{
    uint32_t i = c->n, most = (uint32_t)r->rules.matches;
    while (i > 0 && goes_before(r, similarity, name, c->similarity[i - 1], c->name[i - 1]))
        i--;
    if (i == most)
        return;
    c->n += c->n < most;
    for (uint32_t k = c->n - 1; k > i; k--) {
        c->name[k] = c->name[k - 1];
        c->similarity[k] = c->similarity[k - 1];
    }
    c->name[i] = name;
    c->similarity[i] = similarity;
}

/* What a name must reach to matter: less can't be among the best. */
static double least(const struct rolling *r, const close_names *c)
{
    return c->n == r->rules.matches ? c->similarity[c->n - 1] : r->rules.cut;
}

static close_names *close_to(struct rolling *r, const char *text)
{
    orr_similar like;
    uint32_t id = orr_names_id(r->asked, text, strlen(text)), count = orr_names_count(r->names);
    while (r->close.n <= id)
        ORR_VEC_PUSH(&r->close, ((close_names){0}));
    close_names *c = &r->close.at[id];
    uint32_t from = c->seen;
    if (count - from > r->rules.look)
        from = count - (uint32_t)r->rules.look;
    if (from < count)
        orr_similar_to(&like, text);
    for (uint32_t name = from; name < count && r->rules.matches > 0; name++) {
        const char *known = orr_names_text(r->names, name);
        if (orr_similarity_bound(&like, known) < least(r, c))
            continue;
        r->compared++;
        double similarity = orr_similarity(&like, known);
        if (similarity >= least(r, c))
            consider(r, c, name, similarity);
    }
    c->seen = count;
    return c;
}

/* ---- the estimate ---- */

/* The mean over several names together. */
static bool mean_over(const struct rolling *r, over o, const orr_sample *job, int64_t user, const close_names *c,
                      double *mean)
{
    orr_seen all = {0};
    if (user < 0 && o != OVER_NAME)
        return false;
    for (uint32_t i = 0; i < c->n; i++) {
        key k = key_of(o, (uint32_t)user, c->name[i], job->gpus);
        orr_seen one = orr_history_get(r->sums, &k, sizeof k);
        all.sum += one.sum;
        all.count += one.count;
    }
    if (all.count)
        *mean = all.sum / (double)all.count;
    return all.count > 0;
}

static bool mean_of(const struct rolling *r, over o, int64_t user, double *mean)
{
    key k = key_of(o, (uint32_t)user, 0, 0);
    orr_seen all = orr_history_get(r->sums, &k, sizeof k);
    if (all.count)
        *mean = all.sum / (double)all.count;
    return all.count > 0;
}

bool orr_rolling_get(struct rolling *r, const orr_sample *job, double *mean)
{
    int64_t user = orr_names_find(r->users, job->user, strlen(job->user));
    int64_t name = orr_names_find(r->names, job->name, strlen(job->name));
    close_names exact = {.n = 1, .name = {(uint32_t)name}};
    const close_names *names = name >= 0 ? &exact : close_to(r, job->name);
    return mean_over(r, OVER_USER_NAME_GPUS, job, user, names, mean) ||
           mean_over(r, OVER_USER_NAME, job, user, names, mean) || mean_over(r, OVER_NAME, job, user, names, mean) ||
           (user >= 0 && mean_of(r, OVER_USER, user, mean)) || mean_of(r, OVER_ALL, 0, mean);
}

uint64_t orr_rolling_compared(const struct rolling *r)
{
    return r->compared;
}
