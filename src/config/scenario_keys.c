/* What a scenario file may say. */
#include "config/scenario_keys.h"

#define MAX_EVENTS 1000000
#define WHICH(entry)                                                                                                   \
    {"nodes",                                                                                                          \
     ORR_KEY_TEXTS,                                                                                                    \
     offsetof(entry, which.nodes),                                                                                     \
     "",                                                                                                               \
     1,                                                                                                                \
     MAX_EVENTS,                                                                                                       \
     "Nodes by name: one, a list, or `A..B` for all from A to B.",                                                     \
     NULL},                                                                                                            \
        {"vc", ORR_KEY_TEXT, offsetof(entry, which.vc), "", 0, 0, "Only nodes of this virtual cluster.", NULL},        \
        {"type", ORR_KEY_TEXT, offsetof(entry, which.type), "", 0, 0, "Only nodes of this GPU type.", NULL},           \
        {"rack", ORR_KEY_TEXT, offsetof(entry, which.rack), "", 0, 0, "Only nodes of this rack.", NULL},               \
    {                                                                                                                  \
        "count", ORR_KEY_INT, offsetof(entry, which.count), "0", 0, 64000000,                                          \
            "Of those, the first so many, by index; 0: all of them.", NULL                                             \
    }

/* clang-format off */
static const orr_key scenario_keys[] = {
    {"schema", ORR_KEY_TEXT, offsetof(orr_scenario_file, schema), NULL, 0, 0,
     "What the file is: `" ORR_SCENARIO_SCHEMA "`.", NULL},
    {"name", ORR_KEY_TEXT, offsetof(orr_scenario_file, name), "", 0, 0,
     "Name in results; the file's path if it is left out.", NULL},
    {"sleep", ORR_KEY_DURATION, offsetof(orr_scenario_file, sleep), "0", 0, 0,
     "How long it takes to switch a node off, for policies that let nodes sleep.", NULL},
    {"wake", ORR_KEY_DURATION, offsetof(orr_scenario_file, wake), "0", 0, 0,
     "How long it takes until a node that was asleep takes jobs.", NULL},
    {"events", ORR_KEY_LIST, offsetof(orr_scenario_file, events), "", 0, MAX_EVENTS, "What happens when.",
     &orr_event_keys},
    {"recorded", ORR_KEY_TEXT, offsetof(orr_scenario_file, recorded), "", 0, 0,
     "A table of events of nodes beside this file: columns `time` (a duration), `node`, `event` (down, up, drain, "
     "resume) and, if wanted, `gpu` (its number; empty: the node).", NULL},
    {"failures", ORR_KEY_LIST, offsetof(orr_scenario_file, failures), "", 0, 1000, "Failures that are drawn.",
     &orr_failures_keys},
    {"power", ORR_KEY_MAP, offsetof(orr_scenario_file, power), "", 0, 0,
     "What nodes and GPUs draw; `{}` takes the defaults. Without it nobody counts energy.", NULL},
    {"early_stop", ORR_KEY_MAP, offsetof(orr_scenario_file, early_stop), "", 0, 0,
     "Users who stop trials of a group before they are done. Without it each runs to its end.", &orr_early_keys},
    {"prices", ORR_KEY_TEXT, offsetof(orr_scenario_file, prices), "", 0, 0,
     "A table of prices beside this file: columns `time`, `type`, `price`, as events of that name.", NULL},
    {0},
};

const orr_keys orr_scenario_keys = {
    .title = "A scenario file",
    .doc = "YAML, for `--scenario`: what happens to the cluster while jobs run, whatever the policy. Times are "
           "durations since the beginning of the replay. Of one instant, ends of jobs come first, then what gives room, "
           "then what takes it away; the order of the file decides nothing. What is drawn depends on the seed and the "
           "node alone: every policy meets the same failures.",
    .at = scenario_keys,
};

static const orr_key owned_keys[] = {
    WHICH(orr_owned_entry),
    {0},
};
const orr_keys orr_owned_keys = {
    .title = "An element of `nodes`",
    .doc = "Nodes that belong to serving, as events of a scenario name them: all that are stated here hold for each.",
    .at = owned_keys,
};

