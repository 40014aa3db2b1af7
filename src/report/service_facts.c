/* Rates, best batches and capacities by profiles alone, and a page that tells them. */
#include "report/service_facts.h"

#include "base/mem.h"
#include "report/json.h"

#include <math.h>
#include <stdio.h>

/* ---- rates ---- */

/* The next state is drawn evenly from the others: each is entered as often, so time goes by the stays. */
static double modulated_rate(const orr_source *s)
{
    double asked = 0, time = 0;
    for (int32_t i = 0; i < s->states; i++) {
        asked += s->rates[i] * s->stays[i];
        time += s->stays[i];
    }
    return asked / time;
}

static double binned_rate(const orr_source *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->bins; i++)
        sum += (double)s->counts[i];
    return s->speed * sum / ((double)s->bins * orr_time_seconds(s->bin));
}

/* From the beginning of the record to the end of its last bin, as where counts alone are known. */
static double listed_bins_rate(const orr_source *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->listed; i++)
        sum += (double)s->list[i].count;
    return s->listed ? s->speed * sum / orr_time_seconds(s->list[s->listed - 1].arrival + s->bin) : NAN;
}

/* Of one request nothing can be said. */
static double listed_rate(const orr_source *s)
{
    if (s->bin > 0)
        return listed_bins_rate(s);
    const double span = s->listed > 1 ? orr_time_seconds(s->list[s->listed - 1].arrival - s->list[0].arrival) : 0;
    return span > 0 ? s->speed * (double)(s->listed - 1) / span : NAN;
}

double orr_source_mean_rate(const orr_source *source)
{
    switch (source->kind) {
    case ORR_SOURCE_NONE:
        return 0;
    case ORR_SOURCE_MMPP:
        return modulated_rate(source);
    case ORR_SOURCE_COUNTS:
        return binned_rate(source);
    case ORR_SOURCE_LIST:
        return listed_rate(source);
    case ORR_SOURCE_CLOSED:
        return NAN;
    default:
        return source->rate;
    }
}

/* Whoever is asked by nobody that still waits for its own rate comes next: edges make no circles. */
static void add_rates(const orr_services *s, orr_service_load *loads)
{
    int32_t *open = orr_xcalloc((size_t)s->count + 1, sizeof *open),
            *ready = orr_xcalloc((size_t)s->count + 1, sizeof *ready), made = 0;
    for (int32_t i = 0; i < s->count; i++) {
        loads[i].rate = orr_source_mean_rate(&s->services[i].source);
        for (int32_t k = 0; k < s->services[i].edge_count; k++)
            open[s->services[i].edges[k].to]++;
    }
    for (int32_t i = 0; i < s->count; i++)
        if (open[i] == 0)
            ready[made++] = i;
    for (int32_t done = 0; done < made; done++) {
        const orr_service *from = &s->services[ready[done]];
        for (int32_t k = 0; k < from->edge_count; k++) {
            const orr_service_edge *edge = &from->edges[k];
            loads[edge->to].rate += loads[ready[done]].rate * edge->fan_out;
            if (--open[edge->to] == 0)
                ready[made++] = edge->to;
        }
    }
    free(open);
    free(ready);
}

/* ---- batches ---- */

/* How often a pipeline can take a batch: its slowest stage; anything else: its whole time. */
static double gap_of(const orr_exec_profile *p, int32_t batch)
{
    const double whole = orr_exec_seconds(p, batch);
    if (p->kind != ORR_EXEC_STAGES || isnan(whole))
        return whole;
    int32_t i = 0;
    while (p->points[i].batch < batch)
        i++;
    double slowest = 0;
    for (int32_t k = 0; k < p->stage_count; k++)
        slowest = fmax(slowest, p->points[i].stages[k]);
    return slowest * (whole / p->points[i].mean);
}

/* n sequences at once, each `out` iterations long and half done in the mean; prompts come in as evenly as answers go
 * out. */
static void of_tokens(const orr_iter_cost *c, const orr_source *source, int32_t n, double *seconds, double *rate)
{
    const double in = fmax(source->tokens_in, 1), out = c->part == ORR_ITER_PREFILL ? 1 : fmax(source->tokens_out, 1);
    const double prompt = c->part == ORR_ITER_DECODE ? 0 : in * c->per_prompt;
    const double turn = c->base + n * (c->per_running + c->per_context * (in + out / 2)) + n / out * prompt;
    *seconds = (c->part == ORR_ITER_DECODE ? 0 : c->base + prompt) + (out - 1) * turn;
    *rate = n / (out * turn);
}

