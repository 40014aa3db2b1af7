/* A journal, and where in it each line stands. Both files are read the same way: whole lines that begin as ours do. */
#define _POSIX_C_SOURCE 200809L
#include "study/cells.h"

#include "base/io.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#define HEAD "{\"schema\":\"orrery.cell/1\",\"cell\":"

typedef struct place {
    uint64_t offset;
    uint32_t length; /* 0: no such line */
    bool finished;   /* in cells.jsonl or else in the journal */
} place;

struct orr_cells {
    char *dir, *journal_path, *finished_path;
    size_t total, count;
    place *places; /* by cell - 1 */
    FILE *journal, *finished;
    uint64_t end; /* of the journal */
    bool broken;  /* a write failed: the journal's end isn't known any more */
};

void orr_cells_line_begin(size_t cell, orr_text *out)
{
    orr_text_addf(out, HEAD "%zu,", cell);
}

/* ---- errors ---- */

static orr_err fail(const char *path, orr_err code, int reason, const char *what, orr_error *e)
{
    orr_error_set(e, code, "%s: %s", what, reason ? strerror(reason) : "the file is shorter than it was");
    orr_error_at(e, path, 0, 0);
    return code;
}

/* ---- reading ---- */

/* The cell that a line is about; 0: it is no line of ours. */
static size_t cell_of(const char *line, size_t length)
{
    const size_t head = sizeof HEAD - 1;
    if (length <= head || memcmp(line, HEAD, head) != 0 || line[length - 1] != '}')
        return 0;
    const char *comma = memchr(line + head, ',', length - head);
    uint64_t cell;
    return comma && orr_parse_u64(line + head, (size_t)(comma - line) - head, &cell) ? (size_t)cell : 0;
}

static void note_line(orr_cells *c, const char *line, size_t length, uint64_t offset, bool finished)
{
    const size_t cell = cell_of(line, length);
    if (cell == 0 || cell > c->total || length > UINT32_MAX || c->places[cell - 1].length)
        return;
    c->places[cell - 1] = (place){.offset = offset, .finished = finished, .length = (uint32_t)length};
    c->count++;
}

/* Notes every whole line; returns where the last of them ends. */
static uint64_t note_lines(orr_cells *c, FILE *file, bool finished)
{
    char *line = NULL;
    size_t size = 0;
    uint64_t offset = 0;
    ssize_t n;
    rewind(file);
    while ((n = getline(&line, &size, file)) > 0 && line[n - 1] == '\n') {
        note_line(c, line, (size_t)n - 1, offset, finished);
        offset += (uint64_t)n;
    }
    free(line);
    return offset;
}

orr_err orr_cells_line(const orr_cells *c, size_t cell, orr_text *out, orr_error *e)
{
    const place *p = &c->places[cell - 1];
    FILE *file = p->finished ? c->finished : c->journal;
    orr_text_clear(out);
    char *buffer = orr_xmalloc((size_t)p->length + 1);
    size_t got = 0;
    while (got < p->length) {
        const ssize_t n = pread(fileno(file), buffer + got, p->length - got, (off_t)(p->offset + got));
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            free(buffer);
            return fail(p->finished ? c->finished_path : c->journal_path, ORR_E_OPEN, n < 0 ? errno : 0,
                        "can't read a cell", e);
        }
        got += n > 0 ? (size_t)n : 0;
    }
    orr_text_add(out, buffer, p->length);
    free(buffer);
    return ORR_OK;
}

/* ---- opening ---- */

static char *path_in(const char *dir, const char *name)
{
    orr_text t = {0};
    orr_text_addf(&t, "%s/%s", dir, name);
    return t.at;
}

static orr_cells *create(const char *dir, size_t total)
{
    orr_cells *c = orr_xcalloc(1, sizeof *c);
    c->total = total;
    c->places = orr_xcalloc(total + 1, sizeof *c->places);
    if (dir) {
        c->dir = orr_xstrdup(dir);
        c->journal_path = path_in(dir, ORR_CELLS_JOURNAL);
        c->finished_path = path_in(dir, ORR_CELLS_FILE);
    }
    return c;
}

static FILE *open_journal(orr_cells *c, orr_error *e)
{
    const int descriptor = open(c->journal_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r+b");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!file) {
        fail(c->journal_path, ORR_E_CREATE, errno, "can't write the journal", e);
    } else if (fcntl(descriptor, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN)) {
        orr_error_set(e, ORR_E_CREATE, "another process is at this sweep");
        orr_error_at(e, c->journal_path, 0, 0);
        fclose(file);
        file = NULL;
    }
    return file;
}

/* What a kill left of a line would swallow the next one. */
static orr_err drop_tail(orr_cells *c, orr_error *e)
{
    c->end = note_lines(c, c->journal, false);
    if (ftruncate(fileno(c->journal), (off_t)c->end) != 0)
        return fail(c->journal_path, ORR_E_WRITE, errno, "can't repair the journal", e);
    return ORR_OK;
}

