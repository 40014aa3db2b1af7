# more GPUs than the job asked for: the plan is refused, by name, job and time; exit 76
command -v cc >/dev/null || { echo "needs cc" >&2; exit 77; }
cat >greedy.c <<'C'
#include <orrery/policy.h>

static void *slot(orr_ctx *ctx)
{
    return orr_state(ctx);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED)
        *(orr_job **)slot(ctx) = job;
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    orr_job *job = *(orr_job **)slot(ctx);
    orr_alloc *alloc = orr_plan_alloc(plan);
    if (orr_job_holds(job) || orr_job_starts(job))
        return ORR_OK;
    orr_err err = orr_alloc_take(alloc, plan, 0, 4);
    return err ? err : orr_plan_assign(plan, job, alloc);
}

ORR_POLICY(greedy) = {.summary = "takes a node", .schedule = schedule, .on_job = on_job, .state_size = sizeof(orr_job *)};
C
cc -shared -fPIC -I"$SRC/include" greedy.c -o greedy.so || exit 77
printf 'job_id,submit,duration,gpus\n1,7,10,1\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p greedy --plugin ./greedy.so --csv
