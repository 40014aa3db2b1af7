/* Cases of formulas in a JSON file: {"cases": [{"id", "input": {…}, "expected": {…}}, …]}. A test answers each by
 * key, and every expected value must have been answered. Keys of nested values are paths: "nodes.0.items.1.batch". */
#ifndef TESTS_GOLDEN_CASES_H
#define TESTS_GOLDEN_CASES_H

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stddef.h>

/* Numbers, strings and booleans (as 0 and 1) that a case got. */
typedef struct answers answers;

/* The file at `path`; the test fails where it is none. cJSON_Delete frees it. */
cJSON *json_read(const char *path);
/* NULL: the file isn't in the shared folder. cJSON_Delete frees it. */
cJSON *cases_read(const char *name);
/* Calls `one` for each case, then compares what it answered: numbers to `apart` of themselves (a count must then be
 * exact in effect), texts exactly. Returns the number of cases. `passed_over`: an expected key that is not compared;
 * NULL. */
size_t cases_run(const cJSON *root, double apart, const char *passed_over,
                 void (*one)(const cJSON *a_case, const char *id, const cJSON *input, answers *out));

void answer(answers *out, double value, const char *key, ...);
void answer_text(answers *out, const char *value, const char *key, ...);

/* Of an object; the test fails where it is absent. */
double real_of(const cJSON *object, const char *key);
const cJSON *field_of(const cJSON *object, const char *key);
/* An array's numbers, times `unit`; *n of them, at most cap. */
void reals_of(const cJSON *array, double unit, double *out, size_t cap, size_t *n);

#endif
