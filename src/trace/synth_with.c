/* Families of columns that no public trace has, drawn so that policies which need them can be run at all. What is
 * measured somewhere says where; the rest is marked synthetic: it tells policies apart, not clusters.
 *
 * Each family draws from a stream of its own, a fixed number of draws a job, so that adding one changes no other
 * column. `trials` is the exception by nature: the jobs of a group are one user's attempts at one thing. They take the
 * size, the people, the name and the time of submission of the group's first job, and all but the best are stopped
 * early.
 * Numbers are made from fixed decimal places, by exact arithmetic.
 */
#include "trace/synth.h"

#include "base/rng.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ATTRIBUTES = 4, ATTEMPTS = 4, TEXT = 32 };

struct synth_fill {
    const synth *s;
    gsl_rng *rng[SYNTH_FAMILIES]; /* NULL: the family isn't asked for */
    size_t places[SYNTH_FAMILIES][ATTRIBUTES];
    size_t stage; /* place of `type` */
    size_t batch; /* and of `batch_size` */
    char batch_text[TEXT];
    bool staged;
    const char **texts; /* of the current job, by place */
    size_t text_count;
    char buf[SYNTH_FAMILIES][ATTRIBUTES][TEXT];
    orr_time attempts[ATTEMPTS];
};

/* One job's turn of one family. */
typedef struct turn {
    synth_fill *fill;
    int family;
    gsl_rng *rng;
    const synth_draft *draft;
    orr_trace_job *job;
} turn;

/* ---- drawing and saying ---- */

static double between(gsl_rng *rng, double low, double high)
{
    return low + (high - low) * gsl_rng_uniform(rng);
}

static int64_t one_of(gsl_rng *rng, const int64_t *values, int n)
{
    return values[(int)(gsl_rng_uniform(rng) * n)];
}

/* The value whose cumulated share (of 100) the draw falls under. */
typedef struct choice {
    int64_t value;
    int upto;
} choice;

static int64_t choose(gsl_rng *rng, const choice *choices)
{
    const double u = gsl_rng_uniform(rng) * 100;
    while (u >= choices->upto)
        choices++;
    return choices->value;
}

static void say(turn *t, int attribute, double value, int places)
{
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    const long long scaled = (long long)floor(value * (double)powers[places] + 0.5);
    char *buf = t->fill->buf[t->family][attribute];
    if (places == 0)
        snprintf(buf, TEXT, "%lld", scaled);
    else
        snprintf(buf, TEXT, "%lld.%0*lld", scaled / powers[places], places, scaled % powers[places]);
    t->fill->texts[t->fill->places[t->family][attribute]] = buf;
}

/* ---- the families ---- */

static void fill_loss(turn *t)
{
    static const int64_t epochs[] = {5, 10, 20, 30, 50, 60, 90, 100, 150, 200};
    const double n = (double)one_of(t->rng, epochs, 10);
    const double begin = between(t->rng, 2, 7), floor_share = between(t->rng, 0.05, 0.5),
                 left = between(t->rng, 0.02, 0.2);
    const double c = begin * floor_share, b = 1 / (begin - c), a = b * (1 / left - 1) / n;
    say(t, 0, n, 0);
    say(t, 1, a, 6);
    say(t, 2, b, 6);
    say(t, 3, c, 6);
}

static void fill_noise(turn *t)
{
    static const int64_t batches[] = {16, 32, 64, 128, 256}, multiples[] = {1, 2, 4, 8, 16, 32};
    const double batch = (double)(one_of(t->rng, batches, 5) * t->job->gpus);
    const double noise = batch * (double)one_of(t->rng, multiples, 6) / 2;
    say(t, 0, batch, 0);
    say(t, 1, noise, 0);
    say(t, 2, between(t->rng, 1, 10), 2);
}

static void fill_host(turn *t)
{
    static const choice cores[] = {{2, 15}, {4, 40}, {6, 70}, {8, 90}, {12, 100}};
    static const choice gib[] = {{8, 15}, {16, 40}, {29, 70}, {32, 90}, {59, 100}};
    t->job->cpu_milli = choose(t->rng, cores) * t->job->gpus * 1000;
    t->job->mem_bytes = choose(t->rng, gib) * t->job->gpus * (INT64_C(1) << 30);
    const double kind = gsl_rng_uniform(t->rng), u = gsl_rng_uniform(t->rng);
    say(t, 0, kind < 0.5 ? 0.1 * u : 0.3 + 0.7 * u, 2);
}

