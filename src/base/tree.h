/* An ordered tree of opaque items: by (major, minor, tie), with the least `weight` of each subtree kept, so that "the
 * first item after this one whose weight is at most w" is found without a walk. A treap whose priorities are a hash of
 * the insertion count: the same shape on every machine. All operations O(log n) expected; nodes come from a pool that
 * grows and is reused.
 */
#ifndef ORR_BASE_TREE_H
#define ORR_BASE_TREE_H

#include <orrery/api.h>

typedef struct orr_tree_key {
    double major, minor; /* never NaN */
    uint64_t tie;        /* unique within a tree */
} orr_tree_key;

typedef uint32_t orr_tree_at; /* a place in the tree, valid until that item is removed; 0 = none */

typedef struct orr_tree orr_tree;
orr_tree *orr_tree_create(void);
void orr_tree_destroy(orr_tree *tree);

orr_tree_at orr_tree_insert(orr_tree *tree, orr_tree_key key, int64_t weight, void *item);
void orr_tree_remove(orr_tree *tree, orr_tree_at at);
uint32_t orr_tree_count(const orr_tree *tree);
orr_tree_at orr_tree_first(const orr_tree *tree);
orr_tree_at orr_tree_next(const orr_tree *tree, orr_tree_at at);
/* The first item with key > `key` (strictly). */
orr_tree_at orr_tree_after(const orr_tree *tree, orr_tree_key key);
/* The first item with key > `key` and weight <= `most`. */
orr_tree_at orr_tree_after_light(const orr_tree *tree, orr_tree_key key, int64_t most);
void *orr_tree_item(const orr_tree *tree, orr_tree_at at);
orr_tree_key orr_tree_key_of(const orr_tree *tree, orr_tree_at at);
int64_t orr_tree_weight_of(const orr_tree *tree, orr_tree_at at);

static inline int orr_tree_key_compare(orr_tree_key a, orr_tree_key b)
{
    if (a.major != b.major)
        return a.major < b.major ? -1 : 1;
    if (a.minor != b.minor)
        return a.minor < b.minor ? -1 : 1;
    return a.tie < b.tie ? -1 : a.tie > b.tie;
}

#endif
