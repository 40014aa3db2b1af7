#include "verify/proof.h"

#include <stdarg.h>
#include <stdio.h>

/* In the order of `rule`. */
static const orr_verify_rule rules[] = {
    {"time", "time never goes back"},
    {"lifecycle", "each job is submitted once and takes only steps that its state allows"},
    {"decision", "what only a decision can do happens in one, decisions count up, and they come when the clock allows"},
    {"request", "what a job asks doesn't contradict itself"},
    {"submission", "a job comes when its record says, on the clock's grid"},
    {"predecessors", "a job that waits for others comes when the last of them has ended and it has thought"},
    {"capacity", "no GPU gives away more than all of it, and nothing before whoever saves on it has left"},
    {"host", "no node gives away more cores or memory than it has"},
    {"device-memory", "no GPU that is shared gives away more memory than it has"},
    {"no-such-gpu", "what is given away exists"},
    {"node-up", "jobs hold GPUs that work, new ones only where jobs are taken, and lose them only with a node"},
    {"gang", "a job gets all GPUs it asks for or none, and each only once"},
    {"gpu-type", "a job runs on GPUs of a type that it names"},
    {"vc", "a job runs in its own VC, unless the policy may lend"},
    {"pinned", "a job that must not be preempted isn't"},
    {"hold-start", "a hold begins at once, or when the last of its GPUs is vacated"},
    {"cost", "start, restore, save, resize are charged as the costs say, another share is free"},
    {"rate", "a job progresses at the speed that its GPUs give, which changes only where something else counts"},
    {"work", "a job ends when its work is done: not before, not later"},
    {"lost-work", "who loses its GPUs does again what the last checkpoint doesn't hold"},
    {"ending", "a job ends as its record does, unless a decision kills it"},
    {"stop", "the run stops for the reason that it names"},
    {"conservation", "every job that came is accounted for, and the counts are those of the log"},
    {"metric", "each number of the summary is what the log amounts to"},
    {"jobs-row", "jobs.csv says of each job what the log says"},
    {"holds-row", "attempts.csv says of each hold what the log says"},
    {NULL, NULL},
};

const orr_verify_rule *orr_verify_rules(void)
{
    return rules;
}

static uint64_t count_one(orr_verification *v, const char *name)
{
    for (size_t i = 0; i < v->broken.n; i++)
        if (v->broken.at[i].rule == name)
            return ++v->broken.at[i].count;
    ORR_VEC_PUSH(&v->broken, ((orr_rule_count){name, 1}));
    return 1;
}

void orr_proof_finds(proof *p, rule r, const char *resource, const char *fmt, ...)
{
    va_list args;
    orr_finding f = {.rule = rules[r].name, .at = p->now};
    if (r == RULE_WORK && strcmp(p->header->model, "whole-epochs") == 0) /* where epochs end isn't in the log */
        return;
    if (count_one(p->out, f.rule) > ORR_FINDINGS_OF_A_RULE)
        return;
    snprintf(f.job, sizeof f.job, "%s", p->job ? p->job : "");
    snprintf(f.resource, sizeof f.resource, "%s", resource ? resource : "");
    va_start(args, fmt);
    vsnprintf(f.text, sizeof f.text, fmt, args);
    va_end(args);
    ORR_VEC_PUSH(&p->out->findings, f);
}

void orr_verification_fini(orr_verification *v)
{
    ORR_VEC_FREE(&v->findings);
    ORR_VEC_FREE(&v->broken);
    orr_text_fini(&v->unproved);
}
