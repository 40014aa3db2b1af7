/* Small JSON documents by cJSON: members in the order of adding, counts exact, a newline at the end. */
#ifndef ORRERY_TOOL_JSON_H
#define ORRERY_TOOL_JSON_H

#include "base/text.h"
#include <cjson/cJSON.h>

/* NULL text gives null. */
void json_text(cJSON *object, const char *key, const char *text);
void json_count(cJSON *object, const char *key, uint64_t value);
cJSON *json_object(cJSON *object, const char *key);
cJSON *json_array(cJSON *object, const char *key);
cJSON *json_append_object(cJSON *array);
void json_append_text(cJSON *array, const char *text);
/* Prints the document on stdout and frees it. */
void json_print(cJSON *document);

#endif
