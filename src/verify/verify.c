/* The whole proof: the log from its beginning to its end, then the files beside it. */
#include "verify/proof.h"

#include <stdio.h>

static orr_err begin(proof *p, const orr_verify_beside *beside, orr_error *e)
{
    orr_err err = orr_terms_read(p->header, &p->terms, e);
    if (!err)
        err = orr_booked_make(p, e);
    if (err)
        return err;
    p->names = orr_names_create();
    p->sums = orr_xcalloc((size_t)p->pool_count + 1, sizeof *p->sums);
    orr_nodes_make(p);
    if (!orr_measure_read(p->header->measure, p->header, &p->measure))
        return orr_error_set(e, ORR_E_FORMAT, "the log's measured set can't be understood: %s", p->header->measure);
    p->lower = p->measure.lower;
    p->upper = p->measure.upper;
    if (!beside || !beside->holds)
        return ORR_OK;
    p->holds = orr_rows_open(beside->holds, e);
    return p->holds ? ORR_OK : e->code;
}

static void fini(proof *p)
{
    orr_proof_jobs_fini(p);
    orr_booked_fini(p);
    orr_nodes_fini(p);
    orr_names_destroy(p->names);
    orr_arena_fini(&p->ids);
    orr_rows_close(p->holds);
    free(p->sums);
}

static orr_err walk(proof *p, orr_log *log, orr_error *e)
{
    orr_err err;
    orr_error own = {0};
    const orr_log_record *r = NULL;
    while (!(err = orr_log_next(log, &r, &own)) && r)
        orr_proof_step(p, r);
    if (err && orr_log_is_cut(log)) {
        p->out->cut = own;
        return ORR_OK;
    }
    if (err)
        *e = own;
    return err;
}

static orr_err compare_beside(proof *p, const orr_verify_beside *beside, orr_error *e)
{
    orr_err err = p->holds ? orr_rows_over(p, e) : ORR_OK;
    if (!err && (beside->jobs || beside->summary))
        orr_shares_set(p);
    if (!err && beside->jobs)
        err = orr_jobs_compare(p, beside->jobs, e);
    if (!err && beside->summary)
        err = orr_summary_compare(p, beside->summary, e);
    return err;
}

static void note_facts(const proof *p, const orr_log *log, orr_verification *out)
{
    out->records = orr_log_records(log);
    out->bytes = orr_log_offset(log);
    out->jobs = p->counts.submitted;
    out->preemptions = p->counts.preemptions;
    out->nodes = p->nodes;
    out->gpus = p->gpus;
    snprintf(out->policy, sizeof out->policy, "%s", p->header->policy);
}

orr_err orr_verify_log(orr_log *log, const orr_verify_beside *beside, orr_verification *out, orr_error *e)
{
    orr_error own = {0};
    proof p = {.out = out,
               .header = orr_log_header_of(log),
               .now = ORR_TIME_NONE,
               .begun = ORR_TIME_NONE,
               .first_submit = ORR_TIME_NONE};
    *out = (orr_verification){.metrics = -1, .job_rows = -1, .hold_rows = -1};
    orr_err err = begin(&p, beside, &own);
    if (!err)
        err = walk(&p, log, &own);
    if (!err && beside && !out->cut.code)
        err = compare_beside(&p, beside, &own);
    note_facts(&p, log, out);
    if (p.header->services[0])
        orr_text_addf(&out->unproved, "%srequests of services, and that no job was on the GPUs of their executors", out->unproved.n ? ", " : "");
    fini(&p);
    if (err && e && !e->code)
        *e = own;
    return err;
}
