/* tetris: packs by several resources at once. Of the waiting jobs and the nodes that have room for them, the pair
 * starts whose score is the greatest; and so on while something fits. The score is the alignment of what the job asks
 * with what is free, the sum over GPUs, cores and memory of asked x free, each as a part of what the node has; less
 * `epsilon` times the job's believed time left. Both are divided by their means over the jobs that could start now, so
 * that epsilon weighs packing (0) against shortest job first (large). Jobs that don't fit are skipped; nobody is
 * preempted.
 *
 * Source: Grandl et al., Tetris, SIGCOMM'14, sections 3.2 and 3.3. There each machine picks its best task when it has
 * room; here the best pair is taken, whichever node it is on. Gangs wider than a node have no alignment: they start
 * after the others, the shortest first, on the nodes with the fewest free GPUs.
 *
 * Jobs that ask the same wait in one heap by time left, since only the first of them can have the best score: a
 * decision costs O(kinds of request) a start, and the best node of a kind is kept by the scoring driver. */
#include <orrery/policy.h>

#include <math.h>

typedef struct settings {
    double epsilon;
    int32_t vc;
} settings;

typedef struct kind { /* of request */
    orr_heap waiting; /* jobs, least time left first */
    int32_t node;     /* the best for the first of them; -1: none */
    double alignment;
    int8_t wide;      /* 1: wider than any node where it may run; -1: not; 0: not asked yet */
    bool failed;      /* wide gangs: no room in this decision */
} kind;

typedef struct state {
    orr_scores *scores;
    kind *kinds; /* [room], by orr_job_shape */
    uint32_t count, room;
} state;

typedef struct own { /* by job */
    int32_t place; /* 1 + where in its heap; 0: it doesn't wait */
    double left;   /* believed time left */
} own;

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static orr_request request_of(orr_ctx *ctx, const orr_job *job)
{
    bool shared = ((const settings *)orr_knobs(ctx))->vc == ORR_VC_SHARED;
    return (orr_request){.job = job, .gpus = orr_job_gpus(job), .milli = orr_job_gpu_milli(job),
                         .scope = {.vc = shared ? -1 : orr_job_vc(job)}};
}

/* ---- alignment --------------------------------------------------------------------------------------------------- */

static double along(double asked, double free, double all)
{
    return all > 0 ? asked / all * (free / all) : 0;
}

static double alignment(orr_ctx *ctx, const orr_request *r, int32_t node)
{
    if (!orr_node_hosts(ctx, r, node))
        return -INFINITY;
    double gpus = along((double)r->gpus * r->milli, (double)orr_node_free_milli(ctx, node),
                        1000.0 * orr_node_gpus(ctx, node));
    double cores = along((double)orr_job_cpu_milli(r->job), (double)orr_node_cpu_free(ctx, node),
                         1000.0 * orr_node_cpus(ctx, node));
    return gpus + cores + along((double)orr_job_mem(r->job), (double)orr_node_mem_free(ctx, node),
                                (double)orr_node_mem(ctx, node));
}

/* ---- who waits --------------------------------------------------------------------------------------------------- */

static bool comes_before(void *self, const void *a, const void *b)
{
    double x = own_of(self, a)->left, y = own_of(self, b)->left;
    return x != y ? x < y : orr_job_index(a) < orr_job_index(b);
}

static int32_t *place_of(void *self, void *job)
{
    return &own_of(self, job)->place;
}

static kind *kind_of(orr_ctx *ctx, const orr_job *job)
{
    state *s = orr_state(ctx);
    uint32_t shape = orr_job_shape(job);
    if (shape >= s->room) {
        const kind *before = s->kinds;
        s->room = 2 * shape + 16;
        s->kinds = orr_alloc_memory(ctx, s->room * sizeof *s->kinds);
        for (uint32_t i = 0; i < s->count; i++)
            s->kinds[i] = before[i];
    }
    for (; s->count <= shape; s->count++)
        s->kinds[s->count].waiting = (orr_heap){.before = comes_before, .place = place_of, .self = ctx};
    return &s->kinds[shape];
}

/* The first to go; NULL: nobody waits. */
static orr_job *head_of(const kind *k)
{
    return k->waiting.count ? k->waiting.at[0] : NULL;
}

static void begin_waiting(orr_ctx *ctx, orr_job *job)
{
    *own_of(ctx, job) = (own){.left = orr_est_remaining(ctx, job)};
    orr_heap_add(ctx, &kind_of(ctx, job)->waiting, job);
}

static void end_waiting(orr_ctx *ctx, orr_job *job)
{
    orr_heap_remove(&kind_of(ctx, job)->waiting, job);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
    case ORR_EV_PREEMPTED:
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
        begin_waiting(ctx, job);
        break;
    case ORR_EV_STARTED:
    case ORR_EV_ENDED:
        end_waiting(ctx, job);
        break;
    default:
        break;
    }
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

