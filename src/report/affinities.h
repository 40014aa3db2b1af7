/* What a throughput table says, for `orrery describe`: how fast each model is on each GPU type relative to the
 * reference, what spreading a gang costs, and who gets on with whom. */
#ifndef ORR_REPORT_AFFINITIES_H
#define ORR_REPORT_AFFINITIES_H

#include "base/text.h"
#include "model/throughputs.h"
#include <cjson/cJSON.h>
#include <orrery/cluster.h>
#include <orrery/trace.h>

/* `cluster`: its GPU types only, in its order, and those told that the table lacks; NULL: all of the table. */
void orr_affinities_text(const orr_throughputs *table, const orr_cluster_spec *cluster, orr_text *out);
/* An object of schema "orrery.throughput-facts/1"; to be freed with cJSON_Delete. */
cJSON *orr_affinities_json(const orr_throughputs *table, const orr_cluster_spec *cluster);
/* The same of the models and gangs of a trace's jobs alone (where the table has no gang of that size, of the size next to
 * it), and how many of the jobs it says nothing of. */
void orr_affinities_of_trace_text(const orr_throughputs *table, const orr_trace *trace, orr_text *out);
cJSON *orr_affinities_of_trace_json(const orr_throughputs *table, const orr_trace *trace);
/* The table as a page; `command` as in cluster_page.h. */
void orr_affinities_html(const orr_throughputs *table, const orr_cluster_spec *cluster, const char *command,
                         orr_text *out);

#endif
