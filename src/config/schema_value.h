/* Single values of key tables: text in, text out. */
#ifndef ORR_CONFIG_SCHEMA_VALUE_H
#define ORR_CONFIG_SCHEMA_VALUE_H

#include "config/schema.h"
#include <orrery/time.h>

#define ORR_VALUE_WHY 256

/* Whether members of this type are a scalar other than a text. */
bool orr_value_is_scalar(orr_key_type type);
/* Parses such a value into `member`; false, and why it can't be ("should be an integer"), without touching it. A
 * member of ORR_KEY_COUNTS is an integer here. */
bool orr_value_parse(const orr_key *key, const char *text, void *member, char why[ORR_VALUE_WHY]);
void orr_value_bound(const orr_key *key, int64_t v, char buf[ORR_TIME_BUF]);
/* One text, in double quotes where it has blanks or quotes, or nothing at all. */
void orr_value_add_word(const char *text, orr_text *out);
/* Splits texts with blanks between into `arena`; false: a quote isn't closed. */
bool orr_value_split(const char *text, orr_arena *arena, const char ***at, size_t *n);
/* The choice's name; *length 0: there is none at this place. */
const char *orr_value_choice(const char *choices, int32_t index, size_t *length);

#endif
