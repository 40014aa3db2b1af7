# a policy outside of the tree: built, listed, described, run
command -v cc >/dev/null || { echo "needs cc" >&2; exit 77; }
cat >mine.c <<'C'
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx;
    return -orr_job_gpus(job);
}

ORR_ORDER(my_own) = {.summary = "widest first", .key = key};
C
cc -shared -fPIC -I"$SRC/include" mine.c -o mine.so || exit 77
orrery policies --plugin ./mine.so my-own | head -n 1
printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n3,0,2,4\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p my-own --plugin ./mine.so -o out -q >/dev/null
cut -d, -f1,6 out/jobs.csv