static void fill_sharing(turn *t)
{
    static const double util[] = {1, 22, 54, 83, 100}; /* quartiles */
    const double u = gsl_rng_uniform(t->rng) * 4;
    const int quarter = (int)u;
    say(t, 0, util[quarter] + (u - quarter) * (util[quarter + 1] - util[quarter]), 0);
    t->job->gpu_mem_bytes = (int64_t)floor(between(t->rng, 2051, 20970) + 0.5) * (INT64_C(1) << 20);
}

static void fill_scaling(turn *t)
{
    const int32_t gpus = t->job->gpus, bound = t->fill->s->plan.options->max_gpus;
    const int32_t widest = 4 * gpus;
    say(t, 0, between(t->rng, 0.6, 1), 2);
    if (t->job->gpu_milli < 1000)
        return;
    t->job->min_gpus = gpus >= 4 ? gpus / 4 : 1;
    t->job->max_gpus = bound > 0 && widest > bound ? bound : widest;
}

/* One name of one user always is one model. */
static void fill_models(turn *t)
{
    static const char *const one[] = {"resnet18", "lstm", "recommendation", "a3c", "cyclegan", "ncf"};
    static const char *const node[] = {"resnet50", "vgg16", "inception3", "deepspeech2", "transformer", "bert"};
    static const char *const wide[] = {"bert", "gpt2", "t5", "vit", "moe", "gpt3"};
    const int32_t gpus = t->job->gpus;
    const char *const *list = gpus == 1 ? one : gpus <= 8 ? node : wide;
    const int32_t key[] = {t->draft->user, t->draft->name};
    t->job->model = list[orr_hash64(t->fill->s->plan.options->seed, key, sizeof key) % 6];
}

static void fill_trials(turn *t)
{
    const synth_draft *d = t->draft;
    char *group = t->fill->buf[t->family][1]; /* the family has one attribute, so this one is free */
    snprintf(group, TEXT, "app%d", (int)d->app);
    t->job->group = group;
    if (d->full > 0)
        say(t, 0, (double)d->full, 0);
}

static void fill_open_trials(turn *t)
{
    char *group = t->fill->buf[t->family][1]; /* likewise */
    snprintf(group, TEXT, "app%d", (int)t->draft->app);
    t->job->group = group;
    say(t, 0, gsl_rng_uniform(t->rng), 4);
}

/* Each attempt but the last takes up to twice its fair part of the run that is left; a second is left for each that
 * follows. */
static void fill_retries(turn *t)
{
    static const choice tries[3][4] = {
        [ORR_ENDING_DONE] = {{1, 85}, {2, 95}, {3, 100}},
        [ORR_ENDING_FAILED] = {{1, 30}, {2, 60}, {3, 80}, {4, 100}},
        [ORR_ENDING_KILLED] = {{1, 90}, {2, 100}},
    };
    const int64_t asked = choose(t->rng, tries[t->draft->ending]);
    int64_t left = t->draft->seconds;
    const int n = (int)(asked < left ? asked : left);
    for (int i = 0; i < ATTEMPTS - 1; i++) {
        const double part = gsl_rng_uniform(t->rng);
        if (i + 1 >= n)
            continue;
        const double spare = (double)(left - (n - i));
        const int64_t run = 1 + (int64_t)(part * spare * 2 / (n - i));
        t->fill->attempts[i] = run * ORR_SECOND;
        left -= run;
    }
    t->fill->attempts[n - 1] = left * ORR_SECOND;
    t->job->attempts = n > 1 ? t->fill->attempts : NULL;
    t->job->attempt_count = (uint32_t)n;
}

static void fill_weights(turn *t)
{
    static const choice weights[] = {{1, 60}, {2, 85}, {4, 95}, {8, 100}};
    t->job->weight = (double)choose(t->rng, weights);
}

typedef struct family {
    orr_synth_family about;
    const char *attributes[ATTRIBUTES];
    void (*fill)(turn *t); /* NULL: done elsewhere */
} family;

