/* Measuring a trace, so that another one like it can be made.
 *
 * Sizes: one law for each pair of GPUs and share of a GPU, with the quantiles of its durations on a log scale and its
 * endings; classes are sizes by VC, so that wide jobs stay where they were. Arrivals: a rate for each hour of the week,
 * a level for each day, and for a few paces the gaps between submissions in units of what these expect; the calendar is
 * the trace's, or hours and days from its second 0 where that is unknown. People: jobs by VC and user; one who works in
 * two VCs becomes two. Names: how many a user has, and how strongly they go with durations: the share of jobs named
 * after how long they run is found by halving, such that user and name explain as much of ln(duration) as they do in
 * the trace.
 * Times lose what is finer than a second.
 */
#include "trace/synth.h"
#include "trace/synth_path.h"

#include "base/rng.h"
#include "base/stat.h"

#include <math.h>
#include <stdlib.h>

#define RECURRENCE_JOBS 20000 /* so many of the first jobs tell about names */

static int64_t seconds_of(orr_time t)
{
    return t / ORR_SECOND;
}

/* ---- counting pairs ---- */

/* A pair of numbers and the job that has it; sorted, equal pairs stand together, in the order of jobs. */
typedef struct pair {
    int32_t major, minor;
    uint32_t job;
} pair;

