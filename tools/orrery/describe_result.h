/* A folder of results, described: what came of each run, and what else may be made from it. */
#ifndef ORRERY_TOOL_DESCRIBE_RESULT_H
#define ORRERY_TOOL_DESCRIBE_RESULT_H

#include "cmd.h"
#include <cjson/cJSON.h>

bool describe_is_folder(const char *path);
/* Adds a document a result to `documents`, or prints them if it is NULL, with a blank line in front unless `first`.
 * Then writes what --write names. Says what goes wrong; the exit status. */
int describe_results(app *a, const char *dir, cJSON *documents, bool first);

#endif
