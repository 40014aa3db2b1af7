/* Writes the event log of a simulation while it runs; stands behind its sink, alone or behind a fan-out. Keeps
 * nothing per job.
 */
#ifndef ORR_LOG_SINK_H
#define ORR_LOG_SINK_H

#include "log/log.h"
#include <orrery/sim.h>

typedef struct orr_log_sink orr_log_sink;

/* `path` NULL: into memory. `measure` is copied ("all"; NULL: nobody measures): what a summary beside the log is
 * about. NULL and `e` (ORR_E_CREATE). */
orr_log_sink *orr_log_sink_create(const char *path, const char *measure, orr_error *e);
orr_sink orr_log_sink_sink(orr_log_sink *sink);
/* To be called when the run has stopped, for whatever reason. Completes the file; frees `sink` either way. */
orr_err orr_log_sink_commit(orr_log_sink *sink, orr_error *e);
orr_text
orr_log_sink_take(orr_log_sink *sink); /* of one in memory: its bytes, to be freed by the caller; frees `sink` */
void orr_log_sink_abandon(orr_log_sink *sink);         /* nothing is left under the path; takes NULL */
uint64_t orr_log_sink_bytes(const orr_log_sink *sink); /* so far */

#endif
