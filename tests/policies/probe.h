/* Asks an estimator about each job at its submission, and writes down what it says. For one run at a time. */
#ifndef TESTS_POLICIES_PROBE_H
#define TESTS_POLICIES_PROBE_H

#include "run.h"

/* out[i]: seconds that job i of the trace is believed to take. The jobs run first in, first out. */
void probe_trace(const orr_trace *trace, const char *cluster, const char *estimator, double *out);
/* From a table. */
void probe_jobs(const run_job *jobs, size_t count, const char *cluster, const char *estimator, double *out);
/* These are the answers, to a relative 1e-9; else the test fails. */
void probe_expect(const run_job *jobs, size_t count, const char *estimator, const double *expected);

#endif