static const family families[SYNTH_FAMILIES] = {
    {{"loss", "epochs loss_a loss_b loss_c",
      "loss after k epochs is 1/(loss_a k + loss_b) + loss_c, the form that Optimus (EuroSys'18) fits; it begins at"
      " 2 to 7, and over the job's epochs what can be lost falls to 2 to 20 %. Synthetic"},
     {"epochs", "loss_a", "loss_b", "loss_c"},
     fill_loss},
    {{"noise", "batch_size noise_scale noise_growth",
      "examples a step, 16 to 256 a GPU; gradient noise scale in examples, half to 16 times the batch, at the "
      "beginning; what it grows by to the end, 1 to 10. Going from batch m to n, an example is worth (noise + "
      "m)/(noise + n) (Pollux, OSDI'21). Synthetic"},
     {"batch_size", "noise_scale", "noise_growth"},
     fill_noise},
    {{"host", "cpus mem_bytes cpu_sensitivity",
      "a GPU's cores and memory have medians of 6 and 29 GiB, a tenth takes 12 and 59 GiB (PAI's median and 95th "
      "percentile of an instance, NSDI'22); with a share x of its cores a job runs at 1 - cpu_sensitivity (1 - x), "
      "half of the jobs 0 to 0.1, half 0.3 to 1: synthetic"},
     {"cpu_sensitivity"},
     fill_host},
    {{"sharing", "gpu_util gpu_mem",
      "per cent of a GPU's time in use, 52 on average (Philly, ATC'19); its memory, evenly 2,051 to 20,970 MiB "
      "(the range of the pairs measured for Lucid, ASPLOS'23)"},
     {"gpu_util"},
     fill_sharing},
    {{"scaling", "min_gpus max_gpus scaling_exponent",
      "a quarter to four times the GPUs, shares of GPUs excepted; the speed on k GPUs is k to the power "
      "scaling_exponent times that on one, 0.6 to 1. Synthetic"},
     {"scaling_exponent"},
     fill_scaling},
    {{"models", "model",
      "one of six for one GPU, for a node, for more; the same for each job of a user's name. Synthetic"},
     {NULL},
     fill_models},
    {{"trials", "group full_duration",
      "groups of 1 to 2 T - 1 jobs (T: --trials) of one user, size and name, submitted together; each would run 0.8"
      " to 1 times as long as the first one drawn (full_duration, s), but all except the best are killed after a "
      "sixteenth or more of that, evenly on a log scale: apps as Themis (NSDI'20) has them. Synthetic"},
     {"full_duration"},
     fill_trials},
    {{"open-trials", "group quality",
      "groups as those of trials, but no trial is stopped: each is done after 0.8 to 1 times as long as the first one "
      "drawn, and has a quality, 0 to 1 evenly. For scenarios that stop trials early. Synthetic"},
     {"quality"},
     fill_open_trials},
    {{"retries", "attempts",
      "how the run divides into attempts: of jobs that are done 15 % have 2 or 3, of failed ones 70 % have 2 to 4, "
      "of killed ones 10 % have 2. Synthetic"},
     {NULL},
     fill_retries},
    {{"deadlines", "deadline",
      "run time times 0.5 to 1.5, evenly, after the submission, for every job (ElasticFlow's rule, ASPLOS'23)"},
     {NULL},
     NULL},
    {{"weights", "weight", "1, 2, 4 or 8 for 60, 25, 10 and 5 % of the jobs. Synthetic"}, {NULL}, fill_weights},
};

size_t orr_synth_families(orr_synth_family *out, size_t room)
{
    for (size_t i = 0; i < SYNTH_FAMILIES && i < room; i++)
        out[i] = families[i].about;
    return SYNTH_FAMILIES;
}

/* ---- a job at a time ---- */

static bool has_stages(const orr_synth_model *m)
{
    for (size_t i = 0; i < m->classes.n; i++)
        if (m->classes.at[i].stage)
            return true;
    return false;
}

static void open_family(synth_fill *f, orr_trace *trace, int i)
{
    f->rng[i] = orr_synth_stream(f->s->plan.options->seed, families[i].about.name);
    for (int k = 0; k < ATTRIBUTES && families[i].attributes[k]; k++)
        f->places[i][k] = orr_trace_attribute_named(trace, families[i].attributes[k]);
}

