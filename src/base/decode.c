/* Decompression behind one call. A source fills `raw`; one of three readers takes from it.
 *
 * The end of the source is no error only between members or frames: everything else that stops early was cut.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/decode.h"

#include "base/mem.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { RAW_SIZE = 1 << 16 };

enum format { UNKNOWN, PLAIN, GZIP, ZSTD };

struct orr_decoder {
    int descriptor; /* -1: memory */
    unsigned char *own;
    const unsigned char *raw; /* the bytes [at, end) wait to be taken */
    size_t at, end;
    bool source_ended, inside; /* inside a member or frame */
    enum format format;
    z_stream gzip;
    ZSTD_DStream *zstd;
};

orr_decoder *orr_decoder_of_file(int descriptor)
{
    orr_decoder *d = orr_xcalloc(1, sizeof *d);
    d->descriptor = descriptor;
    d->raw = d->own = orr_xmalloc(RAW_SIZE);
    return d;
}

orr_decoder *orr_decoder_of_memory(const void *data, size_t size)
{
    orr_decoder *d = orr_xcalloc(1, sizeof *d);
    d->descriptor = -1;
    d->raw = data;
    d->end = size;
    d->source_ended = true;
    return d;
}

void orr_decoder_destroy(orr_decoder *d)
{
    if (!d)
        return;
    if (d->format == GZIP)
        inflateEnd(&d->gzip);
    ZSTD_freeDStream(d->zstd);
    if (d->descriptor > 0)
        close(d->descriptor);
    free(d->own);
    free(d);
}

/* Adds to what waits; `source_ended` says that nothing more will come. */
static orr_err fetch(orr_decoder *d, orr_error *e)
{
    if (d->source_ended)
        return ORR_OK;
    memmove(d->own, d->own + d->at, d->end - d->at);
    d->end -= d->at;
    d->at = 0;
    ssize_t n;
    do
        n = read(d->descriptor, d->own + d->end, RAW_SIZE - d->end);
    while (n < 0 && errno == EINTR);
    if (n < 0) {
        char reason[128];
        if (strerror_r(errno, reason, sizeof reason) != 0)
            memcpy(reason, "unknown reason", sizeof "unknown reason");
        return orr_error_set(e, ORR_E_OPEN, "reading failed: %s", reason);
    }
    d->source_ended = n == 0;
    d->end += (size_t)n;
    return ORR_OK;
}

static orr_err fetch_if_empty(orr_decoder *d, orr_error *e)
{
    return d->at == d->end ? fetch(d, e) : ORR_OK;
}

static orr_err cut(const char *kind, orr_error *e)
{
    orr_error_set(e, ORR_E_TRUNCATED, "the %s data ends too early", kind);
    orr_error_hint(e, "the file was cut, perhaps by a download or a full disk: fetch or write it again");
    return ORR_E_TRUNCATED;
}

static orr_err damaged(const char *kind, const char *reason, orr_error *e)
{
    orr_error_set(e, ORR_E_TRUNCATED, "the %s data is damaged: %s", kind, reason);
    orr_error_hint(e, "fetch or write the file again");
    return ORR_E_TRUNCATED;
}

/* ---- plain ---- */

static orr_err read_plain(orr_decoder *d, unsigned char *buf, size_t room, size_t *got, orr_error *e)
{
    orr_err err = fetch_if_empty(d, e);
    if (err)
        return err;
    size_t n = d->end - d->at < room ? d->end - d->at : room;
    if (n)
        memcpy(buf, d->raw + d->at, n);
    d->at += n;
    *got = n;
    return ORR_OK;
}

/* ---- gzip ---- */

static void *zlib_alloc(void *unused, unsigned count, unsigned size)
{
    (void)unused;
    return orr_xcalloc(count, size);
}

static void zlib_free(void *unused, void *p)
{
    (void)unused;
    free(p);
}

static void start_gzip(orr_decoder *d)
{
    d->gzip = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
    if (inflateInit2(&d->gzip, 15 + 16) != Z_OK)
        orr_out_of_memory(0);
}

/* Between members: zeros are padding (tapes, block devices); anything else must be a member. */
static void enter_member(orr_decoder *d)
{
    while (d->at < d->end && d->raw[d->at] == 0)
        d->at++;
    if (d->at == d->end)
        return;
    inflateReset(&d->gzip);
    d->inside = true;
}

