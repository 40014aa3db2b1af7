/* bench_read [--keep-cpu] [--tables PATH] FILE...: how fast traces are read, against a CSV library that only parses.
 *
 * CPU seconds of this process, best of three, the file in the page cache. "csv library" is libcsv's parser over the same
 * bytes with callbacks that count fields and rows, with -DORRERY_BENCH_LIBCSV=ON: it takes no number, no date and keeps
 * nothing. MB are 10^6 decompressed bytes. */
#include "base/io.h"
#include "base/mem.h"
#include <orrery/orrery.h>

#include <stdio.h>
#include <string.h>
#include <time.h>
#ifdef HAVE_LIBCSV
#include <csv.h>
#endif

enum { RUNS = 3 };

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double size_of(const char *path)
{
    orr_error e = {0};
    orr_input *in = orr_input_open(path, &e);
    static char buf[1 << 16];
    double bytes = 0;
    size_t got = 0;
    while (in && !orr_input_read(in, buf, sizeof buf, &got, &e) && got)
        bytes += (double)got;
    orr_input_close(in);
    return bytes;
}

static double read_once(const char *path, const orr_trace_options *options, uint64_t *rows, char format[40])
{
    orr_error e = {0};
    const double from = cpu_seconds();
    orr_trace *trace = orr_trace_read(path, options, &e);
    const double took = cpu_seconds() - from;
    if (!trace) {
        char text[2048];
        orr_error_format(&e, text, sizeof text);
        fputs(text, stderr);
        return -1;
    }
    *rows = orr_trace_rows_read(trace);
    snprintf(format, 40, "%s", orr_trace_format(trace));
    orr_trace_destroy(trace);
    return took;
}

#ifdef HAVE_LIBCSV
static void count_field(void *field, size_t n, void *self)
{
    (void)field;
    (void)n;
    ++*(uint64_t *)self;
}

static void count_row(int c, void *self)
{
    (void)c;
    (void)self;
}

static double parse_once(const char *path)
{
    orr_error e = {0};
    struct csv_parser parser;
    static char buf[1 << 16];
    uint64_t fields = 0;
    size_t got = 0;
    const double from = cpu_seconds();
    orr_input *in = orr_input_open(path, &e);
    csv_init(&parser, 0);
    while (in && !orr_input_read(in, buf, sizeof buf, &got, &e) && got)
        csv_parse(&parser, buf, got, count_field, count_row, &fields);
    csv_fini(&parser, count_field, count_row, &fields);
    csv_free(&parser);
    orr_input_close(in);
    return cpu_seconds() - from;
}
#else
static double parse_once(const char *path)
{
    (void)path;
    return -1;
}
#endif

static double best(double a, double b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void bench(const char *path, const orr_trace_options *options)
{
    double ours = -1, library = -1;
    uint64_t rows = 0;
    char format[40] = "";
    const double mb = size_of(path) / 1e6;
    for (int i = 0; i < RUNS; i++) {
        const double took = read_once(path, options, &rows, format);
        if (took < 0)
            return;
        ours = best(ours, took);
        library = best(library, parse_once(path));
    }
    printf("| %s | %.1f | %llu | %.3f | %.0f | %.0f |", format, mb, (unsigned long long)rows, ours, mb / ours,
           (double)rows / ours);
    if (library > 0)
        printf(" %.0f | %.2f |\n", mb / library, library / ours);
    else
        printf(" - | - |\n");
}

int main(int argc, char **argv)
{
    orr_trace_options options = {0};
    puts("| format | MB | rows | s | MB/s | rows/s | csv library MB/s | ours / library |\n|---|---|---|---|---|---|---|---|");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--keep-cpu") == 0)
            options.keep_cpu_jobs = true;
        else if (strcmp(argv[i], "--tables") == 0 && i + 1 < argc)
            options.tables = argv[++i];
        else
            bench(argv[i], &options);
    }
    return 0;
}
