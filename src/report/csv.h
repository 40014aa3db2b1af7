/* Fields of our CSV files, and what the two streaming files share. */
#ifndef ORR_REPORT_CSV_H
#define ORR_REPORT_CSV_H

#include "base/io.h"
#include "report/report.h"

/* A sink that owns an output; each file has its own state behind it. */
struct orr_csv_sink {
    orr_output *out;
    void *state;
    orr_sink sink;                                  /* its self is the csv sink */
    void (*finish)(orr_csv_sink *csv);              /* last rows, before the file is completed; may be NULL */
    void (*free_state)(void *state);
};

orr_csv_sink *orr_csv_sink_open(const char *path, const char *header, orr_error *e);

/* Each writes one field and the comma before it; a missing value is an empty field. */
void orr_csv_time(orr_output *out, orr_time t);     /* exact decimal seconds; ORR_TIME_NONE is missing */
void orr_csv_double(orr_output *out, double v);     /* shortest form; NaN is missing */
void orr_csv_int(orr_output *out, int64_t v);
void orr_csv_text(orr_output *out, const char *text);

#endif
