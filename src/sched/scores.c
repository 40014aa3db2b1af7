/* Scored placement: for each kind of request a tournament over the nodes of its scope.
 *
 * A leaf is a node's score, an inner node the better of its two halves, the left one among equals, so that the root is
 * the best node and ties go to the least index. When a kind of request is asked for again, only nodes whose room has
 * changed since are scored anew, each once, and carried up: O(changed x log nodes). Only the first question of a kind,
 * and one after more changes than are remembered, look at every node. Memory is bounded: of the trees, the one that was
 * not asked for longest makes room for a new one. */
#include "sched/ctx.h"

#include <math.h>
#include <stdlib.h>

#define uthash_malloc(size) orr_xmalloc(size)
#pragma GCC diagnostic ignored "-Wconversion"
#include <uthash.h>

/* 64 MiB of trees: 300 kinds of request on 12,500 nodes. */
enum { TREES_BYTES = 64 << 20, TREES_LEAST = 8 };

typedef struct kind_key {
    uint32_t shape;
    int32_t vc, gpus, milli;
    uint64_t types; /* of the scope */
} kind_key;

typedef struct tree {
    kind_key key;
    uint64_t seen, used; /* changes of nodes that it knows; when it was last asked */
    bool stale;          /* scores depend on something that has changed since */
    int32_t leaves, width; /* nodes of the scope; the next power of two, at least 2 */
    double *score;       /* [leaves]; -INFINITY: no room */
    int32_t *best;       /* [width], from 1 on: which leaf wins below, -1: there is none */
    UT_hash_handle hh;
} tree;

struct orr_scores {
    struct orr_scores *next; /* of the same instance */
    orr_ctx *ctx;
    orr_score_fn *score;
    tree *trees;
    uint64_t asked, stamp;
    uint64_t *stamped; /* [nodes]: the question at which a node was last listed */
    ORR_VEC(int32_t) changed;
};

orr_scores *orr_scores_create(orr_ctx *ctx, orr_score_fn *score)
{
    orr_scores *s = orr_xcalloc(1, sizeof *s);
    s->ctx = ctx;
    s->score = score;
    s->stamped = orr_xcalloc((size_t)ctx->world->real->count + 1, sizeof *s->stamped);
    s->next = ctx->scores;
    ctx->scores = s;
    return s;
}

static void drop(orr_scores *s, tree *t)
{
    HASH_DEL(s->trees, t);
    free(t->score);
    free(t->best);
    free(t);
}

void orr_scores_destroy(orr_scores *s)
{
    while (s) {
        orr_scores *next = s->next;
        while (s->trees)
            drop(s, s->trees);
        ORR_VEC_FREE(&s->changed);
        free(s->stamped);
        free(s);
        s = next;
    }
}

void orr_scores_renew(orr_scores *s)
{
    for (tree *t = s->trees; t; t = t->hh.next)
        t->stale = true;
}

/* ---- a tree ---- */

static double score_of(orr_scores *s, const orr_request *r, int32_t node)
{
    orr_cluster *c = s->ctx->world->cluster;
    c->nodes_examined++;
    if (r->scope.types && !(c->nodes[node].type & r->scope.types))
        return -INFINITY;
    double v = s->score(s->ctx, r, node);
    return isnan(v) ? -INFINITY : v;
}

static int32_t winner_below(const tree *t, int32_t i)
{
    if (i < t->width)
        return t->best[i];
    return i - t->width < t->leaves ? i - t->width : -1;
}

static int32_t better(const tree *t, int32_t i)
{
    int32_t left = winner_below(t, 2 * i), right = winner_below(t, 2 * i + 1);
    return right < 0 || (left >= 0 && t->score[left] >= t->score[right]) ? left : right;
}

static void carry_up(tree *t, int32_t leaf)
{
    for (int32_t i = (t->width + leaf) / 2; i >= 1; i /= 2) {
        int32_t winner = better(t, i);
        if (winner == t->best[i] && winner != leaf)
            return; /* somebody else wins here as before */
        t->best[i] = winner;
    }
}

static void score_all(orr_scores *s, tree *t, const orr_request *r, const orr_pool *pool)
{
    for (int32_t i = 0; i < t->leaves; i++)
        t->score[i] = score_of(s, r, pool->nodes[i]);
    for (int32_t i = t->width - 1; i >= 1; i--)
        t->best[i] = better(t, i);
}

/* ---- what has changed ---- */

