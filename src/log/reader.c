/* One frame is unpacked at a time, and one record of it at a time handed out. Sizes are believed only within their
 * bounds. */
#include "log/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <zstd.h>

struct orr_log {
    orr_input *in;
    char *name;
    ZSTD_DCtx *zstd;
    unsigned char *packed, *frame; /* grown to the largest frame so far */
    size_t packed_room, frame_room;
    orr_packed left;               /* of the present frame */
    uint64_t offset, frame_offset; /* the file's: behind and at the present frame */
    uint64_t records;
    orr_log_state state;
    orr_arena header_texts, arena;
    orr_log_header header;
    orr_log_record record;
    orr_log_request request;
    orr_error error; /* what went wrong, for ever */
    bool cut, over;
};

enum { HEAD = 12, START = 12 };
static const char magic[8] = {'O', 'R', 'R', 'L', 'O', 'G', '\r', '\n'};

/* ---- errors ---- */

static orr_err fail(orr_log *log, orr_err code, const char *what)
{
    char place[512];
    if (log->error.code)
        return log->error.code;
    orr_error_set(&log->error, code, "%s", what);
    snprintf(place, sizeof place, "%s:%" PRIu64, log->name, log->frame_offset);
    orr_error_at(&log->error, place, 0, 0);
    return code;
}

static orr_err damaged(orr_log *log)
{
    return fail(log, ORR_E_TRUNCATED,
                "the event log is damaged: this frame doesn't unpack, or holds what is no record");
}

static orr_err cut(orr_log *log)
{
    log->cut = true;
    return fail(log, ORR_E_TRUNCATED, "the event log ends before the run did: it was cut, or the run was killed");
}

/* ---- frames ---- */

/* Exactly `n` bytes; *got tells what there was. */
static orr_err read_bytes(orr_log *log, void *to, size_t n, size_t *got)
{
    const orr_err err = orr_input_read(log->in, to, n, got, &log->error);
    if (!err)
        log->offset += *got;
    return err;
}

static unsigned char *grown(unsigned char *at, size_t *room, size_t need)
{
    if (need <= *room)
        return at;
    *room = need;
    return orr_xrealloc(at, need, 1);
}

/* The packed bytes come in steps, so that a length that is a lie costs no memory. */
static orr_err read_packed(orr_log *log, size_t n)
{
    for (size_t have = 0, got = 0; have < n; have += got) {
        const size_t step = n - have < ORR_LOG_FRAME ? n - have : ORR_LOG_FRAME;
        log->packed = grown(log->packed, &log->packed_room, have + step);
        const orr_err err = read_bytes(log, log->packed + have, step, &got);
        if (err)
            return err;
        if (got < step)
            return cut(log);
    }
    return ORR_OK;
}

/* *end: there is none any more. */
static orr_err next_frame(orr_log *log, bool *end)
{
    unsigned char head[HEAD];
    size_t got;
    log->frame_offset = log->offset;
    orr_err err = read_bytes(log, head, HEAD, &got);
    *end = !err && got == 0;
    if (err || *end)
        return err;
    if (got < HEAD)
        return cut(log);
    orr_packed sizes = {head, head + HEAD, false};
    const uint32_t packed = orr_unpack_fixed32(&sizes), size = orr_unpack_fixed32(&sizes),
                   sum = orr_unpack_fixed32(&sizes);
    if (size == 0 || size > ORR_LOG_FRAME_MAX || packed > ZSTD_COMPRESSBOUND(ORR_LOG_FRAME_MAX))
        return damaged(log);
    err = read_packed(log, packed);
    if (err)
        return err;
    if (orr_log_sum(packed, size, log->packed) != sum || ZSTD_getFrameContentSize(log->packed, packed) != size)
        return damaged(log);
    log->frame = grown(log->frame, &log->frame_room, size);
    if (ZSTD_decompressDCtx(log->zstd, log->frame, size, log->packed, packed) != size)
        return damaged(log);
    log->left = (orr_packed){log->frame, log->frame + size, false};
    log->state = (orr_log_state){.version = log->state.version};
    return ORR_OK;
}

/* ---- opening ---- */

static orr_err not_a_log(orr_log *log)
{
    orr_error_set(&log->error, ORR_E_FORMAT, "this is no event log");
    orr_error_at(&log->error, log->name, 0, 0);
    orr_error_hint(&log->error, "`orrery run -o DIR` writes one: DIR/%s", ORR_LOG_NAME);
    return ORR_E_FORMAT;
}

