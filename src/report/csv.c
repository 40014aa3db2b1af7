/* Numbers are formatted without the locale; texts are quoted only where they must be. */
#include "report/csv.h"

#include "base/mem.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void orr_csv_time(orr_output *out, orr_time t)
{
    char buf[ORR_TIME_BUF] = "";
    if (t != ORR_TIME_NONE)
        orr_time_format(t, buf);
    orr_output_text(out, ",");
    orr_output_text(out, buf);
}

void orr_csv_double(orr_output *out, double v)
{
    char buf[ORR_DOUBLE_BUF] = "";
    if (isfinite(v))
        orr_format_double(v, buf);
    orr_output_text(out, ",");
    orr_output_text(out, buf);
}

void orr_csv_int(orr_output *out, int64_t v)
{
    orr_output_printf(out, ",%" PRId64, v);
}

void orr_csv_text(orr_output *out, const char *text)
{
    orr_output_text(out, ",");
    orr_output_csv(out, text);
}

orr_csv_sink *orr_csv_sink_open(const char *path, const char *header, orr_error *e)
{
    orr_output *out = orr_output_create(path, e);
    if (!out)
        return NULL;
    orr_csv_sink *csv = orr_xcalloc(1, sizeof *csv);
    csv->out = out;
    csv->sink.self = csv;
    orr_output_text(out, header);
    orr_output_text(out, "\n");
    return csv;
}

orr_sink orr_csv_sink_sink(orr_csv_sink *csv)
{
    return csv->sink;
}

static void release(orr_csv_sink *csv)
{
    if (csv->free_state)
        csv->free_state(csv->state);
    free(csv);
}

orr_err orr_csv_sink_commit(orr_csv_sink *csv, orr_error *e)
{
    if (csv->finish)
        csv->finish(csv);
    orr_err err = orr_output_commit(csv->out, e);
    release(csv);
    return err;
}

void orr_csv_sink_abandon(orr_csv_sink *csv)
{
    if (!csv)
        return;
    orr_output_abandon(csv->out);
    release(csv);
}
