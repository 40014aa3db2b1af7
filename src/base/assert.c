/* The end of a process whose engine broke one of its own rules. */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

/* _Exit and not exit: nothing that the broken state could reach runs any more, and half-written outputs keep their
 * temporary names. */
_Noreturn void orr_assert_failed(const char *rule, const char *file, int line, const char *detail)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: error: a rule of the engine is broken: %s%s%s [invariant]\n", file, line, rule,
            detail && *detail ? ": " : "", detail ? detail : "");
    fputs("hint: this is always a bug of Orrery; please report it with the inputs and this line\n", stderr);
    _Exit(70);
}
