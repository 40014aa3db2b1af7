/* When and on which commit something was done, for the log of a baseline. Asks the clock and git, so it is no part of
 * any result. */
#ifndef ORRERY_TOOL_ORIGIN_H
#define ORRERY_TOOL_ORIGIN_H

#include "base/text.h"

/* The day in UTC as YYYY-MM-DD, of $SOURCE_DATE_EPOCH where that is a number. */
void origin_date(char date[16]);
/* The commit that is checked out where `file` lies, as git knows it; "" outside a repository or without git. */
void origin_commit(const char *file, char commit[72]);

#endif
