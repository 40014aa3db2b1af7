/* A treap in an array of nodes: a search tree by key, a heap by priority, so that its expected depth is logarithmic
 * whatever the order of insertion (Seidel and Aragon 1996). Place 0 is the empty tree; nodes know their parent, so that
 * a place can be removed or stepped from without a search. Freed nodes form a list through `left`.
 */
#include "base/tree.h"

#include "base/assert.h"
#include "base/mem.h"
#include "base/rng.h"

#include <math.h>

typedef struct node {
    orr_tree_key key;
    int64_t weight, least; /* least weight of the subtree, this node included */
    void *item;
    uint32_t priority;
    orr_tree_at left, right, up;
} node;

struct orr_tree {
    ORR_VEC(node) nodes;
    orr_tree_at root, spare;
    uint32_t count;
    uint64_t inserted;
};

orr_tree *orr_tree_create(void)
{
    orr_tree *tree = orr_xcalloc(1, sizeof *tree);
    ORR_VEC_PUSH(&tree->nodes, ((node){.least = INT64_MAX}));
    return tree;
}

void orr_tree_destroy(orr_tree *tree)
{
    if (!tree)
        return;
    ORR_VEC_FREE(&tree->nodes);
    free(tree);
}

static orr_tree_at take_node(orr_tree *tree)
{
    orr_tree_at at = tree->spare;
    if (at) {
        tree->spare = tree->nodes.at[at].left;
        return at;
    }
    ORR_ASSERT(tree->nodes.n < UINT32_MAX, "a tree is full");
    ORR_VEC_PUSH(&tree->nodes, ((node){0}));
    return (orr_tree_at)(tree->nodes.n - 1);
}

static void update(orr_tree *tree, orr_tree_at at)
{
    node *nodes = tree->nodes.at, *n = &nodes[at];
    int64_t least = n->weight;
    if (nodes[n->left].least < least)
        least = nodes[n->left].least;
    if (nodes[n->right].least < least)
        least = nodes[n->right].least;
    n->least = least;
}

/* Stops where nothing changes: what lies above was right before. */
static void update_upwards(orr_tree *tree, orr_tree_at at)
{
    while (at) {
        int64_t before = tree->nodes.at[at].least;
        update(tree, at);
        if (tree->nodes.at[at].least == before)
            return;
        at = tree->nodes.at[at].up;
    }
}

/* Puts `new` where `old` hangs; 0 for nothing. */
static void replace_child(orr_tree *tree, orr_tree_at old, orr_tree_at new)
{
    node *nodes = tree->nodes.at;
    orr_tree_at up = nodes[old].up;
    if (!up)
        tree->root = new;
    else if (nodes[up].left == old)
        nodes[up].left = new;
    else
        nodes[up].right = new;
    if (new)
        nodes[new].up = up;
}

/* Rotates `at` above its parent; the order of keys stays. */
static void lift(orr_tree *tree, orr_tree_at at)
{
    node *nodes = tree->nodes.at;
    orr_tree_at up = nodes[at].up;
    bool was_left = nodes[up].left == at;
    orr_tree_at moved = was_left ? nodes[at].right : nodes[at].left;
    replace_child(tree, up, at);
    *(was_left ? &nodes[up].left : &nodes[up].right) = moved;
    *(was_left ? &nodes[at].right : &nodes[at].left) = up;
    if (moved)
        nodes[moved].up = up;
    nodes[up].up = at;
    update(tree, up);
    update(tree, at);
}

static void hang(orr_tree *tree, orr_tree_at at)
{
    node *nodes = tree->nodes.at;
    orr_tree_at *link = &tree->root, up = 0;
    while (*link) {
        up = *link;
        int order = orr_tree_key_compare(nodes[at].key, nodes[up].key);
        ORR_ASSERT(order != 0, "two items of a tree have one key");
        link = order < 0 ? &nodes[up].left : &nodes[up].right;
    }
    *link = at;
    nodes[at].up = up;
}

