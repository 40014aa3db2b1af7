/* Which Orrery this is. */
#ifndef ORRERY_VERSION_H
#define ORRERY_VERSION_H

#include <orrery/api.h>

#define ORR_VERSION_MAJOR 0
#define ORR_VERSION_MINOR 1
#define ORR_VERSION_PATCH 0

ORR_BEGIN

ORR_API const char *orr_version(void); /* "0.1.0" */
ORR_API const char *orr_commit(void);  /* git commit at build time, "" if not known */
ORR_API const char *orr_build(void);   /* compiler and kind of build: "gcc 12.2 release" */

ORR_END
#endif
