/* Who asks: the keys of `arrivals`, which of them each kind has, and traces that arrivals are taken from. */
#include "config/services.h"

#include <math.h>
#include <stdio.h>

#define MAX_RATE 1000000000
#define MAX_BINS 100000000
#define MAX_TOKENS 1000000000

typedef struct source_entry {
    int32_t kind, within;
    double rate, cv, swing, speed;
    const orr_yaml *rates, *stays, *values, *think_spread, *tokens, *inputs;
    int64_t clients;
    orr_time think, bin, period, phase, from, until;
    const char *file, *service, *tz, *format;
    uint64_t limit;
} source_entry;

typedef struct token_entry {
    double in, out;
    const orr_yaml *in_spread, *out_spread;
} token_entry;

typedef struct input_entry {
    uint64_t count;
    double zipf;
} input_entry;

/* clang-format off */
#define AT(member) offsetof(source_entry, member)
static const orr_key source_keys[] = {
    {"kind", ORR_KEY_CHOICE, AT(kind), NULL, 0, 0,
     "`poisson`: `rate`. `gamma`: gaps of this `rate` and `cv`. `mmpp`: Poisson at one of `rates`, for its time of "
     "`stays` in the mean, then at another. "
     "`regular`: evenly at `rate`. `closed`: `clients` who ask, wait for the answer and `think`. `counts`: so many in "
     "each bin, by `file` or `values`. "
     "`diurnal`: Poisson of a `rate` that swings. `trace`: as recorded in `file`.",
     "none|poisson|gamma|mmpp|regular|closed|counts|diurnal|trace"},
    {"rate", ORR_KEY_RATE, AT(rate), "0", 0, MAX_RATE, "Mean rate.", NULL},
    {"cv", ORR_KEY_REAL, AT(cv), "0", 0, 1000,
     "Of `gamma`, and of `counts` with `within: gamma`: standard deviation of gaps by their mean.", NULL},
    {"rates", ORR_KEY_TEXTS, AT(rates), "", 2, 1000, "A rate a state.", NULL},
    {"stays", ORR_KEY_TEXTS, AT(stays), "", 2, 1000, "The mean time in each state.", NULL},
    {"clients", ORR_KEY_INT, AT(clients), "", 1, 100000000, "How many.", NULL},
    {"think", ORR_KEY_DURATION, AT(think), "0", 0, INT64_MAX - 1,
     "Between an answer and the next question, in the mean.", NULL},
    {"think_spread", ORR_KEY_ANY, AT(think_spread), "", 0, 0, "How that scatters (below).", NULL},
    {"file", ORR_KEY_TEXT, AT(file), "", 0, 0, "A trace of requests; of bins with `counts`.", NULL},
    {"format", ORR_KEY_TEXT, AT(format), "", 0, 0, "Its format; left out, it is seen from its content.", NULL},
    {"service", ORR_KEY_TEXT, AT(service), "", 0, 0, "Only what the trace has for the service of this name.", NULL},
    {"tz", ORR_KEY_TEXT, AT(tz), "", 0, 0, "Zone of its calendar text.", NULL},
    {"values", ORR_KEY_TEXTS, AT(values), "", 1, 1000000, "In place of `file`: how many in each bin.", NULL},
    {"bin", ORR_KEY_DURATION, AT(bin), "", 1, INT64_MAX - 1, "With `values`: the length of a bin.", NULL},
    {"within", ORR_KEY_CHOICE, AT(within), "poisson", 0, 0,
     "Within a bin: `poisson`, anywhere; `even`, at equal gaps; `gamma`, at gaps of `cv`.", "poisson|even|gamma"},
    {"speed", ORR_KEY_REAL, AT(speed), "1", 0, 1000000, "With `file` and `values`: times run so much faster.", NULL},
    {"swing", ORR_KEY_REAL, AT(swing), "0", 0, 1, "The rate is rate (1 + swing sin(2 pi (t - phase) / period)).", NULL},
    {"period", ORR_KEY_DURATION, AT(period), "24h", 1000000, INT64_MAX - 1, "Of the swing.", NULL},
    {"phase", ORR_KEY_DURATION, AT(phase), "0", 0, INT64_MAX - 1, "When the rate passes its mean on its way up.", NULL},
    {"from", ORR_KEY_DURATION, AT(from), "0", 0, INT64_MAX - 1, "No request before.", NULL},
    {"until", ORR_KEY_DURATION, AT(until), "inf", 0, 0, "No request then or after.", NULL},
    {"limit", ORR_KEY_NATURAL, AT(limit), "0", 0, 0, "At most so many requests; 0: no limit.", NULL},
    {"tokens", ORR_KEY_MAP, AT(tokens), "", 0, 0,
     "How long questions and answers are, where a trace doesn't say.", &orr_source_token_keys},
    {"inputs", ORR_KEY_MAP, AT(inputs), "", 0, 0,
     "What is asked, for caches; without it no question is like another.", &orr_source_input_keys},
    {0},
};
#undef AT
const orr_keys orr_source_keys = {
    .title = "`arrivals`",
    .doc = "Who asks a service from outside. Without `until` or `limit` only `trace` and `counts` end by themselves.",
    .at = source_keys,
};

