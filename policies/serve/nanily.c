/* nanily: earliest deadline first; a batch is as large as the tightest deadline lets it be; instances follow the rate.
 *
 * Source: Tang et al., "Nanily: a QoS-aware scheduling for DNN inference workload in clouds", HPCC 2019. What the tightest
 * deadline leaves now, less the least wait for an instance, bounds the batch: the largest whose time is within that.
 * Instances: rate over what one serves, b / l(b), with the largest batch that a request may just miss and still be in
 * time, 2 l(b) <= SLO (orr_batch_within, orr_replicas_for).
 * Assumed: an executor that asks is free, so that the least wait is 0; who would be late even alone doesn't bind the batch;
 * one instance less after `hold` in which fewer would have done.
 */
#include <orrery/batching.h>
#include <orrery/serve.h>

#include <math.h>

enum { SIZES = 256 };

struct knobs {
    orr_time period, window, hold;
    double load;
    int64_t least, most;
    bool scale;
};

static const orr_knob knobs[] = {
    {"scale", ORR_KNOB_BOOL, offsetof(struct knobs, scale), "on", NULL, "change the number of instances"},
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "1s", "10ms..1d", "how often instances are counted"},
    {"window", ORR_KNOB_TIME, offsetof(struct knobs, window), "10s", "10ms..10min", "the rate is that of the last"},
    {"hold", ORR_KNOB_TIME, offsetof(struct knobs, hold), "30s", "0..1d", "so long fewer must do before one goes"},
    {"load", ORR_KNOB_NUMBER, offsetof(struct knobs, load), "0.8", "0.01..1", "part of what an instance serves that is planned"},
    {"least", ORR_KNOB_INT, offsetof(struct knobs, least), "1", "0..100000", "instances at least"},
    {"most", ORR_KNOB_INT, offsetof(struct knobs, most), "1000", "1..100000", "instances at most"},
    {0},
};

struct mine {
    orr_time enough; /* since when fewer would do, + 1; 0: they wouldn't */
};

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    const orr_time left = f->head->deadline - orr_serve_now(ctx); /* the head has the tightest */
    int32_t bound = orr_batch_fit(ctx, exec, f->variant, left, f->take);
    if (bound == 0)
        bound = orr_batch_fit(ctx, exec, f->variant, orr_service_of(ctx, f->service)->classes[0].slo, f->take);
    if (f->take > bound)
        f->take = bound > 0 ? bound : 1;
}

/* Requests a second of one instance of the kind in `row`. O(largest batch), by period. */
static double each_of(orr_ctx *ctx, const orr_want_row *row, double slo)
{
    double seconds[SIZES];
    const int32_t most = orr_variant_of(ctx, row->variant)->max_batch, n = most < SIZES ? most : SIZES;
    for (int32_t b = 1; b <= n; b++) {
        const double t = orr_variant_time(ctx, row->variant, row->type, row->milli, row->gpus, b);
        seconds[b - 1] = isnan(t) ? INFINITY : t;
    }
    const orr_batch_times times = {.n = n, .seconds = seconds};
    const int32_t b = orr_batch_within(&times, slo / 2);
    return orr_batch_rate(&times, b > 0 ? b : 1);
}

static void want(orr_ctx *ctx, orr_service_id service, orr_want *w)
{
    const struct knobs *k = orr_knobs(ctx);
    struct mine *m = orr_service_priv(ctx, service);
    const orr_time now = orr_serve_now(ctx), window = now < k->window ? now : k->window;
    if (!k->scale || w->count == 0 || window <= 0)
        return;
    orr_want_row *row = &w->rows[0]; /* more of the kind that is there */
    const double each = each_of(ctx, row, (double)orr_service_of(ctx, service)->classes[0].slo * 1e-9) * k->load;
    const double rate = (double)orr_arrived(ctx, service, window) / ((double)window * 1e-9);
    int64_t n = each > 0 ? orr_replicas_for(rate, 1, each) : row->count;
    n = n < k->least ? k->least : n > k->most ? k->most : n;
    if (n >= row->count) {
        m->enough = n > row->count ? 0 : now + 1;
        row->count = (int32_t)n;
    } else if (m->enough == 0) {
        m->enough = now + 1;
    } else if (now + 1 - m->enough >= k->hold) {
        row->count--;
    }
}

static const orr_batcher batcher = {.order = ORR_QUEUE_EDF, .form = form};
static const orr_scaler scaler = {.want = want};

ORR_SERVE(nanily) = {
    .summary = "EDF, batches bound by the tightest deadline, instances by the rate",
    .cite = "Tang et al., Nanily, HPCC 2019",
    .deviations = "the paper says little of scaling: window, planned load and hold are ours; instances are of the kind that a "
                  "service begins with; where the head is late anyhow the SLO itself bounds the batch",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_RATE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .service_priv = sizeof(struct mine),
    .batcher = &batcher,
    .scaler = &scaler,
};
