/* Outputs: a buffer, an encoder (none, gzip, zstd), a file under a temporary name.
 *
 * Nothing is renamed unless every byte was accepted, so the name that was asked for either holds the whole or what it
 * held before. Compressed bytes carry no time and no name, so equal contents give equal files.
 */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#include "base/io.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER = 1 << 16 };

struct orr_output {
    FILE *file;
    char *path, *temporary; /* `temporary` is NULL where nothing is renamed */
    int reason;             /* errno of the first write that failed */
    size_t n;
    unsigned char *held, *encoded; /* BUFFER bytes each */
    z_stream *gzip;
    ZSTD_CStream *zstd;
    orr_text scratch;
};

/* ---- opening ---- */

static void explain(int reason, char *text, size_t size)
{
    if (strerror_r(reason, text, size) != 0)
        snprintf(text, size, "unknown reason");
}

static void refuse(const char *path, int reason, orr_error *e)
{
    char text[128];
    explain(reason, text, sizeof text);
    orr_error_set(e, ORR_E_CREATE, "can't create the output: %s", text);
    orr_error_at(e, path, 0, 0);
    if (reason == ENOENT || reason == ENOTDIR)
        orr_error_hint(e, "create the folder it should be in first");
    else if (reason == EACCES || reason == EROFS || reason == EPERM)
        orr_error_hint(e, "choose a folder that this user may write to");
    else if (reason == EISDIR)
        orr_error_hint(e, "give the name of a file inside the folder");
}

/* `path` with ".NAME.tmp.PID.TRY" for its last part; a long name is shortened so that the file system takes it. */
static char *temporary_name(const char *path, int attempt)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    orr_text name = {0};
    orr_text_addf(&name, "%.*s.%.200s.tmp.%ld.%d", folder, path, path + folder, (long)getpid(), attempt);
    return name.at;
}

/* A name that nobody has, even where a killed process left one. */
static int open_temporary(orr_output *out)
{
    enum { ATTEMPTS = 1000 };
    int descriptor = -1;
    for (int i = 0; i < ATTEMPTS; i++) {
        free(out->temporary);
        out->temporary = temporary_name(out->path, i);
        descriptor = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return descriptor;
}

static FILE *open_file(orr_output *out)
{
    struct stat facts;
    bool exists = stat(out->path, &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode)) {
        errno = EISDIR;
        return NULL;
    }
    int descriptor = exists && !S_ISREG(facts.st_mode) ? open(out->path, O_WRONLY | O_CLOEXEC) : open_temporary(out);
    return descriptor < 0 ? NULL : fdopen(descriptor, "wb");
}

/* Renaming over a link would replace the link. */
static char *behind_links(const char *path)
{
    struct stat facts;
    char *target = lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode) ? realpath(path, NULL) : NULL;
    return target ? target : orr_xstrdup(path);
}

static bool ends_in(const char *path, const char *suffix)
{
    size_t n = strlen(path), s = strlen(suffix);
    return n > s && strcmp(path + n - s, suffix) == 0;
}

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

static void start_gzip(orr_output *out)
{
    out->gzip = orr_xcalloc(1, sizeof *out->gzip);
    out->gzip->zalloc = zlib_alloc;
    out->gzip->zfree = zlib_free;
    if (deflateInit2(out->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        orr_out_of_memory(0);
}

static void start_zstd(orr_output *out)
{
    out->zstd = ZSTD_createCStream();
    if (!out->zstd)
        orr_out_of_memory(0);
    ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, 3);
    ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_checksumFlag, 1);
}

static void release(orr_output *out)
{
    if (out->gzip)
        deflateEnd(out->gzip);
    free(out->gzip);
    ZSTD_freeCStream(out->zstd);
    orr_text_fini(&out->scratch);
    free(out->held);
    free(out->encoded);
    free(out->temporary);
    free(out->path);
    free(out);
}

orr_output *orr_output_create(const char *path, orr_error *e)
{
    orr_output *out = orr_xcalloc(1, sizeof *out);
    bool to_stdout = strcmp(path, "-") == 0;
    out->path = to_stdout ? orr_xstrdup(path) : behind_links(path);
    out->file = to_stdout ? stdout : open_file(out);
    if (!out->file) {
        refuse(path, errno, e);
        release(out);
        return NULL;
    }
    out->held = orr_xmalloc(BUFFER);
    out->encoded = orr_xmalloc(BUFFER);
    if (ends_in(path, ".gz"))
        start_gzip(out);
    else if (ends_in(path, ".zst"))
        start_zstd(out);
    return out;
}