#define AT(member) offsetof(token_entry, member)
static const orr_key token_keys[] = {
    {"in", ORR_KEY_REAL, AT(in), NULL, 0, MAX_TOKENS, "Tokens of a prompt, in the mean.", NULL},
    {"out", ORR_KEY_REAL, AT(out), NULL, 0, MAX_TOKENS, "Tokens of an answer, in the mean.", NULL},
    {"in_spread", ORR_KEY_ANY, AT(in_spread), "", 0, 0, "How the first scatters (below).", NULL},
    {"out_spread", ORR_KEY_ANY, AT(out_spread), "", 0, 0, "How the second scatters.", NULL},
    {0},
};
#undef AT
const orr_keys orr_source_token_keys = {
    .title = "`tokens`",
    .doc = "Whole numbers are drawn, one at least.",
    .at = token_keys,
};

static const orr_key input_keys[] = {
    {"count", ORR_KEY_NATURAL, offsetof(input_entry, count), NULL, 1, 1000000000000, "So many different inputs,", NULL},
    {"zipf", ORR_KEY_REAL, offsetof(input_entry, zipf), "0", 0, 100, "the i-th with the weight 1 / i^zipf.", NULL},
    {0},
};
const orr_keys orr_source_input_keys = {
    .title = "`inputs`",
    .doc = "Which inputs are asked for again.",
    .at = input_keys,
};
/* clang-format on */

static const char *const kinds[ORR_SOURCE_KINDS] = {"none",   "poisson", "gamma",   "mmpp", "regular",
                                                    "closed", "counts",  "diurnal", "trace"};

/* ---- which keys a kind has ---- */

enum {
    POISSON = 1 << ORR_SOURCE_POISSON,
    GAMMA = 1 << ORR_SOURCE_GAMMA,
    MMPP = 1 << ORR_SOURCE_MMPP,
    REGULAR = 1 << ORR_SOURCE_REGULAR,
    CLOSED = 1 << ORR_SOURCE_CLOSED,
    COUNTS = 1 << ORR_SOURCE_COUNTS,
    DIURNAL = 1 << ORR_SOURCE_DIURNAL,
    LIST = 1 << ORR_SOURCE_LIST
};

static const struct {
    const char *key;
    int may, must; /* kinds: bits */
} uses[] = {
    {"rate", POISSON | GAMMA | REGULAR | DIURNAL, POISSON | GAMMA | REGULAR | DIURNAL},
    {"cv", GAMMA | COUNTS, GAMMA},
    {"rates", MMPP, MMPP},
    {"stays", MMPP, MMPP},
    {"clients", CLOSED, CLOSED},
    {"think", CLOSED, 0},
    {"think_spread", CLOSED, 0},
    {"file", COUNTS | LIST, LIST},
    {"format", COUNTS | LIST, 0},
    {"service", COUNTS | LIST, 0},
    {"tz", COUNTS | LIST, 0},
    {"values", COUNTS, 0},
    {"bin", COUNTS, 0},
    {"within", COUNTS, 0},
    {"speed", COUNTS | LIST, 0},
    {"swing", DIURNAL, DIURNAL},
    {"period", DIURNAL, 0},
    {"phase", DIURNAL, 0},
};

static orr_err check_uses(const orr_services_reader *r, const orr_yaml *map, int32_t kind)
{
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const orr_yaml *at = orr_yaml_member(map, uses[i].key);
        if (at && !(uses[i].may >> kind & 1))
            return orr_yaml_fail_key(r->doc, at, ORR_E_SYNTAX, r->e, "'%s' means nothing with 'kind: %s'", uses[i].key,
                                     kinds[kind]);
        if (!at && uses[i].must >> kind & 1)
            return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "'kind: %s' needs '%s'", kinds[kind], uses[i].key);
    }
    return ORR_OK;
}

