/* Requests as JSON Lines: an object a line with `timestamp`, `input_length`, `output_length` and `hash_ids`, the names
 * of the prefix-cache blocks of the input in order. Mooncake's timestamps are milliseconds. Bailian's traces have the
 * same keys and a `chat_id`, and their timestamps are seconds.
 *
 * A JSON parser says whether a line is valid and decodes its texts. Numbers are taken from the line as they are
 * written, since times would lose digits as doubles, and names of 64 bits too. Keys beyond these are attributes if the
 * first object has them. */
#include "trace/requests.h"
#include <cjson/cJSON.h>
#include <stdio.h>

typedef struct reading {
    orr_intake *k;
    char *line;
} reading;

/* ---- the text of one line, which is valid JSON ---- */

/* What the parser takes for blank. */
static bool blank(char c)
{
    return c > 0 && c <= ' ';
}

static char *skip_blanks(char *at)
{
    while (blank(*at))
        at++;
    return at;
}

/* From an opening quote to behind the closing one. */
static char *skip_text(char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* To behind a value of any kind. */
static char *skip_value(char *at)
{
    for (size_t depth = 0; *at; at++) {
        if (*at == '"')
            at = skip_text(at) - 1;
        else if (*at == '{' || *at == '[')
            depth++;
        else if (depth == 0 && (*at == ',' || *at == '}' || *at == ']'))
            break;
        else if (*at == '}' || *at == ']')
            depth--;
    }
    return at;
}

/* The next value of an object or array as a cell, and `at` on what follows the comma or bracket behind it. */
static orr_cell next_value(const reading *r, char **at, const char *name)
{
    char *from = skip_blanks(*at);
    char *end = skip_value(from);
    *at = *end ? end + 1 : end;
    while (end > from && blank(end[-1]))
        end--;
    *end = '\0';
    return (orr_cell){name, from, (size_t)(end - from), (uint32_t)(from - r->line) + 1};
}

/* To behind the colon of the next key. */
static char *skip_key(char *at)
{
    at = skip_text(skip_blanks(at));
    at = skip_blanks(at);
    return *at == ':' ? at + 1 : at;
}

/* ---- one object ---- */

static bool take_blocks(const reading *r, orr_cell cell)
{
    if (orr_cell_missing(cell))
        return true;
    if (cell.at[0] != '[')
        return orr_intake_flaw(r->k, ORR_FLAW_NUMBER, &cell);
    r->k->blocks.n = 0;
    for (char *at = skip_blanks((char *)cell.at + 1), *const end = (char *)cell.at + cell.n; at < end && *at != ']';) {
        uint64_t block;
        const orr_cell one = next_value(r, &at, cell.name);
        if (!orr_parse_u64(one.at, one.n, &block))
            return orr_intake_flaw(r->k, ORR_FLAW_NUMBER, &one);
        ORR_VEC_PUSH(&r->k->blocks, block);
    }
    return true;
}

static bool known_attribute(const char *name)
{
    static const char *const known[] = {"chat_id", "parent_chat_id", "type", "turn"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], name) == 0)
            return true;
    return false;
}

/* Its place, from the first object on; -1: a new key in a later one, or one without a name, which is left out. */
static int64_t attribute_place(const reading *r, const char *name)
{
    const orr_trace *trace = r->k->trace;
    for (size_t i = 0; i < trace->attributes.n; i++)
        if (strcmp(trace->attributes.at[i], name) == 0)
            return (int64_t)i;
    const bool late = trace->requests.n > 0 || !name[0];
    if (!late && known_attribute(name))
        return (int64_t)orr_intake_attribute(r->k, name);
    orr_note *note = orr_trace_note(r->k->trace, ORR_FLAW_COLUMN, NULL, r->k->line);
    if (late)
        note->detail = "a key that has no name, or that the first object does not have, is left out";
    return late ? -1 : (int64_t)orr_intake_attribute(r->k, name);
}

static void take_attribute(const reading *r, orr_cell cell)
{
    const int64_t place = attribute_place(r, cell.name);
    if (place >= 0)
        orr_intake_set(r->k, (size_t)place, cell.at);
}