static int32_t most_of(const orr_variant *v, const orr_exec_profile *p, const orr_source *source)
{
    const double held = fmax(source->tokens_in, 1) + fmax(source->tokens_out, 1);
    if (p->kind != ORR_EXEC_ITER || !p->iter.kv_tokens || (double)p->iter.kv_tokens / held >= v->max_batch)
        return v->max_batch;
    return (int32_t)((double)p->iter.kv_tokens / held);
}

/* By a line larger batches are never worse: the largest in time is found at once. */
static orr_best_batch best_of_line(const orr_exec_profile *p, int32_t most, double limit)
{
    int32_t low = 0, high = most;
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (orr_exec_seconds(p, middle) <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    if (low == 0)
        return (orr_best_batch){0, 0, 0};
    const double seconds = orr_exec_seconds(p, low);
    return (orr_best_batch){low, seconds, low / seconds};
}

orr_best_batch orr_profile_best(const orr_variant *variant, const orr_exec_profile *profile, const orr_source *source,
                                orr_time slo)
{
    orr_best_batch best = {0, 0, 0};
    const int32_t most = most_of(variant, profile, source);
    const double limit = slo == ORR_TIME_MAX ? INFINITY : orr_time_seconds(slo);
    if (profile->kind == ORR_EXEC_LINEAR)
        return best_of_line(profile, most, limit);
    for (int32_t b = 1; b <= most; b++) {
        double seconds = orr_exec_seconds(profile, b), rate = b / gap_of(profile, b);
        if (profile->kind == ORR_EXEC_ITER)
            of_tokens(&profile->iter, source, b, &seconds, &rate);
        if (seconds <= limit && rate > best.rate)
            best = (orr_best_batch){b, seconds, rate};
    }
    return best;
}

static orr_time tightest(const orr_service *s)
{
    orr_time slo = ORR_TIME_MAX;
    for (int32_t i = 0; i < s->class_count; i++)
        slo = s->classes[i].slo < slo ? s->classes[i].slo : slo;
    return slo;
}

static double best_on(const orr_service *s, const orr_variant *v, const orr_exec_ask *ask)
{
    const orr_exec_profile *p = orr_variant_profile(v, ask->gpu_type, ask->milli, ask->gpus);
    return p ? orr_profile_best(v, p, &s->source, tightest(s)).rate : 0;
}

/* Of an executor that hosts several variants of a service its best counts: `best` is what is known of it so far
 * there. */
typedef struct held {
    int32_t executor; /* from 1; 0: none yet */
    double best;
} held;

static void add_host(const orr_services *s, int32_t executor, int32_t host, held *h, orr_service_load *loads)
{
    const orr_exec_ask *ask = &s->executors[executor];
    const int32_t service = ask->hosts[host].service;
    const double rate = best_on(&s->services[service], &s->services[service].variants[ask->hosts[host].variant], ask);
    if (h[service].executor != executor + 1) {
        h[service] = (held){executor + 1, 0};
        loads[service].executors += ask->count;
    }
    if (rate > h[service].best) {
        loads[service].capacity += (rate - h[service].best) * ask->count * ask->slots;
        h[service].best = rate;
    }
}

orr_service_load *orr_service_loads(const orr_services *services)
{
    orr_service_load *loads = orr_xcalloc((size_t)services->count + 1, sizeof *loads);
    held *h = orr_xcalloc((size_t)services->count + 1, sizeof *h);
    add_rates(services, loads);
    for (int32_t i = 0; i < services->executor_count; i++)
        for (int32_t k = 0; k < services->executors[i].host_count; k++)
            add_host(services, i, k, h, loads);
    free(h);
    return loads;
}

/* ---- text ---- */

static void seconds_cell(orr_grid *g, double s)
{
    char text[40];
    snprintf(text, sizeof text, s >= 1 ? "%.4g s" : "%.4g ms", s >= 1 ? s : 1e3 * s);
    orr_grid_cell(g, isnan(s) ? "-" : text, NULL);
}

static void number_cell(orr_grid *g, double v, const char *form)
{
    char text[40];
    snprintf(text, sizeof text, form, v);
    orr_grid_cell(g, isnan(v) ? "-" : text, NULL);
}

static void duration_cell(orr_grid *g, orr_time t)
{
    char text[ORR_TIME_BUF];
    orr_time_human(t, text);
    orr_grid_cell(g, t == ORR_TIME_MAX ? "-" : text, NULL);
}

/* Copies stand side by side and share what they point to: up to where is service `i` repeated? */
static int32_t alike_until(const orr_services *all, int32_t i)
{
    int32_t end = i + 1;
    while (end < all->count && all->services[end].variants == all->services[i].variants)
        end++;
    return end;
}

static void names_cell(orr_grid *g, const orr_services *all, int32_t from, int32_t end)
{
    orr_text text = {0};
    orr_text_addf(&text, "%s", all->services[from].name);
    if (end - from > 1)
        orr_text_addf(&text, " .. %s", all->services[end - 1].name);
    orr_grid_cell(g, text.at, NULL);
    orr_text_fini(&text);
}

static void service_row(const orr_services *all, int32_t from, int32_t end, const orr_service_load *load, orr_grid *g)
{
    const orr_service *s = &all->services[from];
    names_cell(g, all, from, end);
    duration_cell(g, tightest(s));
    number_cell(g, load->rate, "%.6g");
    number_cell(g, (double)load->executors, "%.0f");
    number_cell(g, load->executors ? load->capacity : (double)NAN, "%.6g");
    number_cell(g, load->capacity > 0 ? load->rate / load->capacity : (double)NAN, "%.2f");
}

static void add_services(const orr_services *all, orr_text *out)
{
    static const char *const heads[] = {"service", "slo", "asked /s", "executors", "capacity /s", "load"};
    orr_service_load *loads = orr_service_loads(all);
    orr_grid *g = orr_grid_create();
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        orr_grid_column(g, heads[i], heads[i], i > 0);
    for (int32_t i = 0, end; i < all->count; i = end) {
        end = alike_until(all, i);
        service_row(all, i, end, &loads[i], g);
    }
    orr_grid_print(g, ORR_TABLE_TEXT, out);
    orr_grid_destroy(g);
    free(loads);
}

static void place_text(const char *type, int32_t milli, const char *slice, int32_t gpus, orr_text *out)
{
    orr_text_clear(out);
    if (gpus > 1)
        orr_text_addf(out, "%d x ", (int)gpus);
    orr_text_addf(out, "%s", type[0] ? type : "any");
    if (slice && *slice)
        orr_text_addf(out, " %s", slice);
    else if (milli < 1000)
        orr_text_addf(out, " @%d", (int)milli);
}

static double first_of(const orr_exec_profile *p, const orr_source *source)
{
    double seconds = orr_exec_seconds(p, 1), rate;
    if (p->kind == ORR_EXEC_ITER)
        of_tokens(&p->iter, source, 1, &seconds, &rate);
    return seconds;
}

static const char *const kinds[ORR_EXEC_KINDS] = {"linear", "table", "stages", "ops", "iter"};

static void profile_row(const orr_services *all, int32_t from, int32_t end, const orr_variant *v,
                        const orr_exec_profile *p, orr_grid *g)
{
    const orr_service *s = &all->services[from];
    orr_text place = {0};
    const orr_best_batch best = orr_profile_best(v, p, &s->source, tightest(s));
    place_text(p->gpu_type, p->milli, NULL, p->gpus, &place);
    names_cell(g, all, from, end);
    orr_grid_cell(g, v->name, NULL);
    orr_grid_cell(g, place.at, NULL);
    orr_grid_cell(g, kinds[p->kind], NULL);
    number_cell(g, v->accuracy, "%.4g");
    number_cell(g, v->bytes ? (double)v->bytes / 1e6 : (double)NAN, "%.6g");
    seconds_cell(g, first_of(p, &s->source));
    number_cell(g, best.batch ? (double)best.batch : (double)NAN, "%.0f");
    seconds_cell(g, best.batch ? best.seconds : (double)NAN);
    number_cell(g, best.batch ? best.rate : (double)NAN, "%.6g");
    orr_text_fini(&place);
}

static void add_variants(const orr_services *all, orr_text *out)
{
    static const char *const heads[] = {"service",    "variant", "GPUs",       "profile", "accuracy",
                                        "weights MB", "l(1)",    "best batch", "l(best)", "requests /s"};
    orr_grid *g = orr_grid_create();
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        orr_grid_column(g, heads[i], heads[i], i > 3);
    for (int32_t i = 0, end; i < all->count; i = end) {
        const orr_service *s = &all->services[i];
        end = alike_until(all, i);
        for (int32_t k = 0; k < s->variant_count; k++)
            for (int32_t p = 0; p < s->variants[k].profile_count; p++)
                profile_row(all, i, end, &s->variants[k], &s->variants[k].profiles[p], g);
    }
    orr_grid_print(g, ORR_TABLE_TEXT, out);
    orr_grid_destroy(g);
}

/* More than these are counted. */
enum { HOSTS_SHOWN = 4 };

static void hosts_text(const orr_services *all, const orr_exec_ask *ask, orr_text *out)
{
    orr_text_clear(out);
    for (int32_t i = 0; i < ask->host_count && i < HOSTS_SHOWN; i++) {
        const orr_service *s = &all->services[ask->hosts[i].service];
        orr_text_addf(out, "%s%s/%s", i ? ", " : "", s->name, s->variants[ask->hosts[i].variant].name);
    }
    if (ask->host_count > HOSTS_SHOWN)
        orr_text_addf(out, " and %d more", (int)ask->host_count - HOSTS_SHOWN);
}

static void add_executors(const orr_services *all, orr_text *out)
{
    static const char *const heads[] = {"executors", "GPUs", "slots", "market", "hosts"};
    orr_grid *g = orr_grid_create();
    orr_text text = {0};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        orr_grid_column(g, heads[i], heads[i], i == 0 || i == 2);
    for (int32_t i = 0; i < all->executor_count; i++) {
        const orr_exec_ask *ask = &all->executors[i];
        place_text(ask->gpu_type, ask->milli, ask->slice, ask->gpus, &text);
        number_cell(g, ask->count, "%.0f");
        orr_grid_cell(g, text.at, NULL);
        number_cell(g, ask->slots, "%.0f");
        orr_grid_cell(g, ask->market[0] ? ask->market : "-", NULL);
        hosts_text(all, ask, &text);
        orr_grid_cell(g, text.at, NULL);
    }
    orr_grid_print(g, ORR_TABLE_TEXT, out);
    orr_grid_destroy(g);
    orr_text_fini(&text);
}

static double gpus_of(const orr_services *all)
{
    double sum = 0;
    for (int32_t i = 0; i < all->executor_count; i++)
        sum += (double)all->executors[i].count * all->executors[i].gpus * all->executors[i].milli / 1000;
    return sum;
}

/* Sizes as they are mostly stated: in decimal GB, pages in MiB. */
static void add_store(const orr_weight_store *s, orr_text *out)
{
    if (!(s->bandwidth > 0))
        return;
    orr_text_addf(out, "\nstore: weights at %g GB/s, %d at once to an executor", s->bandwidth / 1e9, (int)s->channels);
    if (s->page)
        orr_text_addf(out, ", in pages of %g MiB", (double)s->page / (1 << 20));
    if (s->capacity)
        orr_text_addf(out, "; room for %g GB on a GPU\n", (double)s->capacity / 1e9);
    else
        orr_text_addf(out, "; room for what a GPU has\n");
}

void orr_service_facts_text(const orr_services *all, orr_text *out)
{
    orr_text_addf(out, "services  %s    %d service%s on %g GPU%s\n\n", all->name, (int)all->count,
                  all->count == 1 ? "" : "s", gpus_of(all), gpus_of(all) == 1 ? "" : "s");
    add_services(all, out);
    orr_text_addf(out, "\n");
    add_variants(all, out);
    if (all->executor_count) {
        orr_text_addf(out, "\n");
        add_executors(all, out);
    }
    add_store(&all->store, out);
    orr_text_addf(out, "\ncapacity: full batches one after the other, each within the slo, and as if the executors had "
                       "no other service\n");
    for (int32_t i = 0; i < all->note_count; i++)
        orr_text_addf(out, "note: %s\n", all->notes[i].detail);
}

/* ---- JSON ---- */

/* What isn't there, or isn't finite, is null. */
static void positive(cJSON *o, const char *key, double v)
{
    orr_json_double(o, key, v > 0 ? v : NAN);
}

static void profile_json(const orr_service *s, const orr_variant *v, const orr_exec_profile *p, cJSON *list)
{
    const orr_best_batch best = orr_profile_best(v, p, &s->source, tightest(s));
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_text(o, "type", p->gpu_type[0] ? p->gpu_type : NULL);
    orr_json_double(o, "share", p->milli / 1000.0);
    orr_json_count(o, "gpus", (uint64_t)p->gpus);
    orr_json_text(o, "kind", kinds[p->kind]);
    orr_json_count(o, "points", (uint64_t)p->point_count);
    orr_json_double(o, "first", first_of(p, &s->source));
    positive(o, "best_batch", best.batch);
    positive(o, "best_time", best.seconds);
    positive(o, "best_rate", best.rate);
}

static void variant_json(const orr_service *s, const orr_variant *v, cJSON *list)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_text(o, "variant", v->name);
    orr_json_double(o, "accuracy", v->accuracy);
    orr_json_count(o, "max_batch", (uint64_t)v->max_batch);
    positive(o, "weights", (double)v->bytes);
    orr_json_time(o, "load_time", v->load);
    cJSON *profiles = orr_json_array(o, "profiles");
    for (int32_t i = 0; i < v->profile_count; i++)
        profile_json(s, v, &v->profiles[i], profiles);
}

