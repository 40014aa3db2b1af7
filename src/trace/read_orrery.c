/* Our own CSV. The columns are in columns.c; here is only the walk over them. Two comment lines before the header mean
 * something: `# origin: 2017-09-04 10:30:41` is the calendar time of second 0, kept for reports, and `# clock:
 * relative` says that numbers count from the origin even where they are as large as Unix seconds. */
#include "trace/columns.h"
#include "trace/reader.h"

static void trim(const char **text, size_t *n)
{
    for (; *n && (**text == ' ' || **text == '#'); (*text)++)
        --*n;
    while (*n && (*text)[*n - 1] == ' ')
        --*n;
}

bool orr_comment_split(const char *text, size_t n, const char **key, size_t *key_length, const char **value,
                       size_t *length)
{
    trim(&text, &n);
    const char *colon = memchr(text, ':', n);
    if (!colon)
        return false;
    *key = text;
    *key_length = (size_t)(colon - text);
    *value = colon + 1;
    *length = n - *key_length - 1;
    trim(value, length);
    return true;
}

void orr_comment(orr_intake *k, const char *text, size_t n)
{
    const char *name, *value;
    size_t key, length;
    orr_civil origin;
    if (!orr_comment_split(text, n, &name, &key, &value, &length))
        return;
    if (key == 6 && memcmp(name, "origin", 6) == 0 && !k->origin.local && !orr_civil_parse(value, length, &origin))
        k->origin = origin;
    if (key == 5 && memcmp(name, "clock", 5) == 0)
        k->relative |= length == 8 && memcmp(value, "relative", 8) == 0;
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    for (size_t i = 0; i < ORR_COLUMNS; i++)
        if (orr_sheet_has(sheet, i) && !orr_columns[i].take(k, &orr_columns[i], orr_sheet_cell(sheet, i), &job))
            return;
    if (!orr_sheet_has(sheet, 0))
        job.id = orr_intake_number(k);
    orr_intake_keep(k, &job);
}

static orr_err read_orrery(orr_intake *k)
{
    orr_sheet_column columns[ORR_COLUMNS];
    for (size_t i = 0; i < ORR_COLUMNS; i++)
        columns[i] = (orr_sheet_column){.name = orr_columns[i].name, .needed = orr_columns[i].needed};
    orr_sheet sheet = {.columns = columns, .n = ORR_COLUMNS, .comment = orr_comment, .escaped = true};
    return orr_sheet_read(&sheet, k, row);
}

/* As our writer begins: then attributes may be called like the columns of any other format. */
static bool is_ours(const orr_head *head)
{
    static const char begin[] = "job_id,submit,duration,gpus";
    const size_t n = sizeof begin - 1;
    return strncmp(head->line, begin, n) == 0 && (head->line[n] == '\0' || head->line[n] == ',');
}

const orr_format orr_format_orrery = {
    .name = "orrery",
    .label = "orrery-csv",
    .about = "our own CSV, below",
    .signature = {"submit", "duration", "gpus"},
    .is = is_ours,
    .read = read_orrery,
};