static orr_err above_0(const orr_services_reader *r, const orr_yaml *map, const char *key, double v)
{
    const orr_yaml *at = orr_yaml_member(map, key);
    return !at || v > 0 ? ORR_OK : orr_yaml_fail(r->doc, at, ORR_E_NUMBER, r->e, "'%s' should be above 0", key);
}

static orr_err check_numbers(const orr_services_reader *r, const orr_yaml *map, const source_entry *entry)
{
    orr_err err = above_0(r, map, "rate", entry->rate);
    if (!err)
        err = above_0(r, map, "cv", entry->cv);
    if (!err)
        err = above_0(r, map, "speed", entry->speed);
    if (!err && entry->until <= entry->from)
        err = orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "'until' should be after 'from'");
    return err;
}

/* ---- lists ---- */

static orr_err read_numbers(orr_services_reader *r, const orr_yaml *list, orr_key_type type, int64_t most, size_t n,
                            double *out)
{
    orr_err err = ORR_OK;
    for (const orr_yaml *v = orr_services_first(list); n-- && !err; v = v->next)
        err = orr_services_scalar(r, v, type, 0, most, out++);
    return err;
}

static orr_err read_states(orr_services_reader *r, const orr_yaml *map, const source_entry *entry, orr_source *out)
{
    const orr_yaml *rates = entry->rates, *stays = entry->stays;
    if (!rates)
        return ORR_OK;
    const size_t n = rates->kind == ORR_YAML_LIST ? rates->count : 1,
                 m = stays->kind == ORR_YAML_LIST ? stays->count : 1;
    if (n != m)
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e,
                             "%zu 'rates' and %zu 'stays': there is one of each a state", n, m);
    double *numbers = orr_arena_alloc(&r->memory->arena, 2 * n * sizeof *numbers), sum = 0;
    orr_err err = read_numbers(r, rates, ORR_KEY_RATE, MAX_RATE, n, numbers);
    if (!err)
        err = read_numbers(r, stays, ORR_KEY_SECONDS, 1000000000, n, numbers + n);
    for (size_t i = 0; i < n && !err; i++) {
        sum += numbers[i];
        if (!(numbers[n + i] > 0))
            err = orr_yaml_fail(r->doc, stays, ORR_E_NUMBER, r->e, "'stays' should be above 0");
    }
    if (!err && !(sum > 0))
        err = orr_yaml_fail(r->doc, rates, ORR_E_NUMBER, r->e, "one of 'rates' should be above 0");
    out->rates = numbers;
    out->stays = numbers + n;
    out->states = (int32_t)n;
    return err;
}

static orr_err read_values(orr_services_reader *r, const orr_yaml *list, orr_source *out)
{
    const size_t n = list->kind == ORR_YAML_LIST ? list->count : 1;
    uint64_t *counts = orr_arena_alloc(&r->memory->arena, n * sizeof *counts), sum = 0;
    orr_err err = ORR_OK;
    size_t i = 0;
    for (const orr_yaml *v = orr_services_first(list); i < n && !err; v = v->next, i++) {
        err = orr_services_scalar(r, v, ORR_KEY_NATURAL, 0, 1000000000, &counts[i]);
        sum += counts[i];
    }
    if (!err && !sum)
        err = orr_yaml_fail(r->doc, list, ORR_E_NUMBER, r->e, "nobody comes in any bin");
    out->counts = counts;
    out->bins = n;
    return err;
}

/* ---- traces ---- */

static bool same(const orr_services_trace *t, const char *path, const source_entry *entry)
{
    return strcmp(t->path, path) == 0 && strcmp(t->tz, entry->tz) == 0 && strcmp(t->format, entry->format) == 0;
}

static void keep_notes(orr_services_reader *r, const orr_trace *trace)
{
    const orr_note *notes;
    const size_t n = orr_trace_notes(trace, &notes);
    for (size_t i = 0; i < n; i++)
        ORR_VEC_PUSH(&r->memory->notes, notes[i]);
}

/* Each file is read once; NULL and an error. */
static const orr_trace *trace_of(orr_services_reader *r, const char *path, const source_entry *entry)
{
    const orr_trace_options options = {.format = entry->format[0] ? entry->format : NULL,
                                       .tz = entry->tz[0] ? entry->tz : NULL};
    for (size_t i = 0; i < r->memory->traces.n; i++)
        if (same(&r->memory->traces.at[i], path, entry))
            return r->memory->traces.at[i].trace;
    orr_trace *trace = orr_trace_read(path, &options, r->e);
    if (!trace)
        return NULL;
    const char *kept = orr_arena_strdup(&r->memory->arena, path, strlen(path));
    ORR_VEC_PUSH(&r->memory->traces, ((orr_services_trace){kept, entry->tz, entry->format, trace}));
    orr_services_digest(r, orr_trace_digest(trace));
    keep_notes(r, trace);
    return trace;
}

