/* Recognition goes by content alone. Formats that no header tells are asked first, each by its own test; then the first
 * line is taken for a header: one that has all of a format's signature is of that format, the longest signature first;
 * one that has two or more names of it is read as that format too, and the reader then names the column that is
 * missing.
 */
#include "trace/reader.h"
#include <stdio.h>
#include <stdlib.h>

static const orr_format *const formats[] = {
#define ORR_X(name) &orr_format_##name,
    ORR_FORMATS(ORR_X)
#undef ORR_X
};
#define FORMATS (sizeof formats / sizeof *formats)
#define PEEK ((size_t)65536)

const orr_format *const *orr_formats(size_t *n)
{
    *n = FORMATS;
    return formats;
}

static void add_signature(orr_text *out, const orr_format *format)
{
    for (size_t i = 0; i < ORR_SIGNATURE && format->signature[i]; i++)
        orr_text_addf(out, "%s`%s`", i ? ", " : "columns ", format->signature[i]);
    if (!format->signature[0])
        orr_text_addf(out, "%s", format->told);
}

void orr_formats_markdown(orr_text *out)
{
    orr_text_addf(out, "| name | what | recognised by |\n|---|---|---|\n");
    for (size_t i = 0; i < FORMATS; i++) {
        orr_text_addf(out, "| `%s` | %s | ", formats[i]->name, formats[i]->about);
        add_signature(out, formats[i]);
        orr_text_addf(out, " |\n");
    }
}

static orr_err unknown(orr_input *in, orr_error *e, const char *message)
{
    orr_error_set(e, ORR_E_FORMAT, "%s", message);
    orr_error_at(e, orr_input_name(in), 0, 0);
    orr_error_hint(e, "`orrery version` lists the formats, traces/README.md says what they look like");
    return ORR_E_FORMAT;
}

static orr_err no_such_format(orr_input *in, const char *name, orr_error *e)
{
    const char *names[FORMATS];
    for (size_t i = 0; i < FORMATS; i++)
        names[i] = formats[i]->name;
    const char *near = orr_nearest(name, names, FORMATS);
    if (!near) {
        char message[120];
        snprintf(message, sizeof message, "there is no trace format \"%.60s\"", name);
        return unknown(in, e, message);
    }
    orr_error_set(e, ORR_E_FORMAT, "there is no trace format \"%.60s\"", name);
    orr_error_at(e, orr_input_name(in), 0, 0);
    orr_error_hint(e, "did you mean \"%s\"?", near);
    return ORR_E_FORMAT;
}

static orr_err by_name(orr_input *in, const char *name, const orr_format **out, orr_error *e)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(name, formats[i]->name) == 0 || strcmp(name, formats[i]->label) == 0) {
            *out = formats[i];
            return ORR_OK;
        }
    return no_such_format(in, name, e);
}

/* ---- sniffing ---- */

static bool has_name(const orr_csv *header, const char *name)
{
    for (size_t i = 0; i < header->fields.n; i++)
        if (orr_same_word(header->fields.at[i].at, name))
            return true;
    return false;
}

static void split_line(orr_csv *header, const char *line, char separator)
{
    const size_t n = strlen(line);
    *header = (orr_csv){.text = orr_xstrndup(line, n), .length = n, .separator = separator};
    orr_csv_split(header);
}

static void split_fini(orr_csv *header)
{
    free(header->text);
    orr_csv_fini(header);
}

bool orr_head_has(const orr_head *head, const char *name)
{
    orr_csv header;
    split_line(&header, head->line, ',');
    const bool has = has_name(&header, name);
    split_fini(&header);
    return has;
}

/* How many of the signature the header has; *wanted: how long it is. */
static int score(const orr_csv *header, const orr_format *format, int *wanted)
{
    int found = 0, n = 0;
    for (; n < ORR_SIGNATURE && format->signature[n]; n++)
        found += has_name(header, format->signature[n]);
    *wanted = n;
    return found;
}

typedef struct match {
    const orr_format *whole, *part;
    int longest, most;
} match;

