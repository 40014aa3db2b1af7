/* mark: machines are bought for the load that is forecast, the cheapest first; what they can't answer in time is bought by the
 * call.
 *
 * Source: Zhang et al., "MArk: exploiting cloud services for cost-effective, SLO-aware machine learning inference serving",
 * ATC 2019, §4, and its public code (marcoszh/MArk-Project, proactive_controller.py).
 *   batches   the largest b with (b - 1) / rate + l(b) <= SLO at an instance's share of the rate (orr_batch_filled); the
 *             oldest waits SLO - l(b) at most.
 *   buying    the rate of each of the next steps is forecast; where it is more than what there is, the machine with the least
 *             (price T + launch) / requests is bought, again and again (orr_buy); only what is wanted by the time that it would
 *             be up is enacted. Where all steps leave a surplus, the dearest a request that fits in it goes (orr_dearest_kind).
 *   reactive  a request whose predicted wait and batch pass the SLO goes to the serverless variant, where there is one.
 *   spot      a market whose machines are taken away is one among others, at its price and with what its absences cost; a machine
 *             with notice no longer counts, so that another is bought before it goes.
 * Assumed: the forecast is that of the last step (`last`), of the same time a season ago (`seasonal`), or a line through
 * the last steps (`trend`), times a random error where `error` says so; an instance serves `load` of what its batches could.
 */
#include <orrery/batching.h>
#include <orrery/serve.h>

#include <math.h>
#include <string.h>

enum { LAST, SEASONAL, TREND };
enum { SIZES = 256, PAST = 1536, KINDS = 16, BUYS = 256, TRENDED = 5 };

struct knobs {
    orr_time period, season;
    int64_t ahead, least, most;
    double load, error, part;
    int32_t forecast;
    bool spot, reactive, buy;
};

static const orr_knob knobs[] = {
    {"buy", ORR_KNOB_BOOL, offsetof(struct knobs, buy), "on", NULL, "change what is there; off: batches and calls only"},
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "60s", "100ms..10min", "a step: how often one buys"},
    {"ahead", ORR_KNOB_INT, offsetof(struct knobs, ahead), "50", "1..64", "steps that are forecast"},
    {"forecast", ORR_KNOB_CHOICE, offsetof(struct knobs, forecast), "last", "last|seasonal|trend", "how"},
    {"season", ORR_KNOB_TIME, offsetof(struct knobs, season), "1d", "1s..7d", "after which the load is alike"},
    {"error", ORR_KNOB_NUMBER, offsetof(struct knobs, error), "0", "0..10", "relative deviation put on forecasts"},
    {"load", ORR_KNOB_NUMBER, offsetof(struct knobs, load), "0.8", "0.01..1", "part of what an instance serves that is planned"},
    {"part", ORR_KNOB_NUMBER, offsetof(struct knobs, part), "0.9", "0.1..1", "part of the SLO that plans use"},
    {"spot", ORR_KNOB_BOOL, offsetof(struct knobs, spot), "on", NULL, "buy machines that are taken away, too"},
    {"reactive", ORR_KNOB_BOOL, offsetof(struct knobs, reactive), "on", NULL, "calls for what would be late"},
    {"least", ORR_KNOB_INT, offsetof(struct knobs, least), "1", "0..1000", "instances at least"},
    {"most", ORR_KNOB_INT, offsetof(struct knobs, most), "1000", "1..100000", "instances at most"},
    {0},
};

static const orr_preset presets[] = {
    {"on-demand", "spot=off", "no machines that are taken away"},
    {"reactive", "ahead=1,reactive=off,spot=off", "the baseline: buys by the last step's rate, no calls"},
    {0},
};

struct mine { /* of a service */
    double capacity; /* of those that are ready, requests a second */
    double seconds;  /* of the batch that is planned */
    int32_t batch;
    bool known;      /* the three above; false: to be looked at again */
    uint32_t steps;
    float rates[PAST]; /* a ring */
};

struct kind {
    orr_want_row row;
    orr_machine_kind machine;
};

/* ---- batches ---- */

static double slo_of(orr_ctx *ctx, orr_service_id service)
{
    const struct knobs *k = orr_knobs(ctx);
    return (double)orr_service_of(ctx, service)->classes[0].slo * 1e-9 * k->part;
}

