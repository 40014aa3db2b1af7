# A process that dies takes no cell with it but its own: the others are run, that one has no result, and the next call runs
# it alone.
command -v cc >/dev/null || { echo "needs cc" >&2; exit 77; }
cp "$SRC/traces/tiny.csv" .
cat >dies.c <<'END'
#include <orrery/policy.h>
#include <stdlib.h>
typedef struct settings {
    int64_t at;
} settings;
static double key(orr_ctx *ctx, const orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    if (s->at == 3 && !getenv("MENDED"))
        abort();
    return orr_time_seconds(orr_job_submit(job));
}
static const orr_knob knobs[] = {
    {.name = "at", .type = ORR_KNOB_INT, .offset = offsetof(settings, at), .fallback = "0", .doc = "which of them"},
    {0},
};
ORR_ORDER(dies) = {.summary = "dies at 3", .key = key, .knobs = knobs, .knobs_size = sizeof(settings)};
END
cc -shared -fPIC -I"$SRC/include" dies.c -o dies.so || exit 77
cat >plan.yaml <<'END'
schema: orrery.sweep/1
base: {trace: tiny.csv, cluster: "nodes=1,gpus=4"}
grid: {policy: [{name: dies, knobs: {at: [1, 2, 3, 4, 5]}}]}
metrics: jct.mean
END
orrery sweep plan.yaml --plugin ./dies.so -o out -j 2 2>err
echo "status $?"
sed 's/ (.*)//' err
wc -l <out/cells.part.jsonl
MENDED=1 orrery sweep plan.yaml --plugin ./dies.so -o out
