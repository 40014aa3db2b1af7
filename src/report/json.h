/* Members of JSON documents, built with cJSON. Numbers are raw texts in their exact or shortest form, which cJSON's own
 * printer can't give; what isn't a finite number is null.
 */
#ifndef ORR_REPORT_JSON_H
#define ORR_REPORT_JSON_H

#include "report/report.h"
#include <cjson/cJSON.h>

cJSON *orr_json_object(cJSON *parent, const char *key);
cJSON *orr_json_array(cJSON *parent, const char *key);
/* Bytes that are no UTF-8 become U+FFFD; NULL is null. */
void orr_json_text(cJSON *object, const char *key, const char *text);
void orr_json_item(cJSON *array, const char *text);
void orr_json_double(cJSON *object, const char *key, double v);
void orr_json_count(cJSON *object, const char *key, uint64_t v);
void orr_json_time(cJSON *object, const char *key, orr_time t); /* exact decimal seconds; ORR_TIME_NONE is null */
void orr_json_bool(cJSON *object, const char *key, bool v);
/* Adds `n` to the count of this name, which may be there already. */
void orr_json_add_count(cJSON *object, const char *name, uint64_t n);

/* Appends the document and a newline, and frees it either way. */
orr_err orr_json_print(cJSON *document, bool pretty, orr_text *out, orr_error *e);

/* Parts that several documents share. */
void orr_json_knowledge(cJSON *document, const orr_report_run *run);
void orr_json_policy(cJSON *document, const orr_report_run *run);
void orr_json_serve(cJSON *document, const orr_report_run *run); /* nothing where there were no services */
void orr_json_stop(cJSON *document, const orr_report_run *run); /* stop_reason, error, sim_end, limits */

#endif