/* Could this node, empty, host it? */
static bool could_host(orr_ctx *ctx, const orr_request *r, int32_t node)
{
    int64_t cpus = INT64_C(1000) * orr_node_cpus(ctx, node), mem = orr_node_mem(ctx, node);
    bool own_nodes = r->scope.vc >= 0 && !orr_vcs_are_tenants(ctx);
    return (!own_nodes || orr_node_vc(ctx, node) == r->scope.vc) && orr_node_suits(ctx, r->job, node) &&
           orr_node_gpus(ctx, node) >= r->gpus && (!cpus || orr_job_cpu_milli(r->job) <= cpus) &&
           (!mem || orr_job_mem(r->job) <= mem);
}

/* O(nodes), once a kind. */
static bool is_wide(orr_ctx *ctx, kind *k, const orr_request *r)
{
    for (int32_t i = 0; !k->wide && i < orr_cluster_nodes(ctx); i++)
        k->wide = could_host(ctx, r, i) ? -1 : 0;
    k->wide = k->wide ? k->wide : 1;
    return k->wide > 0;
}

/* The best node for the first job of each kind, and the means over those that have one; returns how many have. */
static int32_t look(orr_ctx *ctx, double *alignments, double *times)
{
    state *s = orr_state(ctx);
    int32_t n = 0;
    *alignments = *times = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        kind *k = &s->kinds[i];
        k->node = -1;
        if (!head_of(k))
            continue;
        orr_request r = request_of(ctx, head_of(k));
        k->node = is_wide(ctx, k, &r) ? -1 : orr_scores_best(s->scores, &r);
        if (k->node < 0)
            continue;
        k->alignment = alignment(ctx, &r, k->node);
        *alignments += k->alignment;
        *times += own_of(ctx, head_of(k))->left;
        n++;
    }
    return n;
}

/* Of those with a node the one with the greatest score; the first to come among equals. */
static kind *best_of(orr_ctx *ctx, int32_t n, double alignments, double times)
{
    const settings *set = orr_knobs(ctx);
    state *s = orr_state(ctx);
    kind *best = NULL;
    double most = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        kind *k = &s->kinds[i];
        if (!head_of(k) || k->node < 0)
            continue;
        double packs = alignments > 0 ? k->alignment * n / alignments : 0;
        double lasts = times > 0 ? own_of(ctx, head_of(k))->left * n / times : 0;
        double score = packs - set->epsilon * lasts;
        if (!best || score > most || (score == most && orr_job_index(head_of(k)) < orr_job_index(head_of(best)))) {
            best = k;
            most = score;
        }
    }
    return best;
}

static orr_err start_on(orr_ctx *ctx, orr_plan *plan, kind *k)
{
    orr_job *job = head_of(k);
    orr_request r = request_of(ctx, job);
    orr_alloc *out = orr_plan_alloc(plan);
    orr_err err = orr_take_on_node(ctx, plan, &r, k->node, out);
    if (!err)
        err = orr_plan_assign(plan, job, out);
    end_waiting(ctx, job);
    return err;
}

/* The wide gang with the least time left that may still fit. */
static kind *next_wide(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    kind *best = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        kind *k = &s->kinds[i];
        if (!head_of(k) || k->failed)
            continue;
        orr_request r = request_of(ctx, head_of(k));
        if (is_wide(ctx, k, &r) && (!best || comes_before(ctx, head_of(k), head_of(best))))
            best = k;
    }
    return best;
}

static orr_err start_wide(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    for (uint32_t i = 0; i < s->count; i++)
        s->kinds[i].failed = false;
    for (kind *k; (k = next_wide(ctx)) != NULL;) {
        orr_job *job = head_of(k);
        orr_request r = request_of(ctx, job);
        orr_alloc *out = orr_plan_alloc(plan);
        bool parts = r.milli < 1000;
        orr_err err = parts ? orr_fill_parts(ctx, &r, out) : orr_fill_nodes(ctx, plan, &r, ORR_NODES_FULLEST, out);
        k->failed = err != ORR_OK;
        if (k->failed)
            continue;
        err = orr_plan_assign(plan, job, out);
        end_waiting(ctx, job);
        if (err)
            return err;
    }
    return ORR_OK;
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    double alignments, times;
    for (int32_t n; (n = look(ctx, &alignments, &times)) > 0;) {
        orr_err err = start_on(ctx, plan, best_of(ctx, n, alignments, times));
        if (err)
            return err;
    }
    return start_wide(ctx, plan);
}

static orr_err init(orr_ctx *ctx)
{
    ((state *)orr_state(ctx))->scores = orr_scores_create(ctx, alignment);
    if (((const settings *)orr_knobs(ctx))->vc == ORR_VC_SHARED)
        orr_reach_all(ctx);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"epsilon", ORR_KNOB_NUMBER, offsetof(settings, epsilon), "1", "0..inf", "weight of the time left against packing"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "in their VC's nodes, or anywhere"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(tetris) = {
    .summary = "packs by GPUs, cores and memory, and prefers short jobs",
    .cite = "Grandl et al., Multi-Resource Packing for Cluster Schedulers (Tetris), SIGCOMM'14",
    .deviations = "it places jobs itself, whatever the placer; no fairness knob, remote penalty or barrier hints",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
    .placer = "first-fit",
};
