/* The join of PAI's tables on any bytes: the input is cut at lines of `%` into the tables, in the order in which they are
 * read; each is a file beside the others. An empty part is a table that isn't there. */
#define _POSIX_C_SOURCE 200809L
#include "reads.h"
#include "trace/pai_tables.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct part {
    const uint8_t *at;
    size_t n;
} part;

static size_t cut(const uint8_t *data, size_t size, part parts[ORR_PAI_JOINED])
{
    size_t n = 0, from = 0;
    for (size_t i = 0; i < size && n + 1 < ORR_PAI_JOINED; i++)
        if (data[i] == '%' && (i == from || data[i - 1] == '\n') && i + 1 < size && data[i + 1] == '\n') {
            parts[n++] = (part){data + from, i - from};
            from = i + 2;
        }
    if (from < size)
        parts[n++] = (part){data + from, size - from};
    return n;
}

static void path_of(const char *folder, int kind, char path[128])
{
    snprintf(path, 128, "%s/%s.csv", folder, orr_pai_tables[kind].name);
}

static void put(const char *folder, int kind, part p)
{
    char path[128];
    path_of(folder, kind, path);
    FILE *f = fopen(path, "wb");
    ORR_ASSERT(f && fwrite(p.at, 1, p.n, f) == p.n, "a table can be written");
    fclose(f);
}

static void read_table(const char *folder, orr_pai_kind kind)
{
    char path[128];
    orr_error e = {0};
    const orr_trace_options options = {.format = "pai", .keep_cpu_jobs = true};
    path_of(folder, kind, path);
    orr_trace *trace = orr_trace_read(path, &options, &e);
    ORR_ASSERT((trace != NULL) == (e.code == ORR_OK), "a trace or an error");
    if (!trace)
        return;
    check(trace);
    describe_jobs(trace);
    orr_trace_destroy(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[] = "/tmp/orrery-pai-XXXXXX", path[128];
    part parts[ORR_PAI_JOINED];
    const size_t n = cut(data, size, parts);
    ORR_ASSERT(mkdtemp(folder), "a folder for the tables");
    for (size_t i = 0; i < n; i++)
        if (parts[i].n)
            put(folder, (int)i, parts[i]);
    read_table(folder, ORR_PAI_JOB);
    for (size_t i = 0; i < n; i++) {
        path_of(folder, (int)i, path);
        unlink(path);
    }
    rmdir(folder);
    return 0;
}