static int by_pair(const void *left, const void *right)
{
    const pair *a = left, *b = right;
    if (a->major != b->major)
        return a->major < b->major ? -1 : 1;
    if (a->minor != b->minor)
        return a->minor < b->minor ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

static size_t run_of(const pair *p, size_t n)
{
    size_t k = 1;
    while (k < n && p[k].major == p[0].major && p[k].minor == p[0].minor)
        k++;
    return k;
}

/* The place of a text among those seen; -1 for the empty one. */
static int32_t place_of(orr_names *seen, const char *text)
{
    return text[0] ? (int32_t)orr_names_id(seen, text, strlen(text)) : -1;
}

/* ---- sizes ---- */

static const double *quantiles_of(orr_synth_model *m, double *values, size_t n)
{
    double *knots = orr_arena_alloc(&m->arena, SYNTH_KNOTS * sizeof *knots);
    orr_sort_doubles(values, n);
    for (int i = 0; i < SYNTH_KNOTS; i++)
        knots[i] = orr_quantile(values, n, orr_synth_knot(i));
    return knots;
}

/* ln of the seconds; what is shorter than half a second can't be made and counts as that. */
static double log_seconds(orr_time duration)
{
    return log(fmax(orr_time_seconds(duration), 0.5));
}

static void measure_law(orr_synth_model *m, const orr_trace_job *jobs, const pair *p, size_t n, double *scratch)
{
    double ended[3] = {0};
    for (size_t i = 0; i < n; i++) {
        const orr_trace_job *job = &jobs[p[i].job];
        scratch[i] = log_seconds(job->duration);
        ended[job->ending]++;
        m->longest = fmax(m->longest, ceil(orr_time_seconds(job->duration)));
    }
    synth_law *law = orr_synth_add_law(m);
    law->knots = quantiles_of(m, scratch, n);
    law->failed = ended[ORR_ENDING_FAILED] / (double)n;
    law->killed = ended[ORR_ENDING_KILLED] / (double)n;
}

/* Laws by size; says which law each job has. */
static void measure_sizes(orr_synth_model *m, const orr_trace *t, pair *pairs, int32_t *law_of)
{
    double *scratch = orr_xmalloc(t->jobs.n * sizeof *scratch);
    for (size_t i = 0; i < t->jobs.n; i++)
        pairs[i] = (pair){t->jobs.at[i].gpus, t->jobs.at[i].gpu_milli, (uint32_t)i};
    qsort(pairs, t->jobs.n, sizeof *pairs, by_pair);
    for (size_t i = 0, n; i < t->jobs.n; i += n) {
        n = run_of(&pairs[i], t->jobs.n - i);
        for (size_t k = 0; k < n; k++)
            law_of[pairs[i + k].job] = (int32_t)m->laws.n;
        measure_law(m, t->jobs.at, &pairs[i], n, scratch);
    }
    m->longest = fmax(m->longest, 1);
    free(scratch);
}

static void measure_classes(orr_synth_model *m, const orr_trace *t, pair *pairs, const int32_t *law_of,
                            const int32_t *vc_of)
{
    for (size_t i = 0; i < t->jobs.n; i++)
        pairs[i] = (pair){law_of[i], vc_of[i], (uint32_t)i};
    qsort(pairs, t->jobs.n, sizeof *pairs, by_pair);
    for (size_t i = 0, n; i < t->jobs.n; i += n) {
        const orr_trace_job *job = &t->jobs.at[pairs[i].job];
        n = run_of(&pairs[i], t->jobs.n - i);
        orr_synth_add_class(m,
                            (synth_class){job->gpus, job->gpu_milli, pairs[i].major, pairs[i].minor, NULL, (double)n});
    }
}

/* ---- people ---- */

static int by_vc_and_weight(const void *left, const void *right)
{
    const synth_person *a = left, *b = right;
    if (a->vc != b->vc)
        return a->vc < b->vc ? -1 : 1;
    return a->weight > b->weight ? -1 : a->weight < b->weight;
}

static void measure_people(orr_synth_model *m, const orr_trace *t, pair *pairs, int32_t *vc_of)
{
    orr_names *vcs = orr_names_create(), *users = orr_names_create();
    size_t known = 0;
    for (size_t i = 0; i < t->jobs.n; i++) {
        const int32_t user = place_of(users, t->jobs.at[i].user);
        vc_of[i] = place_of(vcs, t->jobs.at[i].vc);
        if (user >= 0)
            pairs[known++] = (pair){vc_of[i], user, (uint32_t)i};
    }
    qsort(pairs, known, sizeof *pairs, by_pair);
    for (size_t i = 0, n; i < known; i += n) {
        n = run_of(&pairs[i], known - i);
        ORR_VEC_PUSH(&m->people, ((synth_person){pairs[i].major, (double)n}));
    }
    if (m->people.n)
        qsort(m->people.at, m->people.n, sizeof *m->people.at, by_vc_and_weight);
    for (uint32_t v = 0; v < orr_names_count(vcs); v++)
        ORR_VEC_PUSH(&m->vcs, ((synth_share){orr_synth_keep(m, orr_names_text(vcs, v)), 0}));
    for (size_t i = 0; i < t->jobs.n; i++)
        if (vc_of[i] >= 0)
            m->vcs.at[vc_of[i]].weight++;
    orr_names_destroy(vcs);
    orr_names_destroy(users);
}

static const char *text_at(const orr_trace_job *job, size_t offset)
{
    const char *text;
    memcpy(&text, (const char *)job + offset, sizeof text);
    return text;
}

/* Shares of the values of one text column, in order of first mention; none if it is always empty. */
static size_t measure_texts(orr_synth_model *m, const orr_trace *t, size_t offset, synth_share **shares)
{
    orr_names *seen = orr_names_create();
    ORR_VEC(synth_share) found = {0};
    for (size_t i = 0; i < t->jobs.n; i++) {
        const char *text = text_at(&t->jobs.at[i], offset);
        const uint32_t place = orr_names_id(seen, text, strlen(text));
        if (place == found.n)
            ORR_VEC_PUSH(&found, ((synth_share){orr_synth_keep(m, text), 0}));
        found.at[place].weight++;
    }
    if (found.n == 1 && !found.at[0].text[0])
        found.n = 0;
    *shares = found.at;
    orr_names_destroy(seen);
    return found.n;
}

/* ---- arrivals ---- */

/* Seconds from a Monday's midnight to the first submission. 1970 began on a Thursday. */
static int64_t phase_of(const orr_trace *t, int64_t first)
{
    orr_civil origin;
    int64_t from = first;
    if (t->origin[0] && !orr_civil_parse(t->origin, strlen(t->origin), &origin))
        from += seconds_of(origin.local) + 3 * 86400;
    return from % (SYNTH_WEEK * 3600);
}

static void measure_span(orr_synth_model *m, const orr_trace *t)
{
    m->jobs = (int64_t)t->jobs.n;
    m->first = seconds_of(t->jobs.at[0].submit);
    m->span = seconds_of(t->jobs.at[t->jobs.n - 1].submit) - m->first + 1;
    m->gap = (double)m->span / (double)m->jobs;
    m->phase = phase_of(t, m->first);
    memcpy(m->origin, t->origin, sizeof m->origin);
}

static int64_t clock_of(const orr_synth_model *m, const orr_trace_job *job)
{
    return m->phase + seconds_of(job->submit) - m->first;
}

/* Jobs a second of each hour of the week. Hours that the trace doesn't reach get what the others have on average. */
static void measure_week(orr_synth_model *m, const orr_trace *t)
{
    double seconds[SYNTH_WEEK] = {0}, jobs[SYNTH_WEEK] = {0};
    for (int64_t at = 0, stay; at < m->span; at += stay) {
        const int64_t clock = m->phase + at, rest = 3600 - clock % 3600;
        stay = rest < m->span - at ? rest : m->span - at;
        seconds[clock / 3600 % SYNTH_WEEK] += (double)stay;
    }
    for (size_t i = 0; i < t->jobs.n; i++)
        jobs[clock_of(m, &t->jobs.at[i]) / 3600 % SYNTH_WEEK]++;
    for (int h = 0; h < SYNTH_WEEK; h++)
        m->week[h] = seconds[h] > 0 ? jobs[h] / seconds[h] : (double)m->jobs / (double)m->span;
}

/* Each day's jobs against what its hours of the week expect. */
static void measure_days(orr_synth_model *m, const orr_trace *t)
{
    const int64_t first_day = m->phase / 86400, days = (m->phase + m->span - 1) / 86400 - first_day + 1;
    ORR_VEC_RESERVE(&m->days, (size_t)days);
    m->days.n = (size_t)days;
    for (int64_t d = 0; d < days; d++)
        m->days.at[d] = 1;
    synth_path even = {0};
    orr_synth_path_measured(&even, m, m->span);
    double *jobs = orr_xcalloc((size_t)days, sizeof *jobs);
    for (size_t i = 0; i < t->jobs.n; i++)
        jobs[clock_of(m, &t->jobs.at[i]) / 86400 - first_day]++;
    for (int64_t d = 0; d < days; d++) {
        const double from = (double)((first_day + d) * 86400 - m->phase);
        const double begin = orr_synth_path_weight(&even, fmax(from, 0));
        const double end = orr_synth_path_weight(&even, fmin(from + 86400, (double)m->span));
        m->days.at[d] = end > begin ? jobs[d] / (end - begin) : 0;
    }
    free(jobs);
    orr_synth_path_fini(&even);
}

/* A gap and the rate at which it begins. */
typedef struct paced {
    double rate, gap;
} paced;

static int by_rate(const void *left, const void *right)
{
    const paced *a = left, *b = right;
    if (a->rate < b->rate || a->rate > b->rate)
        return a->rate < b->rate ? -1 : 1;
    return a->gap < b->gap ? -1 : a->gap > b->gap;
}

static size_t paced_gaps(const orr_synth_model *m, const orr_trace *t, paced *out)
{
    synth_path p = {0};
    double before = 0;
    orr_synth_path_measured(&p, m, m->span);
    for (size_t i = 0; i < t->jobs.n; i++) {
        const double here = orr_synth_path_weight(&p, (double)(seconds_of(t->jobs.at[i].submit) - m->first));
        if (i > 0)
            out[i - 1] = (paced){orr_synth_path_rate(&p, before), here - before};
        before = here;
    }
    orr_synth_path_fini(&p);
    return t->jobs.n - 1;
}

/* The end of the pace that begins at `from` and should have `share` gaps: gaps of one rate stay together. */
static size_t pace_end(const paced *all, size_t n, size_t from, size_t share)
{
    size_t end = from + share < n ? from + share : n;
    while (end < n && all[end].rate <= all[end - 1].rate)
        end++;
    return end;
}

/* As many paces as have 50 gaps each, all with about as many gaps: gaps in a rush aren't just shorter than in a lull,
 * since what is submitted by a script comes at the script's own pace. */
static void measure_gaps(orr_synth_model *m, const orr_trace *t)
{
    paced *all = orr_xcalloc(t->jobs.n, sizeof *all);
    double *gaps = orr_xcalloc(t->jobs.n, sizeof *gaps);
    const size_t n = paced_gaps(m, t, all), share = n / SYNTH_PACES < 50 ? 50 : n / SYNTH_PACES + 1;
    qsort(all, n, sizeof *all, by_rate);
    for (size_t from = 0, end; from < n; from = end) {
        end = pace_end(all, n, from, share);
        for (size_t i = from; i < end; i++)
            gaps[i - from] = all[i].gap;
        const double rate = from ? all[from].rate : 0;
        m->paces[m->pace_count++] = (synth_pace){rate, quantiles_of(m, gaps, end - from)};
    }
    if (n == 0)
        m->paces[m->pace_count++] = (synth_pace){0, quantiles_of(m, gaps, 1)};
    free(gaps);
    free(all);
}

/* ---- names ---- */

/* What names tell: how many a user has, and how much of ln(duration) user and name explain. */
typedef struct recurrence {
    double names_a_user, explained;
} recurrence;

/* The jobs it is measured on: a key of the user, one of user and name, and how long it ran. */
typedef struct named {
    uint64_t *users, *keys;
    double *seconds;
    size_t n;
} named;

static int by_key(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* How many different keys there are; sorts them. */
static double distinct(uint64_t *keys, size_t n)
{
    size_t count = 0;
    qsort(keys, n, sizeof *keys, by_key);
    for (size_t i = 0; i < n; i++)
        count += i == 0 || keys[i] != keys[i - 1];
    return (double)count;
}

static named room_for(size_t jobs)
{
    return (named){orr_xmalloc((jobs + 1) * sizeof(uint64_t)), orr_xmalloc((jobs + 1) * sizeof(uint64_t)),
                   orr_xmalloc((jobs + 1) * sizeof(double)), 0};
}

static void add_named(named *all, uint64_t user, uint64_t key, double seconds)
{
    all->users[all->n] = user;
    all->keys[all->n] = key;
    all->seconds[all->n++] = seconds;
}

/* Frees what it measures. */
static recurrence measure_named(named *all)
{
    recurrence r = {0};
    if (all->n) {
        r.explained = orr_synth_explained(all->keys, all->seconds, all->n);
        r.names_a_user = distinct(all->keys, all->n) / distinct(all->users, all->n);
    }
    free(all->keys);
    free(all->users);
    free(all->seconds);
    return r;
}

static recurrence of_trace(const orr_trace *t, size_t n)
{
    named all = room_for(n);
    for (size_t i = 0; i < n; i++) {
        const orr_trace_job *job = &t->jobs.at[i];
        const uint64_t user = orr_hash64(1, job->user, strlen(job->user));
        if (job->name[0])
            add_named(&all, user, orr_hash64(user, job->name, strlen(job->name)), orr_time_seconds(job->duration));
    }
    return measure_named(&all);
}

static recurrence of_drafts(synth *s, double share)
{
    named all = room_for(s->n);
    orr_synth_draw_names(s, share);
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t user = (uint64_t)(s->jobs[i].user + 1);
        add_named(&all, user, orr_mix64(user << 32 | (uint32_t)s->jobs[i].name), (double)s->jobs[i].seconds);
    }
    return measure_named(&all);
}

static double find_share(synth *s, double explained)
{
    double low = 0, high = 1;
    for (int i = 0; i < 10; i++) {
        const double middle = (low + high) / 2;
        if (of_drafts(s, middle).explained < explained)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Names are made by hashing, and some fall together: more are asked for than will be found, in a few rounds. Returns
 * how much the names then explain. */
static double find_names(synth *s, orr_synth_model *m, const recurrence *goal)
{
    m->names_a_user = (int32_t)ceil(goal->names_a_user);
    for (int round = 0; round < 4; round++) {
        m->recurrence = find_share(s, goal->explained);
        const double found = of_drafts(s, m->recurrence).names_a_user;
        if (found >= 0.95 * goal->names_a_user)
            break;
        m->names_a_user = (int32_t)fmin(ceil(m->names_a_user * goal->names_a_user / found), 1e6);
    }
    m->recurrence = find_share(s, goal->explained);
    return of_drafts(s, m->recurrence).explained;
}

/* Where names tell more than they can while they tell sizes apart, they tell fewer sizes apart. */
static void find_recurrence(orr_synth_model *m, const recurrence *goal, size_t n)
{
    orr_synth_options o = orr_synth_options_default();
    o.jobs = n;
    synth s = {.plan = {.options = &o, .model = m}, .model = m, .n = n};
    if (orr_synth_plan(&s.plan, NULL))
        return;
    s.jobs = orr_xcalloc(n, sizeof *s.jobs);
    orr_synth_draw(&s);
    while (find_names(&s, m, goal) < goal->explained - 0.02 && m->names_by_size > 1)
        m->names_by_size /= 2;
    free(s.jobs);
}

static void measure_names(orr_synth_model *m, const orr_trace *t)
{
    const size_t n = t->jobs.n < RECURRENCE_JOBS ? t->jobs.n : RECURRENCE_JOBS;
    const recurrence goal = of_trace(t, n);
    m->names_a_user = 0;
    if (goal.names_a_user > 0)
        find_recurrence(m, &goal, n);
}

/* ---- all of it ---- */

orr_synth_model *orr_synth_fit(const orr_trace *t, orr_error *e)
{
    if (t->jobs.n == 0) {
        orr_error_set(e, ORR_E_NO_JOBS, "the trace holds no job to measure");
        return NULL;
    }
    orr_synth_model *m = orr_synth_model_create("fit", "measured in a trace");
    pair *pairs = orr_xmalloc(t->jobs.n * sizeof *pairs);
    int32_t *law_of = orr_xmalloc(t->jobs.n * sizeof *law_of), *vc_of = orr_xmalloc(t->jobs.n * sizeof *vc_of);
    m->measured = true;
    measure_sizes(m, t, pairs, law_of);
    measure_people(m, t, pairs, vc_of);
    measure_classes(m, t, pairs, law_of, vc_of);
    m->types.n = measure_texts(m, t, offsetof(orr_trace_job, gpu_type), &m->types.at);
    m->models.n = measure_texts(m, t, offsetof(orr_trace_job, model), &m->models.at);
    measure_span(m, t);
    measure_week(m, t);
    measure_days(m, t);
    measure_gaps(m, t);
    measure_names(m, t);
    free(pairs);
    free(law_of);
    free(vc_of);
    return m;
}
