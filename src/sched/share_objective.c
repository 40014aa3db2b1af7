/* The stock objectives of rounds by shares: what each asks of the programs of orrery/shares.h. */
#include "sched/share_rounds.h"

#include <math.h>
#include <stdlib.h>

static const double INSIDE = 1e-6; /* so much less than the optimum will do */

/* One problem, and what belongs to its rows. */
typedef struct asked {
    orr_share_rounds *r;
    const orr_share_view *view;
    const orr_share_problem *p;
    orr_share_row *const *rows;
    double *x;
} asked;

static orr_share_problem alone_of(const asked *q)
{
    return (orr_share_problem){.jobs = q->p->jobs, .types = q->p->types, .speed = q->p->speed, .gpus = q->p->gpus,
                               .capacity = q->p->capacity};
}

static double speed_of(const asked *q, int32_t job, int32_t type)
{
    return q->p->speed[(size_t)job * (size_t)q->p->types + (size_t)type];
}

/* Work left in seconds at the recorded speed. */
static double left_of(const asked *q, int32_t job)
{
    const orr_share_row *row = q->rows[job];
    if (q->r->rules.sim && row->steps >= 0)
        return row->steps / orr_job_step_rate(q->r->ctx, row->a);
    return orr_est_remaining(q->r->ctx, row->a);
}

static double *numbers(int32_t n)
{
    return orr_xcalloc((size_t)n + 1, sizeof(double));
}

static double weight_of(const asked *q, int32_t job)
{
    const double w = orr_job_weight(q->r->ctx, q->view->jobs[job]);
    return w > 0 ? w : 1;
}

/* ---- fair speeds ------------------------------------------------------------------------------------------------- */

/* Speed with a part of each type that is the type's part of the cluster. 0: it can run nowhere. */
static double proportional_speed(const asked *q, int32_t job)
{
    double all = 0, speed = 0;
    for (int32_t k = 0; k < q->p->types; k++)
        all += q->p->capacity[k];
    for (int32_t k = 0; k < q->p->types; k++)
        speed += speed_of(q, job, k) * q->p->capacity[k];
    return all > 0 ? speed / all : 0;
}

/* The reference halves the times in question until 5 % are left, and takes the longest of these. */
static double time_found(double least)
{
    double low = 100, high = 1e6;
    while (high < least) {
        low = high;
        high *= 10;
    }
    while (1.05 * low < high) {
        const double middle = (low + high) / 2;
        *(middle < least ? &low : &high) = middle;
    }
    return high;
}

/* Speeds in that proportion, as great as can be, by those shares that the reference's solver comes to: see
 * share_inside.c. */
static void stay_inside(const asked *q, double *need, bool by_halves)
{
    const double level = orr_shares_max_min(q->p, need, q->x);
    if (!(level > 0) || !isfinite(level) || q->p->pairs)
        return;
    const double least = by_halves ? 1 / time_found(1 / level) : level * (1 - INSIDE);
    for (int32_t j = 0; j < q->p->jobs; j++)
        need[j] *= least;
    orr_share_centre(q->p, need, q->x);
}

/* Only what the program for the least asks for, as with the reference. */
static void max_min(const asked *q)
{
    double *need = numbers(q->p->jobs);
    for (int32_t j = 0; j < q->p->jobs; j++)
        need[j] = weight_of(q, j) * proportional_speed(q, j) / q->p->gpus[j];
    stay_inside(q, need, false);
    free(need);
}

/* Entities numbered from 0 on, without gaps; returns how many there are. */
static int32_t find_entities(const asked *q, int32_t *entity)
{
    int32_t *numbered = NULL, n = 0;
    size_t room = 0;
    for (int32_t j = 0; j < q->p->jobs; j++) {
        const orr_job *job = q->view->jobs[j];
        const int32_t id = q->r->rules.by_user ? orr_job_user_index(q->r->ctx, job) : orr_job_vc(job);
        const size_t before = room;
        if ((size_t)id >= room)
            numbered = orr_vec_grow(numbered, &room, (size_t)id + 1, sizeof *numbered);
        for (size_t i = before; i < room; i++)
            numbered[i] = -1;
        if (numbered[id] < 0)
            numbered[id] = n++;
        entity[j] = numbered[id];
    }
    free(numbered);
    return n;
}