static orr_err read_start(orr_log *log)
{
    unsigned char start[START];
    size_t got;
    const orr_err err = read_bytes(log, start, START, &got);
    if (err)
        return err;
    if (got < sizeof magic || memcmp(start, magic, sizeof magic) != 0)
        return not_a_log(log);
    if (got < START)
        return cut(log);
    orr_packed in = {start + sizeof magic, start + START, false};
    const uint32_t version = log->state.version = orr_unpack_fixed32(&in);
    if (version >= 1 && version <= ORR_LOG_VERSION)
        return ORR_OK;
    orr_error_set(&log->error, ORR_E_VERSION, "the event log has version %u, and this program knows 1 to %d", version,
                  ORR_LOG_VERSION);
    orr_error_at(&log->error, log->name, 0, 0);
    return ORR_E_VERSION;
}

static orr_err read_header(orr_log *log)
{
    bool end;
    const orr_err err = next_frame(log, &end);
    if (err)
        return err;
    if (end)
        return cut(log);
    const uint32_t version = log->state.version;
    return orr_log_take_header(&log->left, version, &log->header_texts, &log->header) ? ORR_OK : damaged(log);
}

static orr_log *open_input(orr_input *in, const char *name, orr_error *e)
{
    orr_log *log = orr_xcalloc(1, sizeof *log);
    log->in = in;
    log->name = orr_xstrdup(strcmp(name, "-") == 0 ? "<stdin>" : name);
    log->zstd = ZSTD_createDCtx();
    if (!log->zstd)
        orr_out_of_memory(0);
    orr_err err = read_start(log);
    if (!err)
        err = read_header(log);
    if (!err)
        return log;
    if (e && !e->code)
        *e = log->error;
    orr_log_close(log);
    return NULL;
}

orr_log *orr_log_open(const char *path, orr_error *e)
{
    orr_input *in = orr_input_open(path, e);
    return in ? open_input(in, path, e) : NULL;
}

orr_log *orr_log_memory(const char *name, const void *data, size_t size, orr_error *e)
{
    return open_input(orr_input_memory(name, data, size), name, e);
}

void orr_log_close(orr_log *log)
{
    if (!log)
        return;
    orr_input_close(log->in);
    ZSTD_freeDCtx(log->zstd);
    orr_arena_fini(&log->header_texts);
    orr_arena_fini(&log->arena);
    free(log->packed);
    free(log->frame);
    free(log->name);
    free(log);
}

/* ---- records ---- */

static orr_err find_record(orr_log *log)
{
    bool end = false;
    orr_err err = ORR_OK;
    if (log->left.at == log->left.end)
        err = next_frame(log, &end);
    if (err)
        return err;
    if (end)
        return cut(log);
    orr_arena_reset(&log->arena);
    if (!orr_log_take(&log->left, &log->state, &log->arena, &log->request, &log->record))
        return damaged(log);
    log->records++;
    return ORR_OK;
}

/* Behind the last record there is nothing. */
static orr_err check_over(orr_log *log)
{
    unsigned char more;
    size_t got;
    if (log->left.at != log->left.end)
        return damaged(log);
    log->frame_offset = log->offset;
    const orr_err err = read_bytes(log, &more, 1, &got);
    return err || !got ? err : fail(log, ORR_E_TRUNCATED, "something follows the end of the event log");
}

orr_err orr_log_next(orr_log *log, const orr_log_record **record, orr_error *e)
{
    orr_err err = log->error.code;
    if (!err && !log->over)
        err = find_record(log);
    const bool last = !err && !log->over && log->record.kind == ORR_LOG_STOP;
    if (last)
        err = check_over(log);
    if (err) {
        if (e && !e->code)
            *e = log->error;
        return err;
    }
    *record = log->over ? NULL : &log->record;
    log->over |= last;
    return ORR_OK;
}

const orr_log_header *orr_log_header_of(const orr_log *log)
{
    return &log->header;
}

bool orr_log_is_cut(const orr_log *log)
{
    return log->cut;
}

uint64_t orr_log_offset(const orr_log *log)
{
    return log->offset;
}

uint64_t orr_log_records(const orr_log *log)
{
    return log->records;
}
