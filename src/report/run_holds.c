/* attempts.csv in one pass: GPU time by node and time, and the boxes of a schedule, of which a heap keeps the
 * heaviest. */
#include "report/run_facts.h"

#include <cjson/cJSON.h>
#include <math.h>

typedef struct holds_pass {
    orr_run_holds *out;
    double from, width; /* of a column, s */
    orr_time end;
} holds_pass;

/* ---- the cluster ---- */

static int32_t cluster_count(const orr_result *result, const char *key)
{
    const cJSON *cluster = cJSON_GetObjectItemCaseSensitive(orr_result_summary(result), "cluster");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(cluster, key);
    return cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 1e9 ? (int32_t)item->valuedouble : 0;
}

/* Sizes of nodes aren't told: if the GPUs divide evenly it is taken that all are alike, until a GPU beyond is held. */
static void plan_rows(orr_run_holds *h, const orr_result *result)
{
    const int32_t gpus = cluster_count(result, "gpus");
    h->nodes = cluster_count(result, "nodes");
    h->nodes = h->nodes ? h->nodes : 1;
    h->uniform = gpus > 0 && gpus % h->nodes == 0 && gpus / h->nodes <= 64;
    h->node_gpus = h->uniform ? gpus / h->nodes : 1;
    h->nodes_a_row = (h->nodes + ORR_HEAT_ROWS - 1) / ORR_HEAT_ROWS;
    h->rows = (h->nodes + h->nodes_a_row - 1) / h->nodes_a_row;
    h->node_step = (h->nodes + ORR_GANTT_NODES - 1) / ORR_GANTT_NODES;
    h->shown = (h->nodes + h->node_step - 1) / h->node_step;
    h->heat = orr_xcalloc((size_t)h->rows * ORR_HEAT_COLUMNS, sizeof *h->heat);
}

/* ---- heat ---- */

static void warm(const holds_pass *p, int32_t node, double gpus, double from, double to)
{
    double *row = p->out->heat + (size_t)(node / p->out->nodes_a_row) * ORR_HEAT_COLUMNS;
    double at = fmax(from, p->from);
    for (size_t column = (size_t)((at - p->from) / p->width); column < ORR_HEAT_COLUMNS && at < to; column++) {
        const double end = fmin(to, p->from + (double)(column + 1) * p->width);
        row[column] += end > at ? gpus * (end - at) : 0;
        at = fmax(at, end);
    }
}

static void mean_heat(const holds_pass *p)
{
    const orr_run_holds *h = p->out;
    for (int32_t row = 0; row < h->rows; row++) {
        const int32_t left = h->nodes - row * h->nodes_a_row;
        const double of = p->width * (left < h->nodes_a_row ? left : h->nodes_a_row);
        for (size_t column = 0; column < ORR_HEAT_COLUMNS; column++)
            h->heat[(size_t)row * ORR_HEAT_COLUMNS + column] /= of;
    }
}

/* ---- boxes ---- */

/* Whether `a` goes before `b` from the heap: it is lighter, or came later. */
static bool lighter(const orr_held_box *a, const orr_held_box *b)
{
    if (a->weight < b->weight || b->weight < a->weight)
        return a->weight < b->weight;
    return a->order > b->order;
}

static void swap(orr_held_box *a, orr_held_box *b)
{
    const orr_held_box t = *a;
    *a = *b;
    *b = t;
}

