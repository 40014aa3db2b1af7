/* What is known of applications, for `orrery describe`: limits, and how they scale with the best batch. */
#ifndef ORR_REPORT_SCALING_H
#define ORR_REPORT_SCALING_H

#include "base/text.h"
#include "model/applications.h"
#include <cjson/cJSON.h>

void orr_scaling_text(const orr_applications *applications, orr_text *out);
/* An object of schema "orrery.application-facts/1"; to be freed with cJSON_Delete. */
cJSON *orr_scaling_json(const orr_applications *applications);

#endif
