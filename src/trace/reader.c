/* Recognition goes by content alone: a `[` begins the Philly job log, everything else has a header line whose names
 * tell. A header that has all of a format's signature is of that format, the first in the list that matches; one that
 * has two or more of it is read as that format too, and the reader then names the column that is missing. */
#include "trace/reader.h"
#include <stdio.h>
#include <stdlib.h>

static const orr_format *const formats[] = {
    &orr_format_helios, &orr_format_philly_csv, &orr_format_tiresias, &orr_format_orrery, &orr_format_philly_json,
};
#define FORMATS (sizeof formats / sizeof *formats)
#define PEEK ((size_t)65536)

static orr_err unknown(orr_input *in, orr_error *e, const char *message)
{
    orr_text names = {0};
    for (size_t i = 0; i < FORMATS; i++)
        orr_text_addf(&names, "%s%s", i ? ", " : "", formats[i]->name);
    orr_error_set(e, ORR_E_FORMAT, "%s", message);
    orr_error_at(e, orr_input_name(in), 0, 0);
    orr_error_hint(e, "known formats: %s", names.at);
    orr_text_fini(&names);
    return ORR_E_FORMAT;
}

static orr_err by_name(orr_input *in, const char *name, const orr_format **out, orr_error *e)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(name, formats[i]->name) == 0 || strcmp(name, formats[i]->label) == 0) {
            *out = formats[i];
            return ORR_OK;
        }
    char message[120];
    snprintf(message, sizeof message, "there is no trace format \"%.60s\"", name);
    return unknown(in, e, message);
}

/* ---- sniffing ---- */

static bool has_name(const orr_csv *header, const char *name)
{
    for (size_t i = 0; i < header->fields.n; i++)
        if (orr_same_word(header->fields.at[i].at, name))
            return true;
    return false;
}

/* How many of the signature the header has; *all: every one. */
static int score(const orr_csv *header, const orr_format *format, bool *all)
{
    int found = 0, wanted = 0;
    for (; wanted < ORR_SIGNATURE && format->signature[wanted]; wanted++)
        found += has_name(header, format->signature[wanted]);
    *all = wanted > 0 && found == wanted;
    return found;
}

/* Among blanks half a signature is no sign: prose has words too. */
static const orr_format *best_match(const orr_csv *header)
{
    const orr_format *best = NULL;
    int most = 1;
    for (size_t i = 0; i < FORMATS; i++) {
        bool all;
        const int found = score(header, formats[i], &all);
        if (all && (formats[i]->blanks || !header->blanks))
            return formats[i];
        if (found > most && !header->blanks) {
            most = found;
            best = formats[i];
        }
    }
    return best;
}

static const orr_format *match_blanks(orr_csv *header)
{
    char *line = orr_xstrndup(header->fields.at[0].at, header->fields.at[0].n);
    orr_csv again = {.in = header->in, .text = line, .length = header->fields.at[0].n, .blanks = true};
    orr_csv_split(&again);
    const orr_format *format = best_match(&again);
    orr_csv_fini(&again);
    free(line);
    return format;
}

static orr_err no_known_header(orr_input *in, char separator, orr_error *e)
{
    static const char message[] = "the header tells no known trace format";
    if (!separator)
        return unknown(in, e, message);
    orr_error_set(e, ORR_E_FORMAT, "%s", message);
    orr_error_at(e, orr_input_name(in), 0, 0);
    orr_header_hint(e, separator);
    return ORR_E_FORMAT;
}

static orr_err by_header(orr_input *in, char *line, size_t n, const orr_format **out, orr_error *e)
{
    char shown[121];
    snprintf(shown, sizeof shown, "%.*s", (int)(n < 120 ? n : 120), line);
    orr_csv header = {.in = in, .text = line, .length = n};
    orr_csv_split(&header);
    *out = header.fields.n == 1 ? match_blanks(&header) : best_match(&header);
    orr_err err = ORR_OK;
    if (!*out) {
        err = no_known_header(in, orr_header_separator(&header), e);
        orr_error_text(e, shown, strlen(shown));
    }
    orr_csv_fini(&header);
    return err;
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

static orr_err sniff(orr_input *in, const orr_format **out, orr_error *e)
{
    const char *bytes;
    size_t n, from = 0, to = 0;
    const orr_err err = orr_input_peek(in, PEEK, &bytes, &n, e);
    if (err)
        return err;
    if (n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        from = 3;
    while (next_line(bytes, n, &from, &to) && skippable(bytes + from, to - from))
        from = to + 1;
    if (from >= n)
        return nothing_there(in, e);
    if (memchr(bytes + from, 0, to - from))
        return binary(in, e);
    while (bytes[from] == ' ' || bytes[from] == '\t')
        from++;
    if (bytes[from] == '[') {
        *out = &orr_format_philly_json;
        return ORR_OK;
    }
    if (bytes[from] == '{')
        return unknown(in, e, "the file is a JSON object; a job log is an array");
    char *line = orr_xstrndup(bytes + from, to - from);
    const size_t length = to - from;
    const orr_err named = by_header(in, line, length && line[length - 1] == '\r' ? length - 1 : length, out, e);
    free(line);
    return named;
}

/* ---- reading ---- */

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
    orr_intake k = {.in = in, .options = options, .trace = trace, .e = e};
    k.failed = format->read(&k);
    const orr_err finished = orr_intake_finish(&k);
    ORR_VEC_FREE(&k.attempts);
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