/* What an executor (or, exec -1, a kind of machine) serves: of the batches that are filled in time at the rate that they
 * serve, the fastest. O(largest batch), by period and kind. */
static double serves(orr_ctx *ctx, orr_service_id service, orr_exec_id exec, const orr_want_row *row)
{
    double best = 0;
    const int32_t most = orr_variant_of(ctx, row->variant)->max_batch;
    for (int32_t b = 1; b <= most && b <= SIZES; b++) {
        const double t = exec < 0 ? orr_variant_time(ctx, row->variant, row->type, row->milli, row->gpus, b)
                                  : orr_exec_time(ctx, exec, row->variant, b);
        if (!isnan(t) && (b - 1) * t / b + t <= slo_of(ctx, service) && b / t > best)
            best = b / t;
    }
    return best;
}

/* At a ready instance's share of the last step's rate. */
static int32_t batch_for(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, double rate, double slo)
{
    double seconds[SIZES];
    const int32_t most = orr_variant_of(ctx, variant)->max_batch, n = most < SIZES ? most : SIZES;
    for (int32_t b = 1; b <= n; b++) {
        const double t = orr_exec_time(ctx, exec, variant, b);
        seconds[b - 1] = isnan(t) ? INFINITY : t;
    }
    const orr_batch_times times = {.n = n, .seconds = seconds};
    return orr_batch_filled(&times, rate, slo);
}

/* Ready ones, what they serve together, and the batch: by period, and after one came or went. */
static struct mine *looked_at(orr_ctx *ctx, orr_service_id service)
{
    struct mine *m = orr_service_priv(ctx, service);
    if (m->known)
        return m;
    const orr_variant_id variant = orr_service_current(ctx, service);
    const double rate = m->steps ? (double)m->rates[(m->steps - 1) % PAST] : 0, slo = slo_of(ctx, service);
    const orr_replica_id *replicas;
    const int32_t n = orr_variant_replicas(ctx, variant, &replicas);
    int32_t ready = 0;
    orr_exec_id some = -1;
    m->capacity = 0;
    for (int32_t i = 0; i < n; i++) {
        const orr_exec_id exec = orr_replica_exec(ctx, replicas[i]);
        if (orr_replica_phase(ctx, replicas[i]) != ORR_PHASE_READY)
            continue;
        m->capacity += serves(ctx, service, exec, &(orr_want_row){.variant = variant});
        some = some < 0 ? exec : some;
        ready++;
    }
    m->batch = ready && rate > 0 ? batch_for(ctx, some, variant, rate / ready, slo) : 1;
    m->batch = m->batch > 0 ? m->batch : 1;
    m->seconds = some >= 0 ? orr_exec_time(ctx, some, variant, m->batch) : 0;
    m->known = true;
    return m;
}

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    const int32_t b = looked_at(ctx, f->service)->batch;
    const double patience = slo_of(ctx, f->service) - orr_exec_time(ctx, exec, f->variant, b);
    const bool limited = orr_service_of(ctx, f->service)->classes[0].slo != ORR_TIME_MAX; /* without an SLO nobody is waited for */
    const orr_time until = limited && patience > 0 ? orr_time_add(f->head->arrival, (orr_time)(patience * 1e9)) : 0;
    /* who waits already is served in a full batch; larger than planned where that is still in time */
    const int32_t fits = orr_batch_fit(ctx, exec, f->variant, f->head->deadline - orr_serve_now(ctx), f->take);
    const int32_t full = fits > b ? fits : b;
    if (f->take > full)
        f->take = full;
    if (f->waiting < b && f->take == f->waiting && orr_serve_now(ctx) < until)
        orr_form_wait(ctx, f, b, until);
}

/* ---- what can't be in time ---- */

static orr_dest route(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_variant_id variant)
{
    const struct knobs *k = orr_knobs(ctx);
    const struct mine *m = looked_at(ctx, service);
    const orr_variant *v = orr_variant_of(ctx, variant);
    orr_dest dest = {.variant = variant, .replica = -1};
    if (!k->reactive || (v->call <= 0 && v->cost <= 0) || req->deadline == ORR_TIME_MAX)
        return dest;
    const double ahead = orr_dest_waiting(ctx, dest) + 1;
    const double predicted = m->capacity > 0 ? ahead / m->capacity + m->seconds : INFINITY;
    dest.remote = predicted > (double)(req->deadline - orr_serve_now(ctx)) * 1e-9;
    return dest;
}

