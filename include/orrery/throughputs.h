/* Throughput tables: how many steps a second a model makes on each GPU type, with so many GPUs, on one node or spread
 * over several, alone or beside another job on the same GPUs. They are the scenario's truth behind speeds on clusters
 * of several GPU types: a job runs at its model's speed on the type that it holds, relative to the type on which its
 * duration is stated.
 *
 * Tables are CSV, or JSON as the Gavel simulator keeps them (configs/README.md tells of both). They are read once and
 * never change: many simulations share one.
 */
#ifndef ORRERY_THROUGHPUTS_H
#define ORRERY_THROUGHPUTS_H

#include <orrery/error.h>

typedef struct orr_throughputs orr_throughputs;

ORR_BEGIN

/* `FILE[,reference=TYPE][,spread=no][,pairs=no]`: a table's file, or the name of one that comes with the library.
 * `reference`: the type on which all durations are stated; without it a job that names one type in the trace is taken
 * to have run on that, and others on v100, or where the table has none on its first type. `spread=no`, `pairs=no`:
 * speeds of gangs over several nodes, of jobs side by side, aren't used. NULL and `e` on failure, with the place. */
ORR_API orr_throughputs *orr_throughputs_load(const char *text, orr_error *e);
ORR_API void orr_throughputs_destroy(orr_throughputs *table);
ORR_API const char *orr_throughputs_name(const orr_throughputs *table); /* the file as it was named */
/* SHA-256 of the file, decompressed; "" for a table made in memory. */
ORR_API const char *orr_throughputs_digest(const orr_throughputs *table);

ORR_END
#endif