/* Among blanks a part of a signature is no sign: prose has words too. */
static void try_header(match *m, const char *line, const orr_format *format, char separator)
{
    orr_csv header;
    int wanted;
    split_line(&header, line, separator);
    const int found = score(&header, format, &wanted);
    split_fini(&header);
    if (wanted && found == wanted && wanted > m->longest) {
        m->longest = wanted;
        m->whole = format;
    }
    if (separator != ' ' && found > m->most) {
        m->most = found;
        m->part = format;
    }
}

static const orr_format *match_header(const char *line)
{
    match m = {.most = 1};
    for (size_t i = 0; i < FORMATS; i++) {
        try_header(&m, line, formats[i], formats[i]->separator ? formats[i]->separator : ',');
        if (formats[i]->blanks)
            try_header(&m, line, formats[i], ' ');
    }
    return m.whole ? m.whole : m.part;
}

static orr_err no_known_header(orr_input *in, const char *line, orr_error *e)
{
    orr_csv header;
    split_line(&header, line, ',');
    const char separator = orr_header_separator(&header);
    split_fini(&header);
    if (separator) {
        orr_error_set(e, ORR_E_FORMAT, "the header tells no known trace format");
        orr_error_at(e, orr_input_name(in), 0, 0);
        orr_header_hint(e, separator);
    } else {
        unknown(in, e, "the header tells no known trace format");
    }
    orr_error_text(e, line, strlen(line) < 120 ? strlen(line) : 120);
    return ORR_E_FORMAT;
}

static orr_err by_content(orr_input *in, const orr_head *head, const orr_format **out, orr_error *e)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->is && formats[i]->is(head)) {
            *out = formats[i];
            return ORR_OK;
        }
    if (head->line[0] == '{')
        return unknown(in, e, "the file is JSON, but of no known kind");
    *out = match_header(head->line);
    if (*out)
        return ORR_OK;
    const orr_err known = orr_head_stranger(head, e);
    if (!known)
        return no_known_header(in, head->line, e);
    orr_error_at(e, orr_input_name(in), 0, 0);
    return known;
}

static bool next_line(const char *bytes, size_t n, size_t *from, size_t *to)
{
    if (*from >= n)
        return false;
    const char *end = memchr(bytes + *from, '\n', n - *from);
    *to = end ? (size_t)(end - bytes) : n;
    return true;
}

static bool skippable(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r'))
        i++;
    return i == n || line[0] == '#';
}

static orr_err nothing_there(orr_input *in, orr_error *e)
{
    orr_error_set(e, ORR_E_EMPTY, "the file is empty");
    orr_error_at(e, orr_input_name(in), 0, 0);
    return ORR_E_EMPTY;
}

static orr_err binary(orr_input *in, orr_error *e)
{
    orr_error_set(e, ORR_E_ENCODING, "the file holds zero bytes: it is no UTF-8 text");
    orr_error_at(e, orr_input_name(in), 1, 0);
    orr_error_hint(e, "UTF-16 files have to be converted to UTF-8 first");
    return ORR_E_ENCODING;
}

/* As tar files have been marked since 1988. */
static bool is_archive(const char *bytes, size_t n)
{
    return n >= 262 && memcmp(bytes + 257, "ustar", 5) == 0;
}

static orr_err archive(orr_input *in, orr_error *e)
{
    orr_error_set(e, ORR_E_ENCODING, "the file is a tar archive, not a trace");
    orr_error_at(e, orr_input_name(in), 1, 0);
    orr_error_hint(e, "unpack it with tar -xf, and name the file in it that is a trace");
    return ORR_E_ENCODING;
}

static void take_first_line(orr_head *head, const char *bytes, size_t n, size_t from, size_t to)
{
    while (from < to && (bytes[from] == ' ' || bytes[from] == '\t'))
        from++;
    size_t length = to - from;
    length -= length && bytes[to - 1] == '\r';
    head->bytes = bytes + from;
    head->n = n - from;
    head->line = orr_xstrndup(bytes + from, length);
}