static orr_err inflate_some(orr_decoder *d, unsigned char *buf, size_t room, size_t *got, orr_error *e)
{
    size_t waits = d->end - d->at;
    uInt most = 1u << 30;
    z_stream *z = &d->gzip;
    z->next_in = (Bytef *)(uintptr_t)(d->raw + d->at); /* zlib only reads it */
    z->avail_in = waits < most ? (uInt)waits : most;
    z->next_out = buf;
    z->avail_out = room < most ? (uInt)room : most;
    int result = inflate(z, Z_NO_FLUSH);
    d->at = (size_t)((const unsigned char *)z->next_in - d->raw);
    *got = (size_t)(z->next_out - buf);
    if (result == Z_STREAM_END)
        d->inside = false;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return damaged("gzip", z->msg ? z->msg : "no reason known", e);
    return ORR_OK;
}

static orr_err read_gzip(orr_decoder *d, unsigned char *buf, size_t room, size_t *got, orr_error *e)
{
    for (;;) {
        orr_err err = fetch_if_empty(d, e);
        if (err)
            return err;
        if (!d->inside)
            enter_member(d);
        bool dry = d->at == d->end;
        if (!d->inside) {
            if (dry && d->source_ended)
                return ORR_OK;
            continue;
        }
        err = inflate_some(d, buf, room, got, e);
        if (err || *got)
            return err;
        if (d->inside && dry && d->source_ended)
            return cut("gzip", e);
    }
}

/* ---- zstd ---- */

static void start_zstd(orr_decoder *d)
{
    d->zstd = ZSTD_createDStream();
    if (!d->zstd)
        orr_out_of_memory(0);
    ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax, sizeof(size_t) == 8 ? 31 : 30); /* reads --long=31 too */
}

static orr_err read_zstd(orr_decoder *d, unsigned char *buf, size_t room, size_t *got, orr_error *e)
{
    for (;;) {
        orr_err err = fetch_if_empty(d, e);
        if (err)
            return err;
        bool dry = d->at == d->end && d->source_ended;
        if (dry && !d->inside)
            return ORR_OK;
        ZSTD_inBuffer in = {d->raw + d->at, d->end - d->at, 0};
        ZSTD_outBuffer out = {buf, room, 0};
        size_t left = ZSTD_decompressStream(d->zstd, &out, &in);
        if (ZSTD_isError(left))
            return damaged("zstd", ZSTD_getErrorName(left), e);
        d->at += in.pos;
        d->inside = left != 0;
        *got = out.pos;
        if (out.pos)
            return ORR_OK;
        if (dry && d->inside)
            return cut("zstd", e);
    }
}

/* ---- any ---- */

/* Frames of zstd may be preceded by skippable ones, whose magic is 184D2A5?. */
static enum format format_of(const unsigned char *raw, size_t n)
{
    if (n >= 2 && raw[0] == 0x1f && raw[1] == 0x8b)
        return GZIP;
    bool frame = n >= 4 && memcmp(raw, "\x28\xb5\x2f\xfd", 4) == 0;
    bool skippable = n >= 4 && (raw[0] & 0xf0) == 0x50 && memcmp(raw + 1, "\x2a\x4d\x18", 3) == 0;
    return frame || skippable ? ZSTD : PLAIN;
}

static orr_err sniff(orr_decoder *d, orr_error *e)
{
    while (d->end - d->at < 4 && !d->source_ended) {
        orr_err err = fetch(d, e);
        if (err)
            return err;
    }
    d->format = format_of(d->raw + d->at, d->end - d->at);
    if (d->format == GZIP)
        start_gzip(d);
    else if (d->format == ZSTD)
        start_zstd(d);
    return ORR_OK;
}

orr_err orr_decoder_read(orr_decoder *d, void *buf, size_t room, size_t *got, orr_error *e)
{
    *got = 0;
    orr_err err = d->format == UNKNOWN ? sniff(d, e) : ORR_OK;
    if (err)
        return err;
    if (d->format == GZIP)
        return read_gzip(d, buf, room, got, e);
    if (d->format == ZSTD)
        return read_zstd(d, buf, room, got, e);
    return read_plain(d, buf, room, got, e);
}