static void list_once(void *self, int32_t node)
{
    orr_scores *s = self;
    if (s->stamped[node] == s->stamp)
        return;
    s->stamped[node] = s->stamp;
    ORR_VEC_PUSH(&s->changed, node);
}

static void score_changed(orr_scores *s, tree *t, const orr_request *r, const orr_pool *pool)
{
    for (size_t i = 0; i < s->changed.n; i++) {
        int32_t leaf = orr_pool_place(s->ctx->world->cluster, pool, s->changed.at[i]);
        if (leaf < 0)
            continue;
        double v = score_of(s, r, s->changed.at[i]);
        if (v < t->score[leaf] || v > t->score[leaf]) {
            t->score[leaf] = v;
            carry_up(t, leaf);
        }
    }
}

static void bring_up_to_date(orr_scores *s, tree *t, const orr_request *r, const orr_pool *pool)
{
    s->changed.n = 0;
    s->stamp++;
    bool told = orr_nodes_changed(s->ctx, &t->seen, list_once, s);
    if (!told || t->stale)
        score_all(s, t, r, pool);
    else
        score_changed(s, t, r, pool);
    t->stale = false;
}

/* ---- which tree ---- */

static tree *longest_unused(const orr_scores *s)
{
    tree *oldest = s->trees;
    for (tree *t = s->trees; t; t = t->hh.next)
        oldest = t->used < oldest->used ? t : oldest;
    return oldest;
}

static tree *tree_for(orr_scores *s, const orr_request *r, const orr_pool *pool)
{
    kind_key key;
    memset(&key, 0, sizeof key);
    key = (kind_key){
        .shape = r->job->shape, .vc = r->scope.vc, .gpus = r->gpus, .milli = r->milli, .types = r->scope.types};
    tree *t;
    HASH_FIND(hh, s->trees, &key, sizeof key, t);
    if (t)
        return t;
    size_t each = (size_t)pool->count * sizeof(double) + 2 * (size_t)pool->count * sizeof(int32_t);
    if (HASH_COUNT(s->trees) >= TREES_LEAST && HASH_COUNT(s->trees) * each >= TREES_BYTES)
        drop(s, longest_unused(s));
    t = orr_xcalloc(1, sizeof *t);
    t->key = key;
    t->seen = UINT64_MAX;
    t->leaves = pool->count;
    for (t->width = 2; t->width < t->leaves; t->width *= 2)
        ;
    t->score = orr_xcalloc((size_t)t->leaves + 1, sizeof *t->score);
    t->best = orr_xcalloc((size_t)t->width, sizeof *t->best);
    HASH_ADD(hh, s->trees, key, sizeof key, t);
    return t;
}

/* Of the empty cluster, which is asked once a shape whether it could ever host such a job: nobody keeps its scores. */
static int32_t best_of_all(orr_scores *s, const orr_request *r, const orr_pool *pool)
{
    int32_t best = -1;
    double most = -INFINITY;
    for (int32_t i = 0; i < pool->count; i++) {
        double v = score_of(s, r, pool->nodes[i]);
        if (v > most) {
            most = v;
            best = pool->nodes[i];
        }
    }
    return best;
}

/* Of one type, or where several are asked for, but not all, of all: nodes of the others have no room. */
static const orr_pool *pool_of(const orr_cluster *c, orr_scope scope)
{
    orr_pool *in[ORR_MAX_TYPES];
    return orr_cluster_pools(c, scope.vc, scope.types, in) == 1 ? in[0] : orr_cluster_pool(c, scope.vc);
}

int32_t orr_scores_best(orr_scores *s, const orr_request *r)
{
    const orr_world *w = s->ctx->world;
    const orr_pool *pool = pool_of(w->cluster, r->scope);
    if (w->cluster != w->real || pool->count == 0)
        return best_of_all(s, r, pool);
    tree *t = tree_for(s, r, pool);
    t->used = ++s->asked;
    bring_up_to_date(s, t, r, pool);
    int32_t leaf = t->best[1];
    return leaf < 0 || isinf(t->score[leaf]) ? -1 : pool->nodes[leaf];
}

orr_err orr_scores_place(orr_scores *s, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    if (r->gpus > orr_scope_widest(s->ctx, r->scope)) {
        bool parts = r->milli < ORR_WHOLE_GPU;
        return parts ? orr_fill_parts(s->ctx, r, out) : orr_fill_nodes(s->ctx, plan, r, ORR_NODES_FULLEST, out);
    }
    int32_t node = orr_scores_best(s, r);
    return node < 0 ? ORR_E_NOFIT : orr_take_on_node(s->ctx, plan, r, node, out);
}