static const orr_key event_keys[] = {
    {"at", ORR_KEY_DURATION, offsetof(orr_event_entry, at), NULL, 0, 0, "When.", NULL},
    {"do", ORR_KEY_CHOICE, offsetof(orr_event_entry, kind), NULL, 0, 0,
     "`down`, `up`: nodes, or `gpus` of them, fail and are back; jobs on them are interrupted and wait again. `drain`, "
     "`resume`: nodes take no new jobs, and take them again. `revoke`: nodes are taken away. `loan`: nodes are lent to "
     "the cluster; before, they aren't there. `capacity`: the VC (or the cluster) has `count` GPUs from now on: its "
     "last nodes leave when they are empty, or come back. `cancel`: a user kills `job`. "
     "`clock`: the GPUs of nodes run at `clock` of their full clock, a point of `power.clocks`, or 1. `price`: a GPU of `type` costs "
     "`price` an hour; type `kWh` is electricity, and without a type it is the price of all types that have none of "
     "their own.",
     "price|clock|up|resume|loan|capacity|drain|revoke|down|cancel"},
    WHICH(orr_event_entry),
    {"gpus", ORR_KEY_TEXTS, offsetof(orr_event_entry, gpus), "", 1, 64,
     "Only these GPUs of each node, with `down` and `up`: numbers from 0, or `0..3`.", NULL},
    {"for", ORR_KEY_DURATION, offsetof(orr_event_entry, lasts), "inf", 0, 0,
     "How long it lasts, with `down`, `drain`, `revoke`, `loan` and `clock`; then it is undone.", NULL},
    {"notice", ORR_KEY_DURATION, offsetof(orr_event_entry, notice), "0", 0, 0,
     "With `revoke`, and for the end of a `loan`: policies are told so long before.", NULL},
    {"job", ORR_KEY_TEXT, offsetof(orr_event_entry, job), "", 0, 0,
     "With `cancel`: the job's id. One that isn't submitted yet is killed when it is.", NULL},
    {"price", ORR_KEY_REAL, offsetof(orr_event_entry, price), "-1", -1, 1000000000,
     "With `price`: money an hour.", NULL},
    {"clock", ORR_KEY_REAL, offsetof(orr_event_entry, clock), "0", 0, 1, "With `clock`: the part of the full clock.", NULL},
    {0},
};

const orr_keys orr_event_keys = {
    .title = "An element of `events`",
    .doc = "Nodes are those that meet all of `nodes`, `vc`, `type`, `rack`; `{at: 2h, do: down, nodes: node3, for: "
           "30m}`.",
    .at = event_keys,
};

static const orr_key failures_keys[] = {
    WHICH(orr_failures_entry),
    {"of", ORR_KEY_CHOICE, offsetof(orr_failures_entry, of), "node", 0, 0,
     "Whole nodes fail, or each of their GPUs on its own.", "node|gpu"},
    {"mtbf", ORR_KEY_DURATION, offsetof(orr_failures_entry, mtbf), NULL, 1000000000, INT64_MAX - 1,
     "Mean time that one works before it fails.", NULL},
    {"mttr", ORR_KEY_DURATION, offsetof(orr_failures_entry, mttr), NULL, 0, INT64_MAX - 1,
     "Mean time that it is down then.", NULL},
    {"shape", ORR_KEY_REAL, offsetof(orr_failures_entry, shape), "1", 0, 100,
     "Shape of the Weibull distribution of the time between failures, 0.1 at least; 1 is exponential.", NULL},
    {"repair_shape", ORR_KEY_REAL, offsetof(orr_failures_entry, repair_shape), "1", 0, 100,
     "The same of the time that it is down.", NULL},
    {0},
};

const orr_keys orr_failures_keys = {
    .title = "An element of `failures`",
    .doc = "Every node that is meant, or each of its GPUs, works and is down in turn. Several processes may bring down "
           "one node: it is up when none of them keeps it down.",
    .at = failures_keys,
};

static const orr_key power_keys[] = {
    {"host", ORR_KEY_REAL, offsetof(orr_power_entry, host), "0", 0, 1000000,
     "Watts of a node besides its GPUs while it is up or drains.", NULL},
    {"falling_asleep", ORR_KEY_REAL, offsetof(orr_power_entry, falling_asleep), "0", 0, 1000000,
     "Watts of a whole node while it is switched off.", NULL},
    {"asleep", ORR_KEY_REAL, offsetof(orr_power_entry, asleep), "0", 0, 1000000, "Watts of a whole node that sleeps.",
     NULL},
    {"waking", ORR_KEY_REAL, offsetof(orr_power_entry, waking), "0", 0, 1000000,
     "Watts of a whole node while it is switched on. A node that is down draws nothing.", NULL},
    {"gpus", ORR_KEY_LIST, offsetof(orr_power_entry, gpus), "", 0, 64,
     "What GPUs draw, by type; other types are taken from the built-in table of data sheets.", &orr_gpu_power_keys},
    {"clocks", ORR_KEY_LIST, offsetof(orr_power_entry, clocks), "", 0, 1000,
     "Clocks that GPUs can be set to, besides the full one.", &orr_clock_keys},
    {0},
};