orr_err orr_head_peek(orr_input *in, orr_head *head, orr_error *e)
{
    const char *bytes;
    size_t n, from = 0, to = 0;
    *head = (orr_head){.name = orr_input_name(in)};
    const orr_err err = orr_input_peek(in, PEEK, &bytes, &n, e);
    if (err)
        return err;
    if (is_archive(bytes, n))
        return archive(in, e);
    if (n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        from = 3;
    while (next_line(bytes, n, &from, &to) && skippable(bytes + from, to - from))
        from = to + 1;
    if (from >= n)
        return nothing_there(in, e);
    if (memchr(bytes + from, 0, to - from))
        return binary(in, e);
    take_first_line(head, bytes, n, from, to);
    return ORR_OK;
}

void orr_head_fini(orr_head *head)
{
    free((char *)head->line);
    head->line = NULL;
}

static orr_err sniff(orr_input *in, const orr_format **out, orr_error *e)
{
    orr_head head;
    const orr_err err = orr_head_peek(in, &head, e);
    if (err)
        return err;
    const orr_err named = by_content(in, &head, out, e);
    orr_head_fini(&head);
    return named;
}

bool orr_trace_told(const char *path)
{
    orr_head head = {0};
    orr_error e = {0};
    bool told = false;
    orr_input *in = orr_input_open(path, &e);
    if (in && !orr_head_peek(in, &head, &e))
        for (size_t i = 0; i < FORMATS && !told; i++)
            told = formats[i]->is && formats[i]->is(&head);
    orr_head_fini(&head);
    orr_input_close(in);
    return told;
}

/* ---- reading ---- */

static orr_err open_calendar(orr_intake *k)
{
    if (!k->options->tz)
        return ORR_OK;
    k->zone = orr_zone_open(k->options->tz, k->e);
    return k->zone ? ORR_OK : k->e->code;
}

/* The calendar time of second 0 of a relative clock, by the user's word. */
static orr_err set_epoch(orr_intake *k)
{
    const char *text = k->options->epoch;
    if (!text)
        return ORR_OK;
    if (orr_civil_parse(text, strlen(text), &k->origin)) {
        orr_error_set(k->e, ORR_E_BAD_VALUE, "the epoch is no calendar time of 1970 to 2105");
        orr_error_text(k->e, text, strlen(text));
        orr_error_hint(k->e, "for instance 2020-07-01 or 2020-07-01T00:00:00+08:00");
        return ORR_E_BAD_VALUE;
    }
    if (k->clock.kind == ORR_CLOCK_RELATIVE || k->clock.kind == ORR_CLOCK_UNKNOWN)
        return ORR_OK;
    orr_error_set(k->e, ORR_E_CONFLICT, "an epoch is for relative times, and this trace has calendar times");
    orr_error_at(k->e, orr_input_name(k->in), (int)k->clock.line, 0);
    return ORR_E_CONFLICT;
}

orr_trace *orr_trace_read_input(orr_input *in, const orr_trace_options *options, orr_error *e)
{
    static const orr_trace_options defaults = {0};
    if (!options)
        options = &defaults;
    orr_error ignored = {0};
    if (!e)
        e = &ignored;
    const orr_format *format = NULL;
    const orr_err err = options->format ? by_name(in, options->format, &format, e) : sniff(in, &format, e);
    if (err)
        return NULL;
    orr_trace *trace = orr_trace_create(orr_input_name(in));
    trace->format = format->label;
    orr_intake k = {.in = in, .options = options, .trace = trace, .e = e, .unit = ORR_UNIT_SECONDS};
    k.failed = open_calendar(&k);
    if (!k.failed)
        k.failed = format->read(&k);
    if (!k.failed)
        k.failed = set_epoch(&k);
    const orr_err finished = orr_intake_finish(&k);
    ORR_VEC_FREE(&k.attempts);
    ORR_VEC_FREE(&k.starts);
    ORR_VEC_FREE(&k.after);
    ORR_VEC_FREE(&k.blocks);
    ORR_VEC_FREE(&k.attributes);
    orr_zone_close(k.zone);
    if (!finished)
        return trace;
    orr_trace_destroy(trace);
    return NULL;
}

orr_trace *orr_trace_read(const char *path, const orr_trace_options *options, orr_error *e)
{
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return NULL;
    orr_trace *trace = orr_trace_read_input(in, options, e);
    orr_input_close(in);
    return trace;
}
