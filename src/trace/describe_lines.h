/* Lines of the description for people, shared by its parts. Inside src/trace/describe_text*.c only. */
#ifndef ORR_TRACE_DESCRIBE_LINES_H
#define ORR_TRACE_DESCRIBE_LINES_H

#include "trace/describe.h"

#define ORR_TEXT_WIDTH 80

/* "82,247"; a buffer of each call's own. */
const char *orr_count_text(uint64_t value, char buf[ORR_DOUBLE_BUF]);
/* Words of `s` from column `at` on, broken at ORR_TEXT_WIDTH and indented; ends the line. */
void orr_text_wrap(orr_text *out, int at, int indent, const char *s);

/* What a reader dropped, repaired or assumed, in two lines. */
void orr_text_note(const orr_trace *trace, const orr_note *note, orr_text *out);

void orr_text_arrivals(const orr_description *d, orr_text *out);
void orr_text_record(const orr_description *d, orr_text *out);
void orr_text_stated(const orr_description *d, orr_text *out); /* attributes and coverage */

#endif