/* ---- forecasts ---- */

static double past(const struct mine *m, uint32_t back)
{
    return back < m->steps && back < PAST ? (double)m->rates[(m->steps - 1 - back) % PAST] : NAN;
}

/* Least squares through the last steps. */
static double trend(const struct mine *m, int32_t ahead)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t i = 0; i < TRENDED && !isnan(past(m, i)); i++) {
        const double t = -(double)i, r = past(m, i);
        n++, x += t, y += r, xx += t * t, xy += t * r;
    }
    const double under = n * xx - x * x, slope = under > 0 ? (n * xy - x * y) / under : 0;
    return fmax(0, (y - slope * x) / n + slope * ahead);
}

static double forecast(orr_ctx *ctx, const struct mine *m, int32_t ahead)
{
    const struct knobs *k = orr_knobs(ctx);
    double f = past(m, 0);
    const double season = round((double)k->season / (double)k->period);
    if (k->forecast == SEASONAL && season >= ahead && season < PAST && !isnan(past(m, (uint32_t)season - (uint32_t)ahead)))
        f = past(m, (uint32_t)season - (uint32_t)ahead);
    else if (k->forecast == TREND)
        f = trend(m, ahead < TRENDED ? ahead : TRENDED); /* no further than it looked back */
    double off = -6; /* a sum of twelve uniform numbers is roughly normal */
    for (int i = 0; k->error > 0 && i < 12; i++)
        off += orr_random(ctx);
    return k->error > 0 ? fmax(0, f * (1 + k->error * off)) : f;
}

/* ---- buying ---- */

static int32_t kinds_of(orr_ctx *ctx, orr_service_id service, const orr_want *w, struct kind *out)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_service *spec = orr_service_of(ctx, service);
    const double starts = (double)(spec->machine + spec->container + orr_variant_of(ctx, w->current)->load) * 1e-9;
    const int32_t markets = orr_markets_count(ctx);
    int32_t n = 0;
    for (int32_t i = 0; i < (markets ? markets : w->count) && n < KINDS; i++) {
        struct kind kind = {.row = {.variant = w->current, .type = -1, .market = i, .milli = 1000, .gpus = 1}, .machine.price = 1};
        if (!markets) {
            kind.row = w->rows[i]; /* nothing is sold: more of what there is, all at one price */
            kind.row.variant = w->current;
        } else {
            const orr_market *market = orr_market_of(ctx, i);
            const bool taken = market->mean_life > 0 && market->mean_life != ORR_TIME_MAX;
            for (int32_t t = 0; market->gpu_type && *market->gpu_type && t < orr_cluster_types(ctx); t++)
                if (strcmp(orr_type_name(ctx, t), market->gpu_type) == 0)
                    kind.row.type = t;
            if (taken && !k->spot)
                continue;
            kind.machine.price = orr_market_price(ctx, i);
            if (taken)
                kind.machine.price /=
                    1 - orr_spot_outlook(1, (double)market->mean_life * 1e-9, starts, 3600).lost;
        }
        kind.machine.capacity = serves(ctx, service, -1, &kind.row) * k->load;
        kind.machine.launch = kind.machine.price * starts / 3600;
        if (kind.machine.capacity > 0)
            out[n++] = kind;
    }
    return n;
}

static bool alike(const orr_want_row *a, const orr_want_row *b)
{
    return a->variant == b->variant && a->market == b->market && (a->type < 0 || b->type < 0 || a->type == b->type);
}

/* Those of a kind that will be taken away, as was told. O(replicas), by period. */
static int32_t noticed_of(orr_ctx *ctx, const orr_want_row *row)
{
    const orr_replica_id *replicas;
    const int32_t n = orr_variant_replicas(ctx, row->variant, &replicas);
    int32_t noticed = 0;
    for (int32_t i = 0; i < n; i++) {
        const orr_exec_id exec = orr_replica_exec(ctx, replicas[i]);
        noticed += orr_replica_phase(ctx, replicas[i]) < ORR_PHASE_DRAINING && orr_exec_market(ctx, exec) == row->market &&
                   (row->type < 0 || orr_exec_type(ctx, exec) == row->type) && orr_exec_until(ctx, exec) != ORR_TIME_MAX;
    }
    return noticed;
}

