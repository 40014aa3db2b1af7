/* What every public header needs: visibility, C++ guards, and a few compiler facts. */
#ifndef ORRERY_API_H
#define ORRERY_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ORR_API __attribute__((visibility("default")))
#define ORR_NODISCARD __attribute__((warn_unused_result))
#define ORR_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define ORR_API
#define ORR_NODISCARD
#define ORR_PRINTF(fmt, first)
#endif

#ifdef __cplusplus
#define ORR_BEGIN extern "C" {
#define ORR_END }
#else
#define ORR_BEGIN
#define ORR_END
#endif

#endif