static orr_err nobody_asked(const orr_services_reader *r, const orr_yaml *map, const orr_trace_request *all, size_t n)
{
    const orr_yaml *at = orr_yaml_member(map, "service");
    const orr_err err = orr_yaml_fail(r->doc, at, ORR_E_SYNTAX, r->e, "the trace has no request for this service");
    orr_names *names = orr_names_create();
    orr_text list = {0};
    for (size_t i = 0; i < n && orr_names_count(names) < 20; i++)
        orr_names_id(names, all[i].service, strlen(all[i].service));
    for (uint32_t i = 0; i < orr_names_count(names); i++)
        orr_text_addf(&list, "%s'%s'", i ? ", " : "", orr_names_text(names, i));
    orr_error_hint(r->e, "there are %s", list.at);
    orr_text_fini(&list);
    orr_names_destroy(names);
    return err;
}

static bool is_meant(const orr_trace_request *q, const source_entry *entry)
{
    return !entry->service[0] || strcmp(q->service, entry->service) == 0;
}

static void take_bins(orr_services_reader *r, const orr_trace_request *all, size_t n, const source_entry *entry,
                      orr_source *out)
{
    uint64_t *counts = orr_arena_alloc(&r->memory->arena, out->bins * sizeof *counts);
    for (size_t i = 0; i < n; i++)
        if (is_meant(&all[i], entry))
            counts[all[i].arrival / out->bin] += all[i].count;
    out->counts = counts;
}

static void take_list(orr_services_reader *r, const orr_trace_request *all, size_t n, const source_entry *entry,
                      size_t meant, orr_source *out)
{
    orr_trace_request *list = orr_arena_alloc(&r->memory->arena, meant * sizeof *list);
    for (size_t i = 0; i < n; i++)
        if (is_meant(&all[i], entry))
            list[out->listed++] = all[i];
    out->list = list;
}

static bool says_tokens(const orr_trace_request *all, size_t n, const source_entry *entry)
{
    for (size_t i = 0; i < n; i++)
        if (is_meant(&all[i], entry) && (all[i].tokens_in >= 0 || all[i].tokens_out >= 0))
            return true;
    return false;
}

static orr_err check_trace(const orr_services_reader *r, const orr_yaml *at, bool bins, const orr_trace *trace,
                           size_t n)
{
    if (!n)
        return orr_yaml_fail(r->doc, at, ORR_E_FORMAT, r->e, "this is a trace of jobs, not of requests");
    if (bins == (orr_trace_bin(trace) > 0))
        return ORR_OK;
    const orr_err err =
        orr_yaml_fail(r->doc, at, ORR_E_FORMAT, r->e,
                      bins ? "this trace has single requests, not bins" : "this trace has bins, not single requests");
    orr_error_hint(r->e, "`kind: %s` takes it", bins ? "trace" : "counts");
    return err;
}

static orr_err take(orr_services_reader *r, const orr_yaml *map, const orr_trace *trace, const source_entry *entry,
                    orr_source *out)
{
    const orr_trace_request *all;
    const size_t n = orr_trace_requests(trace, &all);
    const bool bins = entry->kind == ORR_SOURCE_COUNTS;
    const orr_yaml *at = orr_yaml_member(map, "file");
    size_t meant = 0;
    orr_err err = check_trace(r, at, bins, trace, n);
    for (size_t i = 0; i < n && !err; i++)
        meant += is_meant(&all[i], entry);
    if (!err && !meant)
        err = nobody_asked(r, map, all, n);
    if (!err && all[0].arrival < 0)
        err = orr_yaml_fail(r->doc, at, ORR_E_FORMAT, r->e, "this trace begins before its origin");
    if (err)
        return err;
    out->bin = bins ? orr_trace_bin(trace) : out->bin;
    out->bins = bins ? (size_t)(all[n - 1].arrival / out->bin) + 1 : 0;
    if (out->bins > MAX_BINS)
        return orr_yaml_fail(r->doc, at, ORR_E_FORMAT, r->e, "this trace has more than %d bins", MAX_BINS);
    const bool tokens = bins && says_tokens(all, n, entry);
    if (tokens) /* counts alone would lose them */
        out->kind = ORR_SOURCE_LIST;
    if (bins && !tokens)
        take_bins(r, all, n, entry, out);
    else if (meant < n)
        take_list(r, all, n, entry, meant, out);
    else
        out->list = all, out->listed = n;
    return ORR_OK;
}

