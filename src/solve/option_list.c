/* Options as they are added, class by class. */
#include <orrery/solve.h>

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

void orr_option_list_clear(orr_option_list *l)
{
    l->classes = l->options = 0;
}

void orr_option_list_fini(orr_option_list *l)
{
    free(l->first);
    free(l->chosen);
    free(l->pool);
    free(l->size);
    free(l->cost);
    *l = (orr_option_list){0};
}

void orr_option_list_class(orr_option_list *l)
{
    if (l->classes == l->classes_room) {
        l->classes_room = l->classes_room ? 2 * l->classes_room : 64;
        l->first = orr_xrealloc(l->first, (size_t)l->classes_room + 1, sizeof *l->first);
        l->chosen = orr_xrealloc(l->chosen, (size_t)l->classes_room, sizeof *l->chosen);
    }
    l->first[l->classes++] = l->options;
    l->first[l->classes] = l->options;
}

void orr_option_list_add(orr_option_list *l, double cost, int32_t pool, int32_t size)
{
    if (l->options == l->options_room) {
        l->options_room = l->options_room ? 2 * l->options_room : 256;
        l->pool = orr_xrealloc(l->pool, (size_t)l->options_room, sizeof *l->pool);
        l->size = orr_xrealloc(l->size, (size_t)l->options_room, sizeof *l->size);
        l->cost = orr_xrealloc(l->cost, (size_t)l->options_room, sizeof *l->cost);
    }
    l->cost[l->options] = cost;
    l->pool[l->options] = pool;
    l->size[l->options] = size;
    l->first[l->classes] = ++l->options;
}

bool orr_option_list_choose(orr_option_list *l, const int32_t *room, int32_t pools)
{
    const orr_options o = {.classes = l->classes, .pools = pools, .first = l->first, .cost = l->cost,
                           .pool = l->pool, .size = l->size, .room = room};
    return l->classes == 0 || orr_choose_options(&o, l->chosen, NULL) < INFINITY;
}
