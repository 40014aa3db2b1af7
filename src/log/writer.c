/* Records are gathered into a frame; a full one is packed and goes out. */
#include "log/record.h"

#include <zstd.h>

struct orr_log_writer {
    orr_output *file; /* NULL: into memory */
    orr_text memory;
    orr_text frame; /* unpacked so far */
    orr_log_state state;
    ZSTD_CCtx *zstd;
    orr_text packed, number; /* reused */
    uint64_t bytes;
};

enum { LEVEL = 3 };
static const char magic[8] = {'O', 'R', 'R', 'L', 'O', 'G', '\r', '\n'};

static void put_out(orr_log_writer *w, const void *data, size_t n)
{
    if (w->file)
        orr_output_write(w->file, data, n);
    else
        orr_text_add(&w->memory, data, n);
    w->bytes += n;
}

static void put_fixed32(orr_log_writer *w, uint32_t value)
{
    orr_text_clear(&w->number);
    orr_pack_fixed32(&w->number, value);
    put_out(w, w->number.at, w->number.n);
}

static void pack_frame(orr_log_writer *w)
{
    if (!w->frame.n)
        return;
    const size_t room = ZSTD_compressBound(w->frame.n);
    ORR_VEC_RESERVE(&w->packed, room);
    const size_t n = ZSTD_compress2(w->zstd, w->packed.at, room, w->frame.at, w->frame.n);
    if (ZSTD_isError(n))
        orr_out_of_memory(0); /* with enough room nothing else can fail */
    put_fixed32(w, (uint32_t)n);
    put_fixed32(w, (uint32_t)w->frame.n);
    put_fixed32(w, orr_log_sum((uint32_t)n, (uint32_t)w->frame.n, w->packed.at));
    put_out(w, w->packed.at, n);
    orr_text_clear(&w->frame);
    w->state = (orr_log_state){0};
}

orr_log_writer *orr_log_writer_create(const char *path, orr_error *e)
{
    orr_output *file = path ? orr_output_create(path, e) : NULL;
    if (path && !file)
        return NULL;
    orr_log_writer *w = orr_xcalloc(1, sizeof *w);
    w->file = file;
    w->zstd = ZSTD_createCCtx();
    if (!w->zstd)
        orr_out_of_memory(0);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
    return w;
}

void orr_log_write_header(orr_log_writer *w, const orr_log_header *header)
{
    put_out(w, magic, sizeof magic);
    put_fixed32(w, ORR_LOG_VERSION);
    orr_log_put_header(&w->frame, header);
    pack_frame(w);
}

void orr_log_write(orr_log_writer *w, const orr_log_record *record)
{
    orr_log_put(&w->frame, &w->state, record);
    if (w->frame.n >= ORR_LOG_FRAME || record->kind == ORR_LOG_STOP)
        pack_frame(w);
}

static void release(orr_log_writer *w)
{
    ZSTD_freeCCtx(w->zstd);
    orr_text_fini(&w->memory);
    orr_text_fini(&w->frame);
    orr_text_fini(&w->packed);
    orr_text_fini(&w->number);
    free(w);
}

orr_err orr_log_writer_commit(orr_log_writer *w, orr_error *e)
{
    pack_frame(w);
    const orr_err err = orr_output_commit(w->file, e);
    release(w);
    return err;
}

orr_text orr_log_writer_take(orr_log_writer *w)
{
    pack_frame(w);
    const orr_text memory = w->memory;
    w->memory = (orr_text){0};
    release(w);
    return memory;
}

void orr_log_writer_abandon(orr_log_writer *w)
{
    if (!w)
        return;
    orr_output_abandon(w->file);
    release(w);
}

uint64_t orr_log_writer_bytes(const orr_log_writer *w)
{
    return w->bytes;
}