/* ---- writing ---- */

/* A signal may interrupt a write to a pipe; the rest is then written again. */
static void put(orr_output *out, const unsigned char *bytes, size_t n)
{
    while (n && !out->reason) {
        errno = 0;
        size_t done = fwrite(bytes, 1, n, out->file);
        bytes += done, n -= done;
        if (n && errno == EINTR)
            clearerr(out->file);
        else if (n)
            out->reason = errno ? errno : EIO;
    }
}

static void deflate_held(orr_output *out, bool last)
{
    z_stream *z = out->gzip;
    z->next_in = out->held;
    z->avail_in = (uInt)out->n;
    do {
        z->next_out = out->encoded;
        z->avail_out = BUFFER;
        deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
        put(out, out->encoded, BUFFER - z->avail_out);
    } while (z->avail_out == 0);
}

static void zstd_held(orr_output *out, bool last)
{
    ZSTD_inBuffer in = {out->held, out->n, 0};
    size_t left;
    do {
        ZSTD_outBuffer to = {out->encoded, BUFFER, 0};
        left = ZSTD_compressStream2(out->zstd, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            orr_out_of_memory(0); /* with valid parameters nothing else can fail */
        put(out, out->encoded, to.pos);
    } while (last ? left != 0 : in.pos < in.size);
}

static void flush_held(orr_output *out, bool last)
{
    if (out->gzip)
        deflate_held(out, last);
    else if (out->zstd)
        zstd_held(out, last);
    else
        put(out, out->held, out->n);
    out->n = 0;
}

void orr_output_write(orr_output *out, const void *data, size_t n)
{
    const unsigned char *bytes = data;
    while (n) {
        size_t room = BUFFER - out->n, step = n < room ? n : room;
        memcpy(out->held + out->n, bytes, step);
        out->n += step;
        bytes += step, n -= step;
        if (out->n == BUFFER)
            flush_held(out, false);
    }
}

void orr_output_text(orr_output *out, const char *text)
{
    orr_output_write(out, text, strlen(text));
}

/* Formats straight into the buffer, and only what doesn't fit there by a detour. */
void orr_output_printf(orr_output *out, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    size_t room = BUFFER - out->n;
    int n = vsnprintf((char *)out->held + out->n, room, fmt, args);
    va_end(args);
    if (n >= 0 && (size_t)n < room) {
        out->n += (size_t)n;
    } else if (n >= 0) {
        ORR_VEC_RESERVE(&out->scratch, (size_t)n + 1);
        vsnprintf(out->scratch.at, (size_t)n + 1, fmt, again);
        orr_output_write(out, out->scratch.at, (size_t)n);
    }
    va_end(again);
}

/* A '#' is quoted at the start only: there a reader could take the row for a comment. */
void orr_output_csv(orr_output *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")] && text[0] != '#') {
        orr_output_text(out, text);
        return;
    }
    orr_output_write(out, "\"", 1);
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        orr_output_write(out, text, (size_t)(quote + 1 - text));
        orr_output_write(out, "\"", 1);
    }
    orr_output_text(out, text);
    orr_output_write(out, "\"", 1);
}

/* ---- ending ---- */

/* Some file systems report a full disk only when the file is closed. */
static void close_file(orr_output *out)
{
    bool failed = out->file == stdout ? fflush(stdout) != 0 : fclose(out->file) != 0;
    if (failed && !out->reason)
        out->reason = errno ? errno : EIO;
}

orr_err orr_output_commit(orr_output *out, orr_error *e)
{
    orr_err err = ORR_OK;
    flush_held(out, true);
    close_file(out);
    if (!out->reason && out->temporary && rename(out->temporary, out->path) != 0)
        out->reason = errno;
    if (out->reason) {
        char text[128];
        explain(out->reason, text, sizeof text);
        err = orr_error_set(e, ORR_E_WRITE, "writing the output failed: %s", text);
        orr_error_at(e, strcmp(out->path, "-") == 0 ? "<stdout>" : out->path, 0, 0);
        if (out->reason == ENOSPC)
            orr_error_hint(e, "the disk is full: free some room or write elsewhere");
        if (out->temporary)
            unlink(out->temporary);
    }
    release(out);
    return err;
}

void orr_output_abandon(orr_output *out)
{
    if (!out)
        return;
    if (out->file != stdout)
        fclose(out->file);
    if (out->temporary)
        unlink(out->temporary);
    release(out);
}
