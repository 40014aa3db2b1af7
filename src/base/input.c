/* Inputs: a window over the decompressed bytes, from which bytes and lines are taken.
 *
 * The window [start, end) of `buf` is filled at its end and taken from its start; one byte behind it is kept free for
 * the NUL of a last line without an end. A failure sticks: later calls report it again.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/io.h"

#include "base/decode.h"
#include "base/mem.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEEK_MOST = 1 << 16, WINDOW = 2 * PEEK_MOST, LINE_MOST = 16 << 20, ALL_MOST = 1 << 30 };

struct orr_input {
    char *name;
    orr_decoder *decoder;
    char *buf;
    size_t start, end, cap;
    bool ended, any_line;
    uint32_t line;
    bool crlf; /* how that line ended */
    orr_sha256 digest;
    orr_error failure;
};

/* ---- opening ---- */

static orr_input *input_of(const char *name, orr_decoder *decoder, size_t window)
{
    orr_input *in = orr_xcalloc(1, sizeof *in);
    in->name = orr_xstrdup(name);
    in->decoder = decoder;
    in->cap = window;
    in->buf = orr_xmalloc(in->cap + 1);
    orr_sha256_init(&in->digest);
    return in;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef ORR_VEC(char *) name_list;

/* The names in a folder, sorted, since the order of readdir is nobody's. */
static name_list names_in(const char *folder)
{
    enum { ENOUGH = 4096 };
    name_list names = {0};
    DIR *dir = opendir(folder);
    if (!dir)
        return names;
    for (struct dirent *entry; names.n < ENOUGH && (entry = readdir(dir));)
        ORR_VEC_PUSH(&names, orr_xstrdup(entry->d_name));
    closedir(dir);
    if (names.n)
        qsort(names.at, names.n, sizeof *names.at, by_bytes);
    return names;
}

static void hint_nearest_file(const char *path, orr_error *e)
{
    const char *slash = strrchr(path, '/');
    size_t prefix = slash ? (size_t)(slash + 1 - path) : 0;
    char *folder = prefix ? orr_xstrndup(path, prefix) : orr_xstrdup(".");
    name_list names = names_in(folder);
    const char *nearest = orr_nearest(path + prefix, (const char *const *)names.at, names.n);
    if (nearest)
        orr_error_hint(e, "did you mean %.*s%s?", (int)prefix, path, nearest);
    else
        orr_error_hint(e, "a relative path starts at the folder from which the program was started");
    for (size_t i = 0; i < names.n; i++)
        free(names.at[i]);
    ORR_VEC_FREE(&names);
    free(folder);
}

static void refuse(const char *path, int reason, orr_error *e)
{
    char text[128];
    if (strerror_r(reason, text, sizeof text) != 0)
        memcpy(text, "unknown reason", sizeof "unknown reason");
    orr_error_set(e, ORR_E_OPEN, "can't open the input: %s", text);
    orr_error_at(e, path, 0, 0);
    if (reason == ENOENT && e)
        hint_nearest_file(path, e);
    else if (reason == EACCES)
        orr_error_hint(e, "its permissions, or those of a folder above it, don't let this user read it");
    else if (reason == EISDIR)
        orr_error_hint(e, "give a file inside the folder");
}

orr_input *orr_input_open(const char *path, orr_error *e)
{
    if (strcmp(path, "-") == 0)
        return input_of(path, orr_decoder_of_file(STDIN_FILENO), WINDOW);
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        refuse(path, errno, e);
        return NULL;
    }
    if (fstat(descriptor, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        close(descriptor);
        refuse(path, EISDIR, e);
        return NULL;
    }
    return input_of(path, orr_decoder_of_file(descriptor), WINDOW);
}

orr_input *orr_input_memory(const char *name, const void *data, size_t size)
{
    enum { LEAST = 256 };
    const size_t window = size < LEAST ? LEAST : size < WINDOW ? size + 1 : WINDOW;
    return input_of(name, orr_decoder_of_memory(data, size), window);
}

void orr_input_close(orr_input *in)
{
    if (!in)
        return;
    orr_decoder_destroy(in->decoder);
    free(in->buf);
    free(in->name);
    free(in);
}

const char *orr_input_name(const orr_input *in)
{
    return in->name;
}

/* ---- the window ---- */

static orr_err report(const orr_input *in, orr_error *e)
{
    if (e && e->code == ORR_OK)
        *e = in->failure;
    return in->failure.code;
}

static orr_err fail_at_line(orr_input *in, orr_err code, const char *message, const char *hint, orr_error *e)
{
    orr_error_set(&in->failure, code, "%s", message);
    orr_error_at(&in->failure, in->name, (int)(in->line + 1), 0);
    orr_error_hint(&in->failure, "%s", hint);
    return report(in, e);
}

static void make_room(orr_input *in)
{
    if (in->start) {
        memmove(in->buf, in->buf + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
    }
    if (in->end < in->cap)
        return;
    in->cap *= 2;
    in->buf = orr_xrealloc(in->buf, in->cap + 1, 1);
}

/* Adds at least one byte to the window, or finds the end. */
static orr_err fill(orr_input *in, orr_error *e)
{
    if (in->failure.code)
        return report(in, e);
    if (in->ended)
        return ORR_OK;
    make_room(in);
    size_t got = 0;
    if (orr_decoder_read(in->decoder, in->buf + in->end, in->cap - in->end, &got, &in->failure)) {
        orr_error_at(&in->failure, in->name, 0, 0);
        return report(in, e);
    }
    in->end += got;
    in->ended = got == 0;
    return ORR_OK;
}

static orr_err fill_to(orr_input *in, size_t n, orr_error *e)
{
    orr_err err = in->failure.code ? report(in, e) : ORR_OK;
    while (!err && in->end - in->start < n && !in->ended)
        err = fill(in, e);
    return err;
}

static char *take(orr_input *in, size_t n)
{
    char *at = in->buf + in->start;
    orr_sha256_add(&in->digest, at, n);
    in->start += n;
    return at;
}

orr_err orr_input_peek(orr_input *in, size_t n, const char **bytes, size_t *got, orr_error *e)
{
    n = n < PEEK_MOST ? n : PEEK_MOST;
    orr_err err = fill_to(in, n, e);
    if (err)
        return err;
    *bytes = in->buf + in->start;
    *got = in->end - in->start < n ? in->end - in->start : n;
    return ORR_OK;
}

orr_err orr_input_read(orr_input *in, void *buf, size_t n, size_t *got, orr_error *e)
{
    size_t done = 0;
    while (done < n) {
        orr_err err = fill_to(in, 1, e);
        if (err)
            return err;
        size_t waits = in->end - in->start, step = n - done < waits ? n - done : waits;
        if (step == 0)
            break;
        memcpy((char *)buf + done, take(in, step), step);
        done += step;
    }
    *got = done;
    return ORR_OK;
}

orr_err orr_input_all(orr_input *in, char **data, size_t *size, orr_error *e)
{
    orr_text all = {0};
    for (;;) {
        orr_err err = fill_to(in, 1, e);
        size_t n = in->end - in->start;
        if (!err && all.n + n > ALL_MOST)
            err = fail_at_line(in, ORR_E_FORMAT, "the input is larger than 1 GiB", "split it", e);
        if (err) {
            orr_text_fini(&all);
            return err;
        }
        orr_text_add(&all, take(in, n), n);
        if (n == 0)
            break;
    }
    *data = all.at;
    *size = all.n;
    return ORR_OK;
}

/* ---- lines ---- */

static orr_err drop_mark(orr_input *in, orr_error *e)
{
    in->any_line = true;
    orr_err err = fill_to(in, 3, e);
    if (!err && in->end - in->start >= 3 && memcmp(in->buf + in->start, "\xef\xbb\xbf", 3) == 0)
        take(in, 3);
    return err;
}

/* The bytes up to the next LF and with it, or all the rest; each byte is looked at once. */
static orr_err find_line(orr_input *in, size_t *length, orr_error *e)
{
    for (size_t seen = 0;;) {
        size_t waits = in->end - in->start;
        const char *from = in->buf + in->start;
        const char *found = waits > seen ? memchr(from + seen, '\n', waits - seen) : NULL;
        size_t n = found ? (size_t)(found - from) + 1 : waits;
        if (n > LINE_MOST)
            return fail_at_line(in, ORR_E_FORMAT, "the line is longer than 16 MiB", "is this a text file?", e);
        if (found || in->ended) {
            *length = n;
            return ORR_OK;
        }
        seen = waits;
        orr_err err = fill(in, e);
        if (err)
            return err;
    }
}

static size_t without_end(const char *line, size_t n)
{
    if (n && line[n - 1] == '\n')
        n--;
    return n && line[n - 1] == '\r' ? n - 1 : n;
}

orr_err orr_input_line(orr_input *in, char **line, size_t *length, orr_error *e)
{
    size_t n = 0;
    orr_err err = in->failure.code ? report(in, e) : in->any_line ? ORR_OK : drop_mark(in, e);
    if (!err)
        err = find_line(in, &n, e);
    if (err)
        return err;
    const char *text = in->buf + in->start;
    if (n && memchr(text, '\0', n))
        return fail_at_line(in, ORR_E_ENCODING, "the line holds a NUL byte, so this is no UTF-8 text",
                            "a table saved as UTF-16 must be converted: iconv -f UTF-16 -t UTF-8", e);
    *line = NULL;
    *length = 0;
    if (n == 0)
        return ORR_OK;
    *line = take(in, n);
    *length = without_end(*line, n);
    in->crlf = n - *length == 2;
    (*line)[*length] = '\0';
    in->line++;
    return ORR_OK;
}

bool orr_input_line_crlf(const orr_input *in)
{
    return in->crlf;
}

uint32_t orr_input_line_number(const orr_input *in)
{
    return in->line;
}

void orr_input_digest(const orr_input *in, char hex[65])
{
    orr_sha256 copy = in->digest;
    orr_sha256_hex(&copy, hex);
}