synth_fill *orr_synth_fill_create(const synth *s, orr_trace *trace)
{
    synth_fill *f = orr_xcalloc(1, sizeof *f);
    f->s = s;
    f->staged = has_stages(s->model);
    if (f->staged)
        f->stage = orr_trace_attribute_named(trace, "type");
    if (s->plan.options->applications)
        f->batch = orr_trace_attribute_named(trace, "batch_size");
    for (int i = 0; i < SYNTH_FAMILIES; i++)
        if (s->plan.families >> i & 1 && families[i].fill)
            open_family(f, trace, i);
    f->text_count = trace->attributes.n;
    f->texts = orr_xcalloc(f->text_count + 1, sizeof *f->texts);
    return f;
}

void orr_synth_fill_job(synth_fill *f, size_t i, orr_trace_job *job)
{
    const synth_draft *d = &f->s->jobs[i];
    for (size_t k = 0; k < f->text_count; k++)
        f->texts[k] = "";
    if (f->staged && f->s->model->classes.at[d->size].stage)
        f->texts[f->stage] = f->s->model->classes.at[d->size].stage;
    if (d->batch) {
        snprintf(f->batch_text, TEXT, "%lld", (long long)d->batch);
        f->texts[f->batch] = f->batch_text;
    }
    for (int k = 0; k < SYNTH_FAMILIES; k++)
        if (f->rng[k])
            families[k].fill(&(turn){f, k, f->rng[k], d, job});
    job->attributes = f->text_count > 0 ? f->texts : NULL;
}

void orr_synth_fill_destroy(synth_fill *f)
{
    for (int i = 0; i < SYNTH_FAMILIES; i++)
        if (f->rng[i])
            gsl_rng_free(f->rng[i]);
    free(f->texts);
    free(f);
}

/* ---- trials ---- */

/* What a job takes over from the first of its group. */
static void follow(synth_draft *d, const synth_draft *first)
{
    d->size = first->size;
    d->vc = first->vc;
    d->user = first->user;
    d->name = first->name;
    d->type = first->type;
    d->model = first->model;
    d->gpus = first->gpus;
    d->batch = first->batch;
    d->limit = first->limit;
    d->deadline = first->deadline;
}

static int64_t at_least_one(double seconds)
{
    return seconds < 1 ? 1 : (int64_t)seconds;
}

/* `seconds` is what the first job of the group was drawn with. */
static void cut(synth_draft *d, int64_t seconds, bool best, gsl_rng *rng)
{
    const double length = between(rng, 0.8, 1), part = gsl_rng_uniform(rng);
    d->full = at_least_one(floor((double)seconds * length + 0.5));
    d->seconds = d->full;
    d->ending = ORR_ENDING_DONE;
    if (best)
        return; /* the draws are the same for all */
    d->seconds = at_least_one(floor((double)d->full * exp(-part * log(16)) + 0.5));
    d->ending = ORR_ENDING_KILLED;
}

/* A group of one isn't compared with anything: it stays as it was drawn. */
void orr_synth_cut_trials(synth *s)
{
    const bool open = orr_synth_has(&s->plan, "open-trials");
    if (!open && !orr_synth_has(&s->plan, "trials"))
        return;
    gsl_rng *groups = orr_synth_stream(s->plan.options->seed, "trial-groups");
    gsl_rng *lengths = orr_synth_stream(s->plan.options->seed, "trial-lengths");
    const double most = 2.0 * s->plan.options->trials - 1;
    int32_t app = 0;
    for (size_t first = 0; first < s->n; app++) {
        const size_t asked = 1 + (size_t)(gsl_rng_uniform(groups) * most), rest = s->n - first;
        const size_t n = asked < rest ? asked : rest;
        const size_t best = (size_t)(gsl_rng_uniform(groups) * (double)n);
        const int64_t seconds = s->jobs[first].seconds;
        for (size_t k = 0; k < n; k++) {
            synth_draft *d = &s->jobs[first + k];
            d->app = app;
            d->leader = (int32_t)first;
            follow(d, &s->jobs[first]);
            if (n > 1)
                cut(d, seconds, open || k == best, lengths);
        }
        first += n;
    }
    gsl_rng_free(groups);
    gsl_rng_free(lengths);
}

void orr_synth_gather_trials(synth *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->jobs[i].leader >= 0)
            s->jobs[i].submit = s->jobs[s->jobs[i].leader].submit;
}
