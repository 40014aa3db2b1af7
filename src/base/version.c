/* Version, commit and kind of build, as the build system told them. */
#include <orrery/version.h>

#ifndef ORR_COMMIT
#define ORR_COMMIT ""
#endif

#ifndef ORR_BUILD_KIND
#ifdef __OPTIMIZE__
#define ORR_BUILD_KIND "optimized"
#else
#define ORR_BUILD_KIND "debug"
#endif
#endif

#define QUOTE_(x) #x
#define QUOTE(x) QUOTE_(x)

#if defined(__clang__)
#define COMPILER "clang " QUOTE(__clang_major__) "." QUOTE(__clang_minor__)
#elif defined(__GNUC__)
#define COMPILER "gcc " QUOTE(__GNUC__) "." QUOTE(__GNUC_MINOR__)
#else
#define COMPILER "cc"
#endif

const char *orr_version(void)
{
    return QUOTE(ORR_VERSION_MAJOR) "." QUOTE(ORR_VERSION_MINOR) "." QUOTE(ORR_VERSION_PATCH);
}

const char *orr_commit(void)
{
    return ORR_COMMIT;
}

const char *orr_build(void)
{
    return COMPILER " " ORR_BUILD_KIND;
}