static void class_json(const orr_slo_class *c, cJSON *list)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_text(o, "class", c->name);
    orr_json_time(o, "slo", c->slo == ORR_TIME_MAX ? ORR_TIME_NONE : c->slo);
    orr_json_double(o, "part", c->part);
}

static void service_json(const orr_services *all, int32_t i, const orr_service_load *load, cJSON *list)
{
    const orr_service *s = &all->services[i];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_text(o, "service", s->name);
    cJSON *classes = orr_json_array(o, "classes");
    for (int32_t k = 0; k < s->class_count; k++)
        class_json(&s->classes[k], classes);
    orr_json_double(o, "asked", orr_source_mean_rate(&s->source));
    orr_json_double(o, "rate", load->rate);
    orr_json_count(o, "executors", (uint64_t)load->executors);
    positive(o, "capacity", load->capacity);
    orr_json_double(o, "load", load->capacity > 0 ? load->rate / load->capacity : (double)NAN);
    cJSON *to = orr_json_array(o, "to");
    for (int32_t k = 0; k < s->edge_count; k++)
        orr_json_item(to, all->services[s->edges[k].to].name);
    cJSON *variants = orr_json_array(o, "variants");
    for (int32_t k = 0; k < s->variant_count; k++)
        variant_json(s, &s->variants[k], variants);
}

