/* Inside the cells: one struct for physical and virtual cells, and what the parts of the method share.
 *
 * Cells of a tree lie in one array a level, so that the children of a cell, and its leaves, are contiguous. A bound
 * pair of a virtual and a physical cell are each other's `peer`. Level 1 is the GPU. */
#ifndef ORR_CLUSTER_CELLS_H
#define ORR_CLUSTER_CELLS_H

#include "base/mem.h"

#include <orrery/cells.h>

enum { ORR_FREE_PRIORITY = -2, ORR_LEVEL_SLOTS = ORR_MAX_LEVELS + 2 };

typedef struct orr_cell orr_cell;

/* The lists a physical cell may be in; each knows the cell's place in it. */
typedef enum orr_cell_in { ORR_IN_FREE, ORR_IN_BAD, ORR_IN_DOOMED, ORR_IN_LISTS } orr_cell_in;

typedef struct orr_cell_list {
    orr_cell **at;
    size_t n, cap;
} orr_cell_list;

struct orr_cell {
    orr_cell *parent, *kids, *leaves;
    orr_cell *root; /* virtual: the preassigned cell above, or itself */
    orr_cell *peer;
    int32_t kid_count, gpus, level, chain;
    int32_t vc;                   /* -1: a physical cell */
    int32_t node, gpu;            /* physical: of its first leaf */
    int32_t priority;             /* of a leaf: whose it is; ORR_FREE_PRIORITY: nobody's */
    int32_t used, low;            /* GPUs held below it; of them by opportunistic gangs */
    uint32_t place[ORR_IN_LISTS]; /* in those lists, + 1; 0: not in it */
    bool bad, split, pinned;
    uint8_t state;            /* of a physical leaf: orr_leaf_state */
    orr_gang *user, *claimer; /* of a physical leaf: who uses it, who has reserved it */
    /* while a placement is mapped */
    uint32_t mark;
    orr_cell *want, *want_last, *want_next, *pick;
};

/* A node, or a quota smaller than a node, as a place for pods. */
typedef struct orr_spot {
    orr_cell *cell;
    int32_t rank; /* 0: healthy and suggested, 1: not suggested, 2: bad */
    int32_t same, higher, free;
    size_t at; /* its place before sorting */
} orr_spot;

typedef struct orr_view {
    orr_spot *at; /* keeps the order of the last ask: ties stay as they were */
    size_t n, cap;
    bool whole; /* packs all priorities together; else away from guaranteed gangs */
} orr_view;

typedef struct orr_chain {
    const char *name, *type;
    int32_t levels, node_level;
    int32_t fan[ORR_LEVEL_SLOTS], gpus[ORR_LEVEL_SLOTS], count[ORR_LEVEL_SLOTS]; /* by level */
    orr_cell *cells[ORR_LEVEL_SLOTS];
    orr_cell_list free[ORR_LEVEL_SLOTS]; /* neither bound nor split, below no free one */
    orr_cell_list bad[ORR_LEVEL_SLOTS];  /* bad ones in or below free ones */
    int32_t left[ORR_LEVEL_SLOTS];       /* in the free lists or to be had by splitting */
    int32_t claims[ORR_LEVEL_SLOTS];     /* preassigned cells of all VCs that aren't bound */
    int32_t doomed[ORR_LEVEL_SLOTS];
    uint32_t stirred; /* levels (bits) at which who is doomed has to be looked at */
    bool put_off;     /* and at others, before it is next asked for room */
    ORR_VEC(orr_leaf) tops;
    orr_view view;
} orr_chain;

/* What a VC has of a chain. */
typedef struct orr_holding {
    orr_cell_list roots; /* preassigned cells, as the quotas were given */
    orr_cell_list doomed[ORR_LEVEL_SLOTS];
    int32_t claims[ORR_LEVEL_SLOTS];
    orr_view view;
} orr_holding;

typedef struct orr_pin {
    const char *name;
    int32_t chain, level;
    orr_leaf leaf;
    orr_cell *root;
    orr_view view;
} orr_pin;

typedef struct orr_cell_vc {
    const char *name;
    orr_holding *of; /* [chains] */
    ORR_VEC(orr_pin) pins;
} orr_cell_vc;

typedef struct orr_cell_row {
    int32_t vc, chain, level, count;
} orr_cell_row;

