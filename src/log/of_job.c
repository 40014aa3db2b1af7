/* One job's records, found by passing over all others. */
#include "log/log.h"

static orr_err unknown(const char *path, const char *id, const orr_log *log, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "no job of this id was submitted");
    orr_error_at(e, path, 0, 0);
    orr_error_text(e, id, strlen(id));
    if (orr_log_is_cut(log))
        orr_error_hint(e, "the log is cut: later jobs aren't in it");
    return ORR_E_BAD_VALUE;
}

static bool is_its(const orr_log_record *r, int64_t job)
{
    return r->job == job && orr_log_has_job(r->kind);
}

orr_err orr_log_of_job(const char *path, const char *id,
                       bool (*each)(void *self, const orr_log_header *header, const orr_log_record *record), void *self,
                       orr_error *e)
{
    orr_error own = {0};
    int64_t job = -1;
    const orr_log_record *r;
    orr_log *log = orr_log_open(path, &own);
    orr_err err = log ? ORR_OK : own.code;
    while (!err && !(err = orr_log_next(log, &r, &own)) && r) {
        if (r->kind == ORR_LOG_SUBMIT && job < 0 && strcmp(r->request->id, id) == 0)
            job = r->job;
        if (job >= 0 && is_its(r, job) && !each(self, orr_log_header_of(log), r))
            break;
    }
    if (log && orr_log_is_cut(log))
        err = ORR_OK;
    if (err && e && !e->code)
        *e = own;
    if (!err && job < 0)
        err = unknown(path, id, log, e);
    orr_log_close(log);
    return err;
}