static void executor_json(const orr_services *all, const orr_exec_ask *ask, orr_text *text, cJSON *list)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_text(o, "name", ask->name[0] ? ask->name : NULL);
    orr_json_text(o, "type", ask->gpu_type[0] ? ask->gpu_type : NULL);
    orr_json_count(o, "gpus", (uint64_t)ask->gpus);
    orr_json_double(o, "share", ask->milli / 1000.0);
    if (ask->slice && *ask->slice)
        orr_json_text(o, "slice", ask->slice);
    orr_json_count(o, "slots", (uint64_t)ask->slots);
    orr_json_count(o, "count", (uint64_t)ask->count);
    orr_json_text(o, "market", ask->market[0] ? ask->market : NULL);
    cJSON *hosts = orr_json_array(o, "hosts");
    for (int32_t i = 0; i < ask->host_count; i++) {
        const orr_service *s = &all->services[ask->hosts[i].service];
        orr_text_clear(text);
        orr_text_addf(text, "%s/%s", s->name, s->variants[ask->hosts[i].variant].name);
        orr_json_item(hosts, text->at);
    }
}

cJSON *orr_service_facts_json(const orr_services *all)
{
    cJSON *o = cJSON_CreateObject();
    orr_service_load *loads = orr_service_loads(all);
    orr_text text = {0};
    orr_json_text(o, "schema", "orrery.service-facts/1");
    orr_json_text(o, "name", all->name);
    orr_json_text(o, "sha256", all->digest[0] ? all->digest : NULL);
    orr_json_time(o, "warm_up", all->warm_up);
    cJSON *list = orr_json_array(o, "services");
    for (int32_t i = 0; i < all->count; i++)
        service_json(all, i, &loads[i], list);
    cJSON *executors = orr_json_array(o, "executors");
    for (int32_t i = 0; i < all->executor_count; i++)
        executor_json(all, &all->executors[i], &text, executors);
    if (all->store.bandwidth > 0) {
        cJSON *store = orr_json_object(o, "store");
        orr_json_double(store, "bandwidth", all->store.bandwidth);
        orr_json_count(store, "channels", (uint64_t)all->store.channels);
        orr_json_count(store, "page", (uint64_t)all->store.page);
        orr_json_count(store, "capacity", (uint64_t)all->store.capacity);
    }
    cJSON *notes = orr_json_array(o, "notes");
    for (int32_t i = 0; i < all->note_count; i++)
        orr_json_item(notes, all->notes[i].detail);
    orr_text_fini(&text);
    free(loads);
    return o;
}
