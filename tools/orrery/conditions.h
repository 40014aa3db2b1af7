/* From the command line to a case (study/case.h): the options of `run` are its keys. */
#ifndef ORRERY_TOOL_CONDITIONS_H
#define ORRERY_TOOL_CONDITIONS_H

#include "opt.h"
#include "study/case.h"

/* All that the settings say; the policy, of which there may be several, is left out. Also for commands that only read
 * and select: the rest is at its default or unused then. */
orr_case conditions_of(const settings *s);
/* Puts what was typed for `run` in the place of what the case says. */
void conditions_override(orr_case *c, const settings *s);
/* Which of the case's keys was typed; NULL if none, or if `key` is none. */
const opt *conditions_option(const settings *s, const char *key);

/* Settings of `run` that decide nothing a case knows of. */
extern const orr_keys conditions_extra_keys; /* fills settings */
enum { CONDITIONS_EXTRAS = 3 };
/* With their values as text, which are kept in `arena`. */
void conditions_extras(const settings *s, orr_arena *arena, orr_case_extra extras[CONDITIONS_EXTRAS]);

#endif