static void sift_up(orr_held_box *heap, size_t i)
{
    for (; i > 0 && lighter(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sift_down(orr_held_box *heap, size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && lighter(&heap[child + 1], &heap[child]);
        if (!lighter(&heap[child], &heap[i]))
            return;
        swap(&heap[i], &heap[child]);
    }
}

static void keep_box(orr_run_holds *h, orr_held_box box, const char *id)
{
    if (h->box_count < ORR_GANTT_BOXES) {
        box.id = orr_xstrdup(id);
        h->boxes[h->box_count] = box;
        sift_up(h->boxes, h->box_count++);
        return;
    }
    if (!lighter(&h->boxes[0], &box))
        return;
    free(h->boxes[0].id);
    box.id = orr_xstrdup(id);
    h->boxes[0] = box;
    sift_down(h->boxes, h->box_count, 0);
}

static bool ended_early(const char *reason)
{
    static const char *const early[] = {"preempted", "resized", "migrated", "retried", "reshared", "interrupted"};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        if (strcmp(reason, early[i]) == 0)
            return true;
    return false;
}

/* Each run of neighbouring GPUs is a box. */
static void boxes_of(orr_run_holds *h, const orr_result_hold *hold, orr_time end, const orr_result_share *share)
{
    const uint64_t gpus = share->gpus;
    const double seconds = orr_time_seconds(end - hold->start);
    for (int from = 0, to; from < 64; from = to) {
        for (to = from + 1; share->milli == 1000 && to < 64 && (gpus >> to & 1) == (gpus >> from & 1);)
            to++;
        if (!(gpus >> from & 1))
            continue;
        const orr_held_box box = {.from = hold->start,
                                  .to = end,
                                  .node = share->node,
                                  .milli = share->milli,
                                  .gpu = from,
                                  .gpus = to - from,
                                  .job_gpus = hold->gpus,
                                  .broken = ended_early(hold->reason),
                                  .weight = seconds * (to - from) * share->milli / 1000,
                                  .order = h->box_total};
        h->box_total++;
        h->all_weight += box.weight;
        keep_box(h, box, hold->id);
    }
}

/* ---- the pass ---- */

static int bits_of(uint64_t gpus)
{
    int n = 0;
    for (; gpus; gpus &= gpus - 1)
        n++;
    return n;
}

static void take_slice(const holds_pass *p, const orr_result_hold *hold, orr_time end, const orr_result_share *share)
{
    orr_run_holds *h = p->out;
    const int32_t node = share->node;
    const uint64_t gpus = share->gpus;
    if (node >= h->nodes || !gpus)
        return;
    while (h->node_gpus < 64 && gpus >> h->node_gpus) {
        h->node_gpus++;
        h->uniform = false;
    }
    warm(p, node, bits_of(gpus) * share->milli / 1000.0, orr_time_seconds(hold->start), orr_time_seconds(end));
    if (node % h->node_step == 0)
        boxes_of(h, hold, end, share);
}

static bool take_hold(void *self, const orr_result_hold *hold)
{
    const holds_pass *p = self;
    const char *at = hold->allocation;
    const orr_time end = hold->end != ORR_TIME_NONE ? hold->end : p->end;
    orr_result_share share;
    while (end > hold->start && *at && orr_result_slice(&at, &share))
        take_slice(p, hold, end, &share);
    return true;
}

static int in_place(const void *left, const void *right)
{
    const orr_held_box *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool overlap(const orr_held_box *a, const orr_held_box *b)
{
    return a->from < b->to && b->from < a->to && a->low < b->low + b->milli && b->low < a->low + a->milli;
}

/* Those on parts of one GPU lie beside each other: each as low as those before it leave room. Boxes are few. */
static void stack_parts(orr_run_holds *h)
{
    for (size_t i = 0, first = 0; i < h->box_count; i++) {
        orr_held_box *box = &h->boxes[i];
        if (box->node != h->boxes[first].node || box->gpu != h->boxes[first].gpu)
            first = i;
        for (size_t k = first; box->milli < 1000 && k < i; k++) {
            const orr_held_box *other = &h->boxes[k];
            if (!overlap(box, other))
                continue;
            box->low = other->low + other->milli;
            k = first - 1; /* from the first again; `low` has grown */
        }
        box->low = box->low + box->milli > 1000 ? 1000 - box->milli : box->low;
    }
}

orr_err orr_run_holds_of(const orr_result *result, orr_time from, orr_time to, orr_run_holds *out, orr_error *e)
{
    const double seconds = to > from ? orr_time_seconds(to - from) : 1;
    holds_pass pass = {out, orr_time_seconds(from), seconds / ORR_HEAT_COLUMNS, to};
    memset(out, 0, sizeof *out);
    plan_rows(out, result);
    const orr_err err = orr_result_holds(result, take_hold, &pass, e);
    if (err) {
        orr_run_holds_fini(out);
        return err;
    }
    mean_heat(&pass);
    qsort(out->boxes, out->box_count, sizeof *out->boxes, in_place);
    stack_parts(out);
    for (size_t i = 0; i < out->box_count; i++)
        out->shown_weight += out->boxes[i].weight;
    return ORR_OK;
}

void orr_run_holds_fini(orr_run_holds *holds)
{
    for (size_t i = 0; i < holds->box_count; i++)
        free(holds->boxes[i].id);
    free(holds->heat);
    holds->box_count = 0;
    holds->heat = NULL;
}
