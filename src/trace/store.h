/* Inside a trace: the records, the texts they point to, and what readers noted. Readers, the writer and the
 * description of a trace work on this; everyone else on <orrery/trace.h>.
 */
#ifndef ORR_TRACE_STORE_H
#define ORR_TRACE_STORE_H

#include "base/mem.h"
#include "base/text.h"
#include "trace/civil.h"
#include "trace/flaw.h"
#include <orrery/trace.h>

#define ORR_TRACE_GPUS_LIMIT 1000000
/* 4.6e9 s, 146 years: the sum of a submit time and a duration still fits the clock. */
#define ORR_TRACE_TIME_LIMIT (INT64_C(4600000000) * ORR_SECOND)

/* A place of the id table: part of the hash, and the job's index + 1 (0: free). */
typedef struct orr_id_slot {
    uint32_t tag, job;
} orr_id_slot;

struct orr_trace {
    char *name;
    const char *format; /* a static text */
    char origin[ORR_CIVIL_BUF];
    ORR_VEC(orr_trace_job) jobs, withdrawn;
    ORR_VEC(orr_trace_request) requests;
    orr_time bin; /* of the requests; 0: single ones */
    ORR_VEC(const char *) attributes; /* names; all known before the first record is kept */
    ORR_VEC(orr_note) notes;
    ORR_VEC(orr_trace_input) inputs;
    orr_names *names; /* users, VCs and other texts that repeat */
    orr_arena arena;  /* ids and attempts */
    orr_id_slot *ids; /* open addressing; released by `finish` */
    size_t id_slots;
    uint64_t rows; /* rows read; 0 for a trace made in memory */
    /* Noted while a record is at hand, since a walk over all of them costs as much as storing them. `unsorted`: some
     * job may belong before one that was stored earlier; `linked`: some job has predecessors. */
    bool unsorted, linked;
    bool finished;
};

/* The index of the job with this id, -1 if none. Only before `finish`. Expected O(1). */
int64_t orr_trace_find_id(orr_trace *trace, const char *id, size_t n);
/* Adds a copy of a record that has passed all checks. `indexed`: its id can be found from now on. */
void orr_trace_store(orr_trace *trace, const orr_trace_job *job, bool indexed);
/* Adds copies, too. A withdrawn job has no row number of its own. */
void orr_trace_store_withdrawn(orr_trace *trace, const orr_trace_job *job);
void orr_trace_store_request(orr_trace *trace, const orr_trace_request *request);
/* The place of an attribute among the names, added if it is new. O(names). */
size_t orr_trace_attribute_named(orr_trace *trace, const char *name);
/* Counts a flaw under (reason, file); NULL: the trace's own. `line` 0: no place. Returns the note, valid until the next
 * call: its `detail` may be made more particular. */
orr_note *orr_trace_note(orr_trace *trace, orr_flaw flaw, const char *file, uint32_t line);
void orr_trace_add_input(orr_trace *trace, const char *path, const char digest[65]);
/* A text that lives as long as the trace; equal texts share it. NULL gives "". */
const char *orr_trace_keep(orr_trace *trace, const char *text);
/* Sorts jobs by (submit, id, row) and requests by (arrival, row), and links predecessors: see link.c. */
void orr_trace_sort(orr_trace *trace);
void orr_trace_link(orr_trace *trace);

#endif