struct orr_cells {
    orr_arena arena;
    ORR_VEC(orr_chain) chains;
    ORR_VEC(orr_cell_vc) vcs;
    ORR_VEC(orr_cell_row) rows; /* quotas, until the trees are built */
    ORR_VEC(orr_gang *) gangs;
    ORR_VEC(orr_cell *) fresh; /* bound just now: what is bad below them isn't shown yet */
    orr_cell ***leaves; /* [nodes]: its physical leaves, ended by NULL */
    bool *down;         /* [nodes] */
    int32_t nodes;
    uint32_t marks;
};

struct orr_gang {
    orr_cells *cells;
    orr_cells_request request; /* `pin`, `type` and `members` are resolved below */
    orr_pin *pin;
    uint64_t chains; /* where it may go */
    int32_t *asked;  /* GPUs of each pod, ascending; NULL: cut for each chain */
    int32_t asked_pods;
    int32_t gpus;
    size_t place; /* among the cells' gangs */
    orr_gang_state state;
    bool lazy_now;
    bool virtual_now; /* `virtual` holds */
    int32_t *pods;    /* as placed: GPUs of each pod, ascending */
    int32_t pod_count;
    orr_cell **physical, **virtual; /* [gpus] */
    orr_leaf *leaves;               /* [gpus] */
    ORR_VEC(orr_gang *) victims, rivals;
};

/* ---- lists (cells.c) ---- */
void orr_cell_list_add(orr_cell_list *list, orr_cell *cell, orr_cell_in which);
/* The last one takes its place. Nothing where it isn't in the list. */
void orr_cell_list_remove(orr_cell_list *list, orr_cell *cell, orr_cell_in which);
static inline bool orr_cell_is_in(const orr_cell *cell, orr_cell_in which)
{
    return cell->place[which] != 0;
}
/* The physical leaf, or NULL. */
orr_cell *orr_cells_leaf(const orr_cells *cells, orr_leaf leaf);

/* ---- binding (cells_bind.c) ---- */
/* In a free list, or below one that is. */
bool orr_cell_is_free(const orr_cell *p);
/* One GPU is taken; `v` NULL: opportunistically. Binds v, and its ancestors as far as they aren't. */
void orr_leaf_allocate(orr_cells *cells, orr_cell *p, orr_cell *v, int32_t priority);
void orr_leaf_release(orr_cells *cells, orr_cell *p);
/* A physical cell is bound to a preassigned one / isn't any more: keeps free lists and counts. */
void orr_cell_claim(orr_cells *cells, orr_cell *p, int32_t vc);
void orr_cell_unclaim(orr_cells *cells, orr_cell *p, int32_t vc);
void orr_cell_bind(orr_cell *p, orr_cell *v);
void orr_cell_part(orr_cell *p);

/* ---- health (cells_health.c) ---- */
/* How many free cells of each level may be split and VCs still get all they may claim: what is free there
 * less the claims, and the pieces of what may be split of the level above. Negative: they can't. */
void orr_cells_spare(const orr_chain *c, const orr_cell_list free[ORR_LEVEL_SLOTS],
                     const int32_t claims[ORR_LEVEL_SLOTS], int64_t spare[ORR_LEVEL_SLOTS]);
/* Shows bad cells to the VCs they are bound to, and looks who is doomed: at the levels that were stirred, or at all. At
 * the end of what changes bindings or health, and never between a mapping and the taking of what it found. */
void orr_cells_settle(orr_cells *cells, bool all);
void orr_leaf_health(orr_cells *cells, orr_cell *leaf, bool healthy);

/* ---- placing (cells_place.c) ---- */
/* Places pods (GPUs of each, ascending) in a view; `out` gets their leaves. */
bool orr_view_place(orr_view *view, const orr_chain *chain, const int32_t *pods, int32_t pod_count, int32_t priority,
                    const bool *suggested, orr_cell **out);
/* The same, if nobody held anything and all were healthy; says only whether. */
bool orr_view_could(const orr_view *view, const int32_t *pods, int32_t pod_count);

/* ---- mapping (cells_map.c) ---- */
/* Finds physical leaves for virtual ones; `out` gets them. Changes nothing. */
bool orr_cells_map(orr_cells *cells, int32_t chain, orr_cell *const *leaves, int32_t n, const bool *suggested,
                   orr_cell **out);

#endif