/* A job that could run only where nothing is up has nothing to gain, and no level. */
static void fill(const asked *q, bool entities)
{
    const int32_t n = q->p->jobs;
    double *need = numbers(n), *weight = numbers(n), *each = numbers(n);
    int32_t *entity = orr_xcalloc((size_t)n + 1, sizeof *entity);
    orr_share_fill how = {.need = need, .weight = weight, .fifo = q->r->rules.fifo_inside};
    for (int32_t j = 0; j < n; j++) {
        const double p = proportional_speed(q, j);
        need[j] = (p > 0 ? p : 1) / q->p->gpus[j];
        weight[j] = weight_of(q, j);
        each[j] = 1;
    }
    if (entities) {
        how.entity = entity;
        how.entities = find_entities(q, entity);
        how.entity_weight = each;
    }
    orr_shares_fill(q->p, &how, q->x);
    free(need);
    free(weight);
    free(each);
    free(entity);
}

static void proportional(const asked *q)
{
    double gangs = 0;
    for (int32_t j = 0; j < q->p->jobs; j++)
        gangs += q->p->gpus[j];
    for (int32_t j = 0; j < q->p->jobs; j++) {
        double row = 0;
        double *x = &q->x[(size_t)j * (size_t)q->p->types];
        for (int32_t k = 0; k < q->p->types; k++)
            row += x[k] = q->p->capacity[k] / gangs;
        for (int32_t k = 0; k < q->p->types && row > 1; k++)
            x[k] /= row;
    }
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Everybody gets the speed that is asked for, and then as much more of it as there is, in proportion to that. Without
 * this the optimum leaves open what those get that don't decide it. */
static void fill_up(const asked *q, double *asked_for)
{
    double *one = numbers(q->p->jobs);
    const orr_share_fill how = {.need = asked_for, .weight = one};
    for (int32_t j = 0; j < q->p->jobs; j++) {
        one[j] = 1;
        asked_for[j] = isfinite(asked_for[j]) ? fmax(asked_for[j], 1e-9) : 1;
    }
    orr_shares_fill(q->p, &how, q->x);
    free(one);
}

static void makespan(const asked *q)
{
    double *need = numbers(q->p->jobs);
    for (int32_t j = 0; j < q->p->jobs; j++)
        need[j] = proportional_speed(q, j) > 0 ? left_of(q, j) : 0;
    if (q->r->rules.sim)
        stay_inside(q, need, true);
    else
        fill_up(q, need);
    free(need);
}

/* What it would have needed so far with an even share grows by the work since the last reset over its speed then. */
static void count_isolated(const asked *q, int32_t job, double left, double speed)
{
    orr_share_row *row = q->rows[job];
    if (row->isolated_speed > 0)
        row->isolated += fmax(0, row->left - left) / row->isolated_speed;
    row->left = left;
    row->isolated_speed = speed;
}

/* With which a job's whole stay is so many times what it would be with an even share. */
static double speed_for(const orr_share_finish *about, double rho)
{
    const double left = rho * (about->isolated + about->left / about->isolated_speed) - about->elapsed;
    return left > 0 ? about->left / left : 0;
}

static void finish(const asked *q)
{
    const orr_share_problem alone = alone_of(q);
    orr_share_finish *about = orr_xcalloc((size_t)q->p->jobs + 1, sizeof *about);
    double *even = numbers(q->p->jobs * q->p->types), *speeds = numbers(q->p->jobs);
    orr_shares_even(&alone, even);
    for (int32_t j = 0; j < q->p->jobs; j++) {
        const double left = left_of(q, j), speed = orr_shares_speed(&alone, even, j);
        count_isolated(q, j, left, speed);
        about[j] = (orr_share_finish){.elapsed = orr_time_seconds(q->r->ctx->world->life->now - orr_job_submit(q->view->jobs[j])),
                                      .left = left, .isolated = q->rows[j]->isolated, .isolated_speed = speed};
    }
    const double rho = orr_shares_finish(q->p, about, q->x);
    for (int32_t j = 0; j < q->p->jobs; j++)
        speeds[j] = speed_for(&about[j], rho);
    if (q->r->rules.sim)
        stay_inside(q, speeds, false);
    else
        fill_up(q, speeds);
    free(speeds);
    free(even);
    free(about);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* Of an hour, by type; false: some type that jobs could run on has none. */
static bool find_prices(const asked *q, double *price)
{
    orr_ctx *ctx = q->r->ctx;
    for (int32_t k = 0; k < q->p->types; k++) {
        price[k] = orr_world_price(ctx->world, k);
        if (q->p->capacity[k] <= 0 || price[k] > 0)
            continue;
        orr_world_fault(ctx->world, ORR_E_MISSING, NULL, "costs are to be weighed, and the scenario has no price of %s above 0",
                        orr_type_name(ctx, k));
        return false;
    }
    return true;
}

/* What a row gains on a type: speeds relative to the recorded ones, or under `sim` steps a second, which favours
 * small steps. */
static double *gains(const asked *q, const double *price)
{
    const orr_share_problem *p = q->p;
    double *gain = numbers((p->jobs + p->pairs) * p->types), *rate = numbers(p->jobs);
    for (int32_t j = 0; j < p->jobs; j++)
        rate[j] = q->r->rules.sim ? orr_job_step_rate(q->r->ctx, q->view->jobs[j]) : 1;
    for (int32_t j = 0; j < p->jobs; j++)
        for (int32_t k = 0; k < p->types; k++)
            gain[j * p->types + k] = speed_of(q, j, k) * rate[j] / (price ? fmax(price[k], 1e-9) : 1);
    for (int32_t i = 0; i < p->pairs; i++)
        for (int32_t k = 0; k < p->types; k++) {
            const double *both = &p->pair_speed[((size_t)i * (size_t)p->types + (size_t)k) * 2];
            const double sum = both[0] * rate[p->pair[i].a] + both[1] * rate[p->pair[i].b];
            gain[(p->jobs + i) * p->types + k] = sum / (price ? fmax(price[k], 1e-9) : 1);
        }
    free(rate);
    return gain;
}

/* Speeds that deadlines ask for; those that are lost anyway ask for none. */
static double *floors(const asked *q)
{
    double *floor = numbers(q->p->jobs);
    for (int32_t j = 0; j < q->p->jobs; j++) {
        const orr_time deadline = orr_job_deadline(q->r->ctx, q->view->jobs[j]), now = q->r->ctx->world->life->now;
        double best = 0;
        for (int32_t k = 0; k < q->p->types; k++)
            best = fmax(best, speed_of(q, j, k));
        if (deadline == ORR_TIME_NONE || (deadline <= now && !q->r->rules.sim))
            continue;
        floor[j] = deadline > now ? left_of(q, j) / orr_time_seconds(deadline - now) : INFINITY;
        if (floor[j] > best && !q->r->rules.sim)
            floor[j] = 0;
    }
    return floor;
}

static void most_of(const asked *q, const double *gain, const double *floor)
{
    double *loss = numbers((q->p->jobs + q->p->pairs) * q->p->types);
    if (!orr_shares_max_sum_losses(q->p, gain, floor, q->x, loss))
        orr_shares_max_sum_losses(q->p, gain, NULL, q->x, loss);
    if (q->r->rules.sim)
        orr_share_leave_traces(q->p, gain, loss, q->x);
    free(loss);
}

/* Where the deadlines can't all be kept, none of them counts until the next reset. */
static orr_err sums(const asked *q, bool costs, bool deadlines)
{
    double *price = numbers(q->p->types), *gain = NULL, *floor = NULL;
    const bool good = !costs || find_prices(q, price);
    if (good) {
        gain = gains(q, costs ? price : NULL);
        floor = deadlines ? floors(q) : NULL;
        bool kept = floor != NULL;
        for (int32_t j = 0; kept && j < q->p->jobs; j++)
            kept = isfinite(floor[j]);
        most_of(q, gain, kept ? floor : NULL);
    }
    free(price);
    free(gain);
    free(floor);
    return good ? ORR_OK : ORR_E_MISSING;
}

/* ---- first come, first served ------------------------------------------------------------------------------------ */

enum { BLOCKS = -1, SKIPPED = -2 };

/* The type with room for its gang where it is fastest, of equals where it runs, else the first by name; BLOCKS: none.
 * The reference doesn't mind where it runs, and doesn't stop at a job that could run on none of those with room. */
static int32_t fastest_with_room(const asked *q, const double *left, int32_t job)
{
    int32_t best = BLOCKS;
    for (int32_t v = q->p->types - 1; v >= 0; v--) {
        const int32_t k = q->r->visit[v];
        const double speed = speed_of(q, job, k);
        if (left[k] < q->p->gpus[job])
            continue;
        const bool stays = !q->r->rules.sim && k == q->rows[job]->on;
        if (speed > 0 && (best < 0 || speed > speed_of(q, job, best) || (stays && speed == speed_of(q, job, best))))
            best = k;
        else if (best == BLOCKS && q->r->rules.sim)
            best = SKIPPED;
    }
    return best;
}

/* The placed job with which it gets on best, above the least that is asked; -1: none. Returns the pair. */
static int32_t best_pair(const asked *q, const int32_t *type, const bool *paired, int32_t job)
{
    double best = q->r->rules.pack_min;
    int32_t found = -1;
    for (int32_t i = 0; i < q->p->pairs; i++) {
        const orr_share_pair *two = &q->p->pair[i];
        const int32_t host = two->b == job ? two->a : two->b;
        if ((two->a != job && two->b != job) || type[host] < 0 || paired[host])
            continue;
        const double *both = &q->p->pair_speed[((size_t)i * (size_t)q->p->types + (size_t)type[host]) * 2];
        const double sum = both[0] / speed_of(q, two->a, type[host]) + both[1] / speed_of(q, two->b, type[host]);
        if (both[0] > 0 && sum > best) {
            best = sum;
            found = i;
        }
    }
    return found;
}

static bool any_left(const asked *q, const double *left)
{
    for (int32_t k = 0; k < q->p->types; k++)
        if (left[k] > 0)
            return true;
    return false;
}

/* Nobody overtakes. */
static void fifo(const asked *q)
{
    const int32_t n = q->p->jobs, types = q->p->types;
    double *left = numbers(types);
    int32_t *type = orr_xcalloc((size_t)n + 1, sizeof *type), j = 0, k;
    bool *paired = orr_xcalloc((size_t)n + 1, sizeof *paired);
    memcpy(left, q->p->capacity, (size_t)types * sizeof *left);
    for (int32_t i = 0; i < n; i++)
        type[i] = -1;
    for (; j < n && (k = fastest_with_room(q, left, j)) != BLOCKS; j++) {
        if (k == SKIPPED)
            continue;
        type[j] = k;
        left[k] -= q->p->gpus[j];
        q->x[j * types + k] = 1;
    }
    j += q->r->rules.sim && any_left(q, left); /* the reference has taken it off its queue by then, if it had to try */
    for (int32_t pair; j < n && (pair = best_pair(q, type, paired, j)) >= 0; j++) {
        const int32_t host = q->p->pair[pair].a == j ? q->p->pair[pair].b : q->p->pair[pair].a;
        q->x[host * types + type[host]] = 0;
        q->x[(n + pair) * types + type[host]] = 1;
        paired[host] = paired[j] = true;
    }
    free(left);
    free(type);
    free(paired);
}

static orr_err by_objective(const asked *all)
{
    const asked q = *all;
    orr_share_rounds *r = q.r;
    switch ((orr_objective)r->rules.objective) {
    case ORR_SHARES_MAX_MIN:
        if (r->rules.sim)
            max_min(&q);
        else
            fill(&q, false);
        break;
    case ORR_SHARES_FILL:
        fill(&q, false);
        break;
    case ORR_SHARES_LEVELS:
        fill(&q, true);
        break;
    case ORR_SHARES_FINISH:
        finish(&q);
        break;
    case ORR_SHARES_MAKESPAN:
        makespan(&q);
        break;
    case ORR_SHARES_SUM:
    case ORR_SHARES_COST:
    case ORR_SHARES_DEADLINES:
        return sums(&q, r->rules.objective != ORR_SHARES_SUM, r->rules.objective == ORR_SHARES_DEADLINES);
    case ORR_SHARES_FIFO:
        fifo(&q);
        break;
    case ORR_SHARES_ISOLATED:
        orr_shares_even(q.p, q.x);
        break;
    case ORR_SHARES_PROPORTIONAL:
        proportional(&q);
        break;
    case ORR_SHARES_QUEUES:
        orr_share_queues(r, q.view, q.rows, q.x);
        break;
    }
    return ORR_OK;
}

orr_err orr_share_objective_allocate(orr_share_rounds *r, const orr_share_view *view, orr_share_row *const *rows, double *x)
{
    const asked q = {r, view, &view->problem, rows, x};
    const orr_err err = by_objective(&q);
    return err;
}