static orr_err open_files(orr_cells *c, orr_error *e)
{
    if (!c->dir) {
        c->journal = tmpfile();
        return c->journal ? ORR_OK : orr_error_set(e, ORR_E_CREATE, "no temporary file: %s", strerror(errno));
    }
    c->finished = fopen(c->finished_path, "rb");
    if (c->finished)
        note_lines(c, c->finished, true);
    if (c->finished && c->count == c->total)
        return ORR_OK;
    c->journal = open_journal(c, e);
    return c->journal ? drop_tail(c, e) : e ? e->code : ORR_E_CREATE;
}

orr_cells *orr_cells_open(const char *dir, size_t total, orr_error *e)
{
    orr_error own = {0};
    orr_cells *c = create(dir, total);
    if (open_files(c, &own) == ORR_OK)
        return c;
    if (e)
        *e = own;
    orr_cells_close(c);
    return NULL;
}

orr_cells *orr_cells_read(const char *dir, size_t total)
{
    orr_cells *c = create(dir, total);
    c->finished = fopen(c->finished_path, "rb");
    c->journal = fopen(c->journal_path, "rb");
    if (c->finished)
        note_lines(c, c->finished, true);
    if (c->journal)
        note_lines(c, c->journal, false);
    return c;
}

void orr_cells_close(orr_cells *c)
{
    if (!c)
        return;
    if (c->journal)
        fclose(c->journal);
    if (c->finished)
        fclose(c->finished);
    free(c->places);
    free(c->dir);
    free(c->journal_path);
    free(c->finished_path);
    free(c);
}

bool orr_cells_has(const orr_cells *c, size_t cell)
{
    return c->places[cell - 1].length > 0;
}

size_t orr_cells_count(const orr_cells *c)
{
    return c->count;
}

/* ---- writing ---- */

static bool write_all(int descriptor, const char *at, size_t n, uint64_t offset)
{
    while (n > 0) {
        const ssize_t wrote = pwrite(descriptor, at, n, (off_t)offset);
        if (wrote < 0 && errno != EINTR)
            return false;
        at += wrote > 0 ? wrote : 0;
        offset += wrote > 0 ? (uint64_t)wrote : 0;
        n -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

orr_err orr_cells_append(orr_cells *c, const orr_text *line, bool durable, orr_error *e)
{
    const char *path = c->dir ? c->journal_path : NULL;
    if (c->broken)
        return orr_error_set(e, ORR_E_WRITE, "an earlier write to the journal failed");
    const int descriptor = fileno(c->journal);
    c->broken = !write_all(descriptor, line->at, line->n, c->end) || (durable && c->dir && fsync(descriptor) != 0);
    if (c->broken)
        return fail(path, ORR_E_WRITE, errno, "can't write to the journal", e);
    note_line(c, line->at, line->n - 1, c->end, false);
    c->end += line->n;
    return ORR_OK;
}

static orr_err write_finished(const orr_cells *c, orr_error *e)
{
    orr_output *out = orr_output_create(c->finished_path, e);
    orr_text line = {0};
    orr_err err = ORR_OK;
    if (!out)
        return ORR_E_CREATE;
    for (size_t cell = 1; cell <= c->total && !err; cell++) {
        if (!orr_cells_has(c, cell))
            continue;
        err = orr_cells_line(c, cell, &line, e);
        orr_text_add(&line, "\n", 1);
        orr_output_write(out, line.at, line.n);
    }
    orr_text_fini(&line);
    if (!err)
        return orr_output_commit(out, e);
    orr_output_abandon(out);
    return err;
}

static orr_err remove_one(const char *dir, const char *name, orr_error *e)
{
    char *path = path_in(dir, name);
    orr_err err = ORR_OK;
    if (unlink(path) != 0 && errno != ENOENT)
        err = fail(path, ORR_E_CREATE, errno, "can't remove the file", e);
    free(path);
    return err;
}

/* The journal goes only when what replaces it is on disk. */
static orr_err settle(const orr_cells *c, orr_error *e)
{
    const int descriptor = open(c->finished_path, O_RDONLY | O_CLOEXEC);
    const bool settled = descriptor >= 0 && fsync(descriptor) == 0;
    const int reason = errno;
    if (descriptor >= 0)
        close(descriptor);
    return settled ? ORR_OK : fail(c->finished_path, ORR_E_WRITE, reason, "can't write the cells", e);
}

orr_err orr_cells_finish(orr_cells *c, orr_error *e)
{
    orr_err err = ORR_OK;
    if (!c->dir)
        return ORR_OK;
    if (c->journal)
        err = write_finished(c, e);
    if (!err)
        err = settle(c, e);
    return err ? err : remove_one(c->dir, ORR_CELLS_JOURNAL, e);
}

orr_err orr_cells_remove(const char *dir, orr_error *e)
{
    const orr_err err = remove_one(dir, ORR_CELLS_FILE, e);
    return err ? err : remove_one(dir, ORR_CELLS_JOURNAL, e);
}
