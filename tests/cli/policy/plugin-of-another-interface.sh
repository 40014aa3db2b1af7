command -v cc >/dev/null || { echo "needs cc" >&2; exit 77; }
cat >old.c <<'C'
#include <orrery/policy.h>
#undef ORR_ABI
#define ORR_ABI 99u

static double key(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx, (void)job;
    return 0;
}

ORR_ORDER(old) = {.summary = "from the future", .key = key};
C
cc -shared -fPIC -I"$SRC/include" old.c -o old.so || exit 77
orrery policies --plugin ./old.so