static orr_want_row *row_for(orr_want *w, const orr_want_row *like)
{
    for (int32_t i = 0; i < w->count; i++)
        if (alike(&w->rows[i], like))
            return &w->rows[i];
    if (w->count == ORR_WANT_MOST)
        return NULL;
    w->rows[w->count] = *like;
    w->rows[w->count].count = 0;
    return &w->rows[w->count++];
}

/* Steps that a machine bought now is up too late for, and one more. */
static int32_t enacted(orr_ctx *ctx, orr_service_id service, orr_variant_id variant)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_service *spec = orr_service_of(ctx, service);
    return (int32_t)((spec->machine + spec->container + orr_variant_of(ctx, variant)->load) / k->period) + 2;
}

static void buy(orr_ctx *ctx, orr_service_id service, orr_want *w)
{
    const struct knobs *k = orr_knobs(ctx);
    const struct mine *m = orr_service_priv(ctx, service);
    const int32_t rows = w->count;
    struct kind kinds[KINDS];
    orr_machine_kind machines[KINDS];
    orr_purchase plan[BUYS];
    double lacks[64], there = 0, greatest = 0;
    int32_t held[KINDS], all = 0;
    const int32_t n = kinds_of(ctx, service, w, kinds);
    for (int32_t i = 0; i < n; i++) {
        const orr_want_row *row = row_for(w, &kinds[i].row);
        machines[i] = kinds[i].machine;
        held[i] = row ? row->count - noticed_of(ctx, row) : 0;
        there += held[i] * machines[i].capacity;
        all += held[i];
    }
    for (int32_t i = 0; i < rows; i++) { /* what is there and isn't sold serves, too */
        bool sold = false;
        for (int32_t j = 0; j < n; j++)
            sold |= alike(&w->rows[i], &kinds[j].row);
        if (!sold && w->rows[i].variant == w->current) {
            there += w->rows[i].count * serves(ctx, service, -1, &w->rows[i]) * k->load;
            all += w->rows[i].count;
        }
    }
    for (int32_t s = 0; s < k->ahead; s++) {
        const double f = forecast(ctx, m, s + 1);
        lacks[s] = f - there;
        greatest = fmax(greatest, f);
    }
    const double step = (double)k->period * 1e-9;
    const size_t buys = orr_buy(machines, n, lacks, (size_t)k->ahead, step, plan, BUYS);
    const int32_t soon = enacted(ctx, service, w->current);
    for (size_t i = 0; i < buys && all < k->most; i++) {
        orr_want_row *row = row_for(w, &kinds[plan[i].kind].row);
        if (row && plan[i].from < (size_t)soon) {
            row->count++;
            all++;
        }
    }
    for (int32_t d; buys == 0 && all > k->least && (d = orr_dearest_kind(machines, n, held, there - greatest)) >= 0; all--) {
        held[d]--;
        there -= machines[d].capacity;
        row_for(w, &kinds[d].row)->count--;
    }
}

static void want(orr_ctx *ctx, orr_service_id service, orr_want *w)
{
    const struct knobs *k = orr_knobs(ctx);
    struct mine *m = orr_service_priv(ctx, service);
    const double rate = (double)orr_arrived(ctx, service, k->period) / ((double)k->period * 1e-9);
    m->rates[m->steps++ % PAST] = (float)rate;
    if (k->buy)
        buy(ctx, service, w);
    m->known = false;
}

static void on_event(orr_ctx *ctx, const orr_serve_event *e)
{
    if (e->kind == ORR_SE_REPLICA)
        ((struct mine *)orr_service_priv(ctx, e->service))->known = false;
}

static const orr_batcher batcher = {.form = form};
static const orr_router router = {.route = route};
static const orr_scaler scaler = {.want = want, .on_event = on_event};

ORR_SERVE(mark) = {
    .summary = "buys the cheapest machines for a forecast, calls for the rest",
    .cite = "Zhang et al., MArk, ATC 2019; code marcoszh/MArk-Project",
    .deviations = "forecasts are simple ones (the paper's is a neural network); CPU instances are GPU types of the scenario; no "
                  "burstable standby: what an interruption leaves is called for; prices don't move",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_RATE] = ORR_KNOW_OBSERVED, [ORR_SQ_MARKET] = ORR_KNOW_DECLARED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(struct knobs),
    .service_priv = sizeof(struct mine),
    .batcher = &batcher,
    .router = &router,
    .scaler = &scaler,
};