const orr_keys orr_power_keys = {
    .title = "`power`",
    .doc = "A GPU that is up draws its idle power, and u (tdp - idle) more for a job that uses a share u of it: the "
           "`gpu_util` of the trace (per cent) or of the model's profile, else all of what it holds.",
    .at = power_keys,
};

static const orr_key gpu_power_keys[] = {
    {"type", ORR_KEY_TEXT, offsetof(orr_gpu_power, type), NULL, 0, 0, "GPU type, as the cluster names it.", NULL},
    {"idle", ORR_KEY_REAL, offsetof(orr_gpu_power, idle), NULL, 0, 100000, "Watts of one that is up and does nothing.",
     NULL},
    {"tdp", ORR_KEY_REAL, offsetof(orr_gpu_power, tdp), NULL, 0, 100000, "Watts of one that is fully used.", NULL},
    {0},
};

const orr_keys orr_gpu_power_keys = {
    .title = "An element of `power.gpus`",
    .doc = "One GPU type.",
    .at = gpu_power_keys,
};

static const orr_key clock_keys[] = {
    {"type", ORR_KEY_TEXT, offsetof(orr_clock_point, type), "", 0, 0,
     "GPU type; left out: all types that have no points of their own.", NULL},
    {"clock", ORR_KEY_REAL, offsetof(orr_clock_point, clock), NULL, 0, 1, "Part of the full clock, less than 1.", NULL},
    {"speed", ORR_KEY_REAL, offsetof(orr_clock_point, speed), "-1", -1, 1,
     "How fast jobs compute then, 1 being the full clock's; left out, as `clock`: an upper bound of the loss.", NULL},
    {"power", ORR_KEY_REAL, offsetof(orr_clock_point, power), "-1", -1, 1,
     "What they draw above idle power then, 1 being the full clock's; left out, the cube of `clock`: synthetic.", NULL},
    {0},
};

const orr_keys orr_clock_keys = {
    .title = "An element of `power.clocks`",
    .doc = "One point. They are numbered from 1 in the order of the file, for each type; 0 is the full clock. A gang is as "
           "fast as the slowest of its GPUs.",
    .at = clock_keys,
};

static const orr_key early_keys[] = {
    {"rule", ORR_KEY_CHOICE, offsetof(orr_early_entry, rule), NULL, 0, 0,
     "`first`: when one trial of a group is done, its siblings end. `halving`: at each rung the worse part ends.",
     "first|halving"},
    {"rung", ORR_KEY_REAL, offsetof(orr_early_entry, rung), "0.125", 0, 1,
     "With `halving`: the part of its work at which a trial comes to the first rung.", NULL},
    {"eta", ORR_KEY_REAL, offsetof(orr_early_entry, eta), "2", 1, 1000,
     "With `halving`: each rung is so many times as far as the one before, and one trial in so many goes on from it.",
     NULL},
    {"quality", ORR_KEY_TEXT, offsetof(orr_early_entry, quality), "", 0, 0,
     "With `halving`: the trace's column that says how good a trial is, more is better; left out, it is drawn by the "
     "seed and the trial.", NULL},
    {0},
};

const orr_keys orr_early_keys = {
    .title = "`early_stop`",
    .doc = "Of the trials of a group (the trace's column `group`), whatever the policy. Those that are stopped, waiting "
           "or running, are killed for the reason `early-stop`; one that saves, when it has; one that isn't submitted "
           "yet, when it is. With `halving`, of n trials ceil(n / eta^k), the best, go on from rung k, and the others stop "
           "as they come to it, as if the user knew already how the others will do: so each trial does the same work "
           "under every policy.",
    .at = early_keys,
};
/* clang-format on */

void orr_scenario_keys_markdown(orr_text *out)
{
    const orr_keys *const tables[] = {&orr_scenario_keys, &orr_event_keys, &orr_failures_keys, &orr_power_keys,
                                      &orr_gpu_power_keys, &orr_clock_keys, &orr_early_keys};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        orr_text_addf(out, "%s", i ? "\n" : "");
        orr_schema_markdown(tables[i], out);
    }
}