orr_tree_at orr_tree_insert(orr_tree *tree, orr_tree_key key, int64_t weight, void *item)
{
    ORR_ASSERT(!isnan(key.major) && !isnan(key.minor), "a key of a tree is NaN");
    orr_tree_at at = take_node(tree);
    uint32_t priority = (uint32_t)(orr_mix64(++tree->inserted) >> 32);
    tree->nodes.at[at] = (node){.key = key, .weight = weight, .least = weight, .item = item, .priority = priority};
    hang(tree, at);
    update_upwards(tree, tree->nodes.at[at].up);
    while (tree->nodes.at[at].up && tree->nodes.at[tree->nodes.at[at].up].priority < priority)
        lift(tree, at);
    tree->count++;
    return at;
}

void orr_tree_remove(orr_tree *tree, orr_tree_at at)
{
    node *nodes = tree->nodes.at;
    while (nodes[at].left && nodes[at].right) {
        bool left_first = nodes[nodes[at].left].priority > nodes[nodes[at].right].priority;
        lift(tree, left_first ? nodes[at].left : nodes[at].right);
    }
    orr_tree_at up = nodes[at].up;
    replace_child(tree, at, nodes[at].left ? nodes[at].left : nodes[at].right);
    update_upwards(tree, up);
    nodes[at] = (node){.left = tree->spare};
    tree->spare = at;
    tree->count--;
}

uint32_t orr_tree_count(const orr_tree *tree)
{
    return tree->count;
}

static orr_tree_at leftmost(const orr_tree *tree, orr_tree_at at)
{
    while (tree->nodes.at[at].left)
        at = tree->nodes.at[at].left;
    return at;
}

/* The nearest node above of which `at` lies to the left: the next in order after the subtree of `at`. */
static orr_tree_at up_and_right(const orr_tree *tree, orr_tree_at at)
{
    const node *nodes = tree->nodes.at;
    orr_tree_at up = nodes[at].up;
    while (up && nodes[up].right == at) {
        at = up;
        up = nodes[at].up;
    }
    return up;
}

orr_tree_at orr_tree_first(const orr_tree *tree)
{
    return leftmost(tree, tree->root);
}

orr_tree_at orr_tree_next(const orr_tree *tree, orr_tree_at at)
{
    orr_tree_at right = tree->nodes.at[at].right;
    return right ? leftmost(tree, right) : up_and_right(tree, at);
}

orr_tree_at orr_tree_after(const orr_tree *tree, orr_tree_key key)
{
    const node *nodes = tree->nodes.at;
    orr_tree_at found = 0;
    for (orr_tree_at at = tree->root; at;) {
        bool later = orr_tree_key_compare(nodes[at].key, key) > 0;
        if (later)
            found = at;
        at = later ? nodes[at].left : nodes[at].right;
    }
    return found;
}

/* The first item of weight <= most in a subtree that has one. */
static orr_tree_at first_light(const orr_tree *tree, orr_tree_at at, int64_t most)
{
    const node *nodes = tree->nodes.at;
    for (;;) {
        orr_tree_at left = nodes[at].left;
        if (left && nodes[left].least <= most)
            at = left;
        else if (nodes[at].weight <= most)
            return at;
        else
            at = nodes[at].right;
    }
}

orr_tree_at orr_tree_after_light(const orr_tree *tree, orr_tree_key key, int64_t most)
{
    const node *nodes = tree->nodes.at;
    for (orr_tree_at at = orr_tree_after(tree, key); at; at = up_and_right(tree, at)) {
        if (nodes[at].weight <= most)
            return at;
        orr_tree_at right = nodes[at].right;
        if (right && nodes[right].least <= most)
            return first_light(tree, right, most);
    }
    return 0;
}

void *orr_tree_item(const orr_tree *tree, orr_tree_at at)
{
    return tree->nodes.at[at].item;
}

orr_tree_key orr_tree_key_of(const orr_tree *tree, orr_tree_at at)
{
    return tree->nodes.at[at].key;
}

int64_t orr_tree_weight_of(const orr_tree *tree, orr_tree_at at)
{
    return tree->nodes.at[at].weight;
}
