/* The keys of a case. The options of `run` have the same names, defaults and bounds; a test compares them. */
#include "study/case_keys.h"

#define AT(member) offsetof(orr_case, member)
#define TEXT(name, member, fallback, doc) {name, ORR_KEY_TEXT, AT(member), fallback, 0, 0, doc, NULL}
#define NAMES(name, member, doc) {name, ORR_KEY_NAMES, AT(member), "", 0, 0, doc, NULL}
#define SWITCH(name, member, doc) {name, ORR_KEY_BOOL, AT(member), "off", 0, 0, doc, NULL}
#define CHOICE(name, member, fallback, names, doc) {name, ORR_KEY_CHOICE, AT(member), fallback, 0, 0, doc, names}

/* clang-format off */
static const orr_key keys[] = {
    TEXT("trace", trace, "", "The jobs: a file, relative to the working folder; `-` is stdin."),
    TEXT("format", format, "", "Read the trace as this format; sniffed otherwise."),
    CHOICE("cpu-jobs", cpu_jobs, "drop", "drop|schedule", "Jobs without GPUs: leave them out, or run them."),
    CHOICE("attempts", attempts, "merge", "merge|replay",
           "Several attempts of a job: one run of their sum, or one by one."),
    TEXT("tables", tables, "", "Throughputs or application tables that the format needs."),
    TEXT("gpu-type", gpu_type, "", "The type whose throughput makes work a duration; the format's own otherwise."),
    TEXT("tz", tz, "", "Zone of times that name none: `UTC`, `+08:00`, `America/Los_Angeles`."),
    TEXT("epoch", epoch, "", "Calendar time of second 0, where a trace's times are relative."),
    SWITCH("strict", strict, "Refuse a trace in which a row had to be dropped or repaired."),

    TEXT("where", where, "", "Only jobs that meet this condition: `gpus >= 8 and state = done`."),
    NAMES("vc", vcs, "Only jobs of these virtual clusters."),
    NAMES("user", users, "Only jobs of these users."),
    {"min-gpus", ORR_KEY_INT, AT(min_gpus), "0", 0, 1000000, "Only jobs of at least so many GPUs.", NULL},
    {"max-gpus", ORR_KEY_INT, AT(max_gpus), "0", 0, 1000000, "Only jobs of at most so many GPUs; 0: no bound.", NULL},
    TEXT("from", from, "", "A window: from this time of the trace on, a duration or a calendar time."),
    TEXT("to", to, "", "A window: submissions before this time."),
    {"sample", ORR_KEY_REAL, AT(sample), "1", 0, 1, "Keep each job with this probability, by the seed.", NULL},
    {"scale-load", ORR_KEY_REAL, AT(scale_load), "1", 0, 1000000,
     "Submissions come so many times as fast, and requests so many times as often; 0.000001 at least.", NULL},
    {"limit", ORR_KEY_NATURAL, AT(limit), "0", 0, 0, "The first so many jobs of what is left; 0: all.", NULL},

    TEXT("cluster", cluster, "", "A file, a preset, or `nodes=N,gpus=K,…`, as on this page."),
    TEXT("capacity-day", capacity_day, "",
         "Where capacity differs by day: the day to take, `YYYY-MM-DD`; `each`: as the file says from day to day; the maximum otherwise."),
    {"gpus-per-node", ORR_KEY_INT, AT(gpus_per_node), "8", 1, 64, "For cluster files that count only GPUs or nodes.",
     NULL},
    SWITCH("ignore-vcs", ignore_vcs, "One pool of all nodes, whatever virtual clusters there are."),
    CHOICE("unknown-vc", unknown_vc, "pool", "pool|reject",
           "Jobs of a virtual cluster that isn't there: they share all nodes, or are rejected."),

    TEXT("policy", policy, "", "`NAME[:PRESET][,KNOB=VALUE]…[+PLACER][~ESTIMATOR]`."),
    TEXT("serve", serve, "", "Of services: modules joined by `+`, `NAME[:PRESET][,KNOB=VALUE]…`; `none`: one at a time, in the order of arrival."),
    CHOICE("know", know, "oracle", "none|declared|observed|history|profiled|noisy|oracle",
           "The most that a policy may know."),
    CHOICE("on-violation", on_violation, "stop", "stop|skip", "An illegal plan: end the run, or count it and go on."),

    {"seed", ORR_KEY_NATURAL, AT(seed), "1", 0, 0, "The master seed; all random streams derive from it.", NULL},
    TEXT("costs", costs, "zero", "What start, save, restore, resize cost: a preset, or `KEY=VALUE,…`."),
    TEXT("scenario", scenario, "", "What happens to the cluster meanwhile: a scenario file, as on this page, or the name of one in `scenarios/`."),
    TEXT("throughputs", throughputs, "",
         "How fast models run on each GPU type: a throughput table, as on this page, or the name of one in `throughputs/`; with `,reference=TYPE`, `,spread=no`, `,pairs=no`."),
    TEXT("applications", applications, "",
         "How models train on any number of GPUs and with any batch size: a file or folder of applications, as on this page, or the name of one in `applications/`; with `,work=own`, `,type=TYPE`."),
    TEXT("services", services, "",
         "What is asked besides jobs: a file of services, as on this page, or the name of one in `services/`. Then `trace` may be left out: there are no jobs."),
    TEXT("profiles", profiles, "", "What the models of the trace need: a file of profiles, as on this page, or the name of one in `profiles/`."),
    TEXT("interference", interference, "none",
         "What sharing a GPU does to speed: `pairs`, `table`, `utilisation`, `mps`, `stages`, `time-slice`."),
    TEXT("net", net, "none", "What communication costs: `alpha-beta`, `flows`, `phases`, by the profiles."),
    TEXT("clock", clock, "exact", "When policies decide: `exact`, `round=DURATION`, `tick=DURATION`."),
    TEXT("measure", measure, "all", "Which jobs count: `all`, `completed`, `jobs:A..B`, `time:T0..T1`, …"),

    {"warmup", ORR_KEY_DURATION, AT(warmup), "0", 0, 0,
     "Don't measure what is submitted in this first part of the trace, nor requests that arrive in this first time.", NULL},
    {"cooldown", ORR_KEY_DURATION, AT(cooldown), "0", 0, 0, "Nor what is submitted in this last part.", NULL},
    NAMES("metric", metrics,
          "More numbers: keys of the summary, or expressions such as `p95(wait_first where gpus>=8)`."),

    {"until", ORR_KEY_DURATION, AT(until), "inf", 0, 0, "Stop at this simulated time.", NULL},
    {"max-events", ORR_KEY_NATURAL, AT(max_events), "0", 0, 0, "Stop after so many events; 0: no limit.", NULL},
    {0},
};
/* clang-format on */

const orr_keys orr_case_keys = {
    .title = "A case",
    .doc = "All that decides the outcome of one simulation. The keys are the long options of `orrery run`, which "
           "`orrery help run OPTION` tells more about.",
    .at = keys,
};

void orr_case_keys_markdown(orr_text *out)
{
    orr_schema_markdown(&orr_case_keys, out);
}
