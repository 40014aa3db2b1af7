/* Rewriting what a baseline expects, in the text that people wrote: numbers and digests are replaced where they stand,
 * new ones are added behind the others of their map, and the log of updates grows by an entry. Comments, order and
 * layout stay.
 */
#ifndef ORR_STUDY_BASELINE_UPDATE_H
#define ORR_STUDY_BASELINE_UPDATE_H

#include "study/check.h"

/* For the log. */
typedef struct orr_update_note {
    const char *date, *commit, *reason; /* UTF-8; commit may be "" */
} orr_update_note;

typedef struct orr_update {
    orr_text text;   /* the whole file, new */
    size_t numbers, inputs; /* replaced or added */
    size_t times;           /* cases whose real time was noted */
} orr_update;

/* `c` was run with `update` and has no problems. Cases that aren't selected stay as they are. With nothing to change
 * the text is that of the file. The result is read again before it is given out: ORR_E_SYNTAX if the file has a form
 * that can't be edited so. */
orr_err orr_baseline_update(const orr_check *c, const orr_update_note *note, orr_update *out, orr_error *e);
void orr_update_fini(orr_update *update);

#endif
