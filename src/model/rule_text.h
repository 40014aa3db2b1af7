/* A rule of the scenario as a user writes it: NAME[,KEY=VALUE...]. Each kind of rule says its names and what its keys
 * mean. */
#ifndef ORR_MODEL_RULE_TEXT_H
#define ORR_MODEL_RULE_TEXT_H

#include <orrery/error.h>

#include <stddef.h>

typedef struct orr_rule_names {
    const char *const *at;
    int count;
    const char *what, *noun; /* for messages: "interference", "rule" */
    const char *hint;
} orr_rule_names;

/* Calls `set` for every KEY=VALUE (`n` bytes from `item` on) with the rule's number among the names, which *kind tells;
 * "" and NULL are the first one. False from `set`: there is no such setting. ORR_E_BAD_VALUE. */
orr_err orr_rule_parse(const orr_rule_names *names, const char *text, int *kind,
                       bool (*set)(void *self, int kind, const char *item, size_t n), void *self, orr_error *e);
/* The error of a rule of which this part is wrong. */
orr_err orr_rule_wrong(const orr_rule_names *names, const char *text, size_t n, const char *why, orr_error *e);
/* Is the item a value of this key? */
bool orr_rule_is_key(const char *item, size_t n, const char *key);

#endif