static bool take_member(const reading *r, orr_cell cell, orr_trace_request *request)
{
    if (strcmp(cell.name, "timestamp") == 0)
        return orr_take_arrival(r->k, cell, request);
    if (strcmp(cell.name, "input_length") == 0)
        return orr_take_tokens(r->k, cell, &request->tokens_in);
    if (strcmp(cell.name, "output_length") == 0)
        return orr_take_tokens(r->k, cell, &request->tokens_out);
    if (strcmp(cell.name, "hash_ids") == 0)
        return take_blocks(r, cell);
    take_attribute(r, cell);
    return true;
}

/* A text is taken as the parser has decoded it, all else as it is written. */
static orr_cell cell_of(const reading *r, char **at, const cJSON *item)
{
    orr_cell cell = next_value(r, at, item->string);
    if (cJSON_IsString(item)) {
        cell.at = item->valuestring;
        cell.n = strlen(cell.at);
    }
    return cell;
}

static void take_object(const reading *r, const cJSON *object)
{
    orr_trace_request request = orr_trace_request_default();
    char *at = strchr(r->line, '{') + 1;
    const cJSON *item;
    request.arrival = ORR_TIME_NONE;
    cJSON_ArrayForEach(item, object)
    {
        at = skip_key(at);
        if (!take_member(r, cell_of(r, &at, item), &request))
            return;
    }
    if (request.arrival == ORR_TIME_NONE)
        orr_intake_flaw(r->k, ORR_FLAW_NO_ARRIVAL, NULL);
    else
        orr_intake_keep_request(r->k, &request);
}

/* ---- lines ---- */

static orr_err not_json(const reading *r, const char *stopped, size_t n)
{
    const size_t at = stopped ? (size_t)(stopped - r->line) : 0;
    const orr_cell cell = {"line", r->line + at, n - at < 60 ? n - at : 60, (uint32_t)at + 1};
    orr_intake_fail(r->k, ORR_E_SYNTAX, &cell, "the line is not valid JSON");
    orr_error_hint(r->k->e, "a line holds one request as an object");
    return r->k->failed;
}

static orr_err take_line(const reading *r, size_t n)
{
    const char *stopped = NULL;
    orr_intake_row(r->k, orr_input_line_number(r->k->in));
    if (!orr_utf8_valid(r->line, n)) {
        orr_intake_fail(r->k, ORR_E_ENCODING, NULL, "the line is not UTF-8 text");
        return r->k->failed;
    }
    cJSON *value = cJSON_ParseWithLengthOpts(r->line, n + 1, &stopped, true);
    if (!value)
        return not_json(r, stopped, n);
    if (cJSON_IsObject(value))
        take_object(r, value);
    else
        orr_intake_flaw(r->k, ORR_FLAW_NOT_A_JOB, NULL);
    cJSON_Delete(value);
    return r->k->failed;
}

static orr_err read_lines(orr_intake *k)
{
    reading r = {.k = k};
    for (;;) {
        size_t n;
        orr_err err = orr_input_line(k->in, &r.line, &n, k->e);
        if (!err && r.line && *skip_blanks(r.line))
            err = take_line(&r, n);
        if (err || !r.line)
            return k->failed = err;
    }
}

static orr_err read_mooncake(orr_intake *k)
{
    k->unit = ORR_UNIT_MS;
    return read_lines(k);
}

static bool has_keys(const orr_head *head)
{
    return head->line[0] == '{' && strstr(head->line, "\"timestamp\"") && strstr(head->line, "\"input_length\"");
}

static bool is_bailian(const orr_head *head)
{
    return has_keys(head) && strstr(head->line, "\"chat_id\"");
}

static bool is_mooncake(const orr_head *head)
{
    return has_keys(head) && !strstr(head->line, "\"chat_id\"");
}

const orr_format orr_format_mooncake = {
    .name = "mooncake",
    .label = "mooncake",
    .about = "requests: Mooncake's traces, JSON Lines in milliseconds",
    .told = "a JSON object with `timestamp` and `input_length` in the first line",
    .is = is_mooncake,
    .read = read_mooncake,
};

const orr_format orr_format_bailian = {
    .name = "bailian",
    .label = "bailian",
    .about = "requests: Alibaba Bailian's traces, JSON Lines in seconds",
    .told = "the same with `chat_id`",
    .is = is_bailian,
    .read = read_lines,
};