static orr_err read_trace(orr_services_reader *r, const orr_yaml *map, const source_entry *entry, orr_source *out)
{
    orr_text path = {0};
    orr_err err = orr_services_path(r, orr_yaml_member(map, "file"), &path);
    const orr_trace *trace = err ? NULL : trace_of(r, path.at, entry);
    if (!err && !trace)
        err = r->e->code;
    orr_text_fini(&path);
    return err ? err : take(r, map, trace, entry, out);
}

static orr_err read_bins(orr_services_reader *r, const orr_yaml *map, const source_entry *entry, orr_source *out)
{
    const orr_yaml *bin = orr_yaml_member(map, "bin"), *cv = orr_yaml_member(map, "cv");
    if (!entry->file[0] == !entry->values)
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "'kind: counts' needs 'file', or 'values' and 'bin'");
    if (!entry->values != !bin)
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "'values' and 'bin' go together");
    if ((entry->within == ORR_BIN_GAMMA) != (cv != NULL))
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "'within: gamma' and 'cv' go together");
    return entry->values ? read_values(r, entry->values, out) : ORR_OK;
}

/* ---- what a request carries ---- */

static orr_err read_tokens(const orr_services_reader *r, const orr_yaml *map, orr_source *out)
{
    token_entry entry;
    if (!map)
        return ORR_OK;
    orr_schema_defaults(&orr_source_token_keys, &entry);
    orr_err err = orr_schema_read(&orr_source_token_keys, r->doc, map, &entry, r->e);
    if (!err)
        err = orr_services_spread(r, entry.in_spread, &out->in_spread, NULL);
    if (!err)
        err = orr_services_spread(r, entry.out_spread, &out->out_spread, NULL);
    out->tokens_in = entry.in;
    out->tokens_out = entry.out;
    return err;
}

static orr_err read_inputs(const orr_services_reader *r, const orr_yaml *map, orr_source *out)
{
    input_entry entry;
    if (!map)
        return ORR_OK;
    orr_schema_defaults(&orr_source_input_keys, &entry);
    const orr_err err = orr_schema_read(&orr_source_input_keys, r->doc, map, &entry, r->e);
    out->inputs = entry.count;
    out->zipf = entry.zipf;
    return err;
}

/* ---- the whole ---- */

static void set_plain(const source_entry *entry, orr_source *out)
{
    *out = (orr_source){.kind = (orr_source_kind)entry->kind,
                        .rate = entry->rate,
                        .cv = entry->cv,
                        .clients = (int32_t)entry->clients,
                        .think = entry->think,
                        .bin = entry->bin,
                        .within = (orr_bin_law)entry->within,
                        .swing = entry->swing,
                        .period = entry->period,
                        .phase = entry->phase,
                        .speed = entry->speed,
                        .from = entry->from,
                        .until = entry->until,
                        .limit = entry->limit};
}

static orr_err read_by_kind(orr_services_reader *r, const orr_yaml *map, const source_entry *entry, orr_source *out)
{
    orr_err err = read_states(r, map, entry, out);
    if (!err)
        err = orr_services_spread(r, entry->think_spread, &out->think_spread, NULL);
    if (!err && entry->kind == ORR_SOURCE_COUNTS)
        err = read_bins(r, map, entry, out);
    if (!err && entry->file[0])
        err = read_trace(r, map, entry, out);
    if (!err)
        err = read_tokens(r, entry->tokens, out);
    return err ? err : read_inputs(r, entry->inputs, out);
}

orr_err orr_services_read_source(orr_services_reader *r, const orr_yaml *map, orr_source *out)
{
    source_entry entry;
    orr_schema_defaults(&orr_source_keys, &entry);
    orr_err err = map ? orr_schema_read(&orr_source_keys, r->doc, map, &entry, r->e) : ORR_OK;
    if (!err && map)
        err = check_uses(r, map, entry.kind);
    if (!err && map)
        err = check_numbers(r, map, &entry);
    if (err)
        return err;
    set_plain(&entry, out);
    return map ? read_by_kind(r, map, &entry, out) : ORR_OK;
}
