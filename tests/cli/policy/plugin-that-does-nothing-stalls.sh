# jobs wait, nothing will ever happen: exit 76, named, with the results so far
command -v cc >/dev/null || { echo "needs cc" >&2; exit 77; }
cat >lazy.c <<'C'
#include <orrery/policy.h>

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx, (void)plan;
    return ORR_OK;
}

ORR_POLICY(lazy) = {.summary = "starts nothing", .schedule = schedule};
C
cc -shared -fPIC -I"$SRC/include" lazy.c -o lazy.so || exit 77
printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,3,5,8\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p lazy -p fifo --plugin ./lazy.so -o out --csv
echo "$?"
grep -h '"stop_reason"' out/lazy/summary.json out/fifo/summary.json
