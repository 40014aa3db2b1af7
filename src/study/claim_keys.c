/* The tables that claim files are read by and documented from. */
#include "study/claim_keys.h"

#define AT(member) offsetof(orr_claim, member)
#define SYNTH(member) offsetof(orr_claim_synth, member)

/* clang-format off */
static const orr_key synth_keys[] = {
    {"shape", ORR_KEY_TEXT, SYNTH(shape), "philly", 0, 0,
     "Published cluster whose sizes and durations to follow.", NULL},
    {"jobs", ORR_KEY_INT, SYNTH(jobs), "1000", 1, 10000000, "How many jobs.", NULL},
    {"span", ORR_KEY_DURATION, SYNTH(span), "0", 0, 0,
     "Time over which they are submitted; 0: it follows from `load`, or is the shape's own.", NULL},
    {"load", ORR_KEY_REAL, SYNTH(load), "0", 0, 1000, "Offered load on `gpus`, which sets the span.", NULL},
    {"gpus", ORR_KEY_INT, SYNTH(gpus), "0", 0, 1000000000, "The GPUs that `load` refers to.", NULL},
    {"arrivals", ORR_KEY_CHOICE, SYNTH(arrivals), "diurnal", 0, 0, "How submissions follow each other.",
     ORR_CLAIM_ARRIVALS},
    {"cv", ORR_KEY_REAL, SYNTH(cv), "4", 0, 100, "Coefficient of variation of the gaps, for bursty.", NULL},
    {"mmpp", ORR_KEY_TEXT, SYNTH(mmpp), "", 0, 0, "States for mmpp: `1:4h,10:20m`.", NULL},
    {"durations", ORR_KEY_TEXT, SYNTH(durations), "", 0, 0,
     "`lognormal:MEDIAN:SIGMA`, `exp:MEAN`, `fixed:TIME`, `pareto:LEAST:ALPHA`; the shape's own if left out.", NULL},
    {"vcs", ORR_KEY_INT, SYNTH(vcs), "0", 0, 1000000, "Virtual clusters; 0: no names.", NULL},
    {"users", ORR_KEY_INT, SYNTH(users), "30", 0, 1000000, "Users; 0: no names.", NULL},
    {"vc-zipf", ORR_KEY_REAL, SYNTH(vc_zipf), "-1", -1, 10,
     "The i-th virtual cluster has a share of i to the power -x; -1: 1.", NULL},
    {"user-zipf", ORR_KEY_REAL, SYNTH(user_zipf), "-1", -1, 10, "The same for users; -1: the shape's own.", NULL},
    {"recurrence", ORR_KEY_REAL, SYNTH(recurrence), "-1", -1, 1,
     "Share of jobs that are named after how long they run; -1: 0.85.", NULL},
    {"max-gpus", ORR_KEY_INT, SYNTH(max_gpus), "0", 0, 1000000, "No wider jobs than this; 0: no bound.", NULL},
    {"deadline-share", ORR_KEY_REAL, SYNTH(deadline_share), "0", 0, 1, "Share of jobs that get a deadline.", NULL},
    {"deadline-slack", ORR_KEY_TEXT, SYNTH(deadline_slack), "", 0, 0,
     "Run times from submission to deadline: `1:3`.", NULL},
    {"limit-factor", ORR_KEY_REAL, SYNTH(limit_factor), "0", 0, 1000,
     "Declared limits around this many times the duration; 0: none.", NULL},
    {"with", ORR_KEY_TEXT, SYNTH(with), "", 0, 0,
     "Families of further columns (`orrery synth --list-families`).", NULL},
    {"throughputs", ORR_KEY_TEXT, SYNTH(throughputs), "", 0, 0,
     "A throughput table among whose models those of the jobs are drawn.", NULL},
    {"applications", ORR_KEY_TEXT, SYNTH(applications), "", 0, 0,
     "Applications whose trainings the jobs are, with GPUs and batches that suit them.", NULL},
    {"configured", ORR_KEY_CHOICE, SYNTH(configured), "tuned", 0, 0,
     "Whether those suit them, or are drawn from all that are possible.", ORR_CLAIM_CONFIGURED},
    {"trials", ORR_KEY_INT, SYNTH(trials), "8", 1, 1000, "Trials a group on average, for the family trials.", NULL},
    {0},
};

