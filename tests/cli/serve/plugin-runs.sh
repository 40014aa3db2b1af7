# a batcher outside of the tree: built, listed, run; and one that does what can't be done
command -v cc >/dev/null || { echo "needs cc" >&2; exit 77; }
cat >mine.c <<'C'
#include <orrery/serve.h>

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    (void)ctx, (void)exec;
    f->take = f->take > MOST ? MOST : f->take + MORE;
}

ORR_BATCHER(my_own) = {.summary = "a few at a time", .form = form};
C
cc -DMOST=4 -DMORE=0 -shared -fPIC -I"$SRC/include" mine.c -o mine.so || exit 77
cc -DMOST=999 -DMORE=9 -shared -fPIC -I"$SRC/include" mine.c -o wild.so || exit 77
orrery policies --plugin ./mine.so my-own | head -n 1
orrery run --services two-models -c nodes=1,gpus=4,type=V100 --serve my-own --plugin ./mine.so -o out -q >/dev/null
jq -r '.serving.resolved' out/summary.json
orrery run --services two-models -c nodes=1,gpus=4,type=V100 --serve my-own --plugin ./wild.so -q >/dev/null 2>err
grep -o 'batcher: illegal batch size 10' err