const orr_keys orr_claim_synth_keys = {
    .title = "The map `synth`",
    .doc = "The workload is drawn anew for each seed, as `orrery synth` draws it; the keys are its options.",
    .at = synth_keys,
};

static const orr_key claim_keys[] = {
    {"schema", ORR_KEY_TEXT, AT(schema), NULL, 0, 0, "What the file is: `" ORR_CLAIM_SCHEMA "`.", NULL},
    {"system", ORR_KEY_TEXT, AT(system), NULL, 0, 0, "The system's name, as published.", NULL},
    {"survey", ORR_KEY_TEXT, AT(survey), NULL, 0, 0,
     "Section of the survey (Gao et al. 2022) that tells of it.", NULL},
    {"source", ORR_KEY_TEXT, AT(source), NULL, 0, 0,
     "Where it is claimed: paper, and section, figure or table.", NULL},
    {"claim", ORR_KEY_TEXT, AT(claim), NULL, 0, 0, "What is claimed, in one sentence.", NULL},
    {"note", ORR_KEY_TEXT, AT(note), "", 0, 0,
     "How our workload differs from theirs, and why the bound is what it is.", NULL},
    {"policy", ORR_KEY_TEXT, AT(policy), "", 0, 0,
     "What the claim is about, as behind `run -p`. It is the run `policy`.", NULL},
    {"serve", ORR_KEY_TEXT, AT(serve), "", 0, 0,
     "The same of a claim about serving, as behind `run --serve`; then `baseline` is of that kind, too (`none`: no policy).", NULL},
    {"baseline", ORR_KEY_TEXT, AT(baseline), "", 0, 0, "What it is compared with: the run `baseline`.", NULL},
    {"case", ORR_KEY_MAP, AT(shared), "", 0, 0,
     "What all runs share: keys of a case, such as `cluster` and `costs`.", NULL},
    {"runs", ORR_KEY_LIST, AT(runs_given), "", 1, 30,
     "Further runs, or what differs in `policy` and `baseline`: each a `name` and keys of a case.", NULL},
    {"jobs", ORR_KEY_TEXT, AT(jobs), "", 0, 0, "The workload as text, in the columns of traces/README.md.", NULL},
    {"requests", ORR_KEY_TEXT, AT(requests), "", 0, 0,
     "The services as text, as a file of services has them; instead of the case's `services`.", NULL},
    {"synth", ORR_KEY_MAP, AT(synth_given), "", 0, 0,
     "The workload by parameters; neither this nor `jobs`: the case's `trace`, or with services no jobs.", NULL},
    {"needs", ORR_KEY_TEXTS, AT(needs), "", 1, 20,
     "Files, relative to the working folder, without which the claim is skipped.", NULL},
    {"seeds", ORR_KEY_INT, AT(seeds), "1", 1, 1000,
     "How often to repeat all of it; an expectation must hold each time.", NULL},
    {"metric", ORR_KEY_TEXT, AT(metric), "jct.mean", 0, 0, "The metric where an expectation names none.", NULL},
    {"expect", ORR_KEY_TEXTS, AT(expect), NULL, 1, 30, "What must come out; a list: all of it.", NULL},
    {0},
};

const orr_keys orr_claim_keys = {
    .title = "A claim file",
    .doc = "YAML, one claim a file. Any other key is an error.",
    .at = claim_keys,
};
/* clang-format on */

void orr_claim_keys_markdown(orr_text *out)
{
    orr_schema_markdown(&orr_claim_keys, out);
    orr_text_addf(out, "\n");
    orr_schema_markdown(&orr_claim_synth_keys, out);
}
