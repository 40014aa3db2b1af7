/* Memory. Allocation never returns NULL: out of memory ends the process with one line on stderr and status 71, the one
 * place where the library exits. `orr_arena` hands out memory that is freed all at once.
 */
#ifndef ORR_BASE_MEM_H
#define ORR_BASE_MEM_H

#include <orrery/api.h>
#include <stdlib.h>
#include <string.h>

/* For callers of libraries that report it: the one line on stderr, then the end. `size` 0: not known. */
_Noreturn void orr_out_of_memory(size_t size);

void *orr_xmalloc(size_t size);
void *orr_xcalloc(size_t count, size_t size);
void *orr_xrealloc(void *p, size_t count, size_t size); /* count * size is checked */
char *orr_xstrdup(const char *s);
char *orr_xstrndup(const char *s, size_t n);

typedef struct orr_arena_block orr_arena_block;
/* Zeroed memory is a valid empty arena. */
typedef struct orr_arena {
    orr_arena_block *head;
    size_t used, total; /* of the head block; bytes taken in all */
} orr_arena;
void *orr_arena_alloc(orr_arena *a, size_t size); /* zeroed, aligned to 16 */
char *orr_arena_strdup(orr_arena *a, const char *s, size_t n);
void orr_arena_reset(orr_arena *a); /* keeps one block for reuse */
void orr_arena_fini(orr_arena *a);

/* Growable arrays: `struct { T *at; size_t n, cap; }`. Macros, since C has no generics; each argument once. */
#define ORR_VEC(T)                                                                                                     \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        size_t n, cap;                                                                                                 \
    }
void *orr_vec_grow(void *at, size_t *cap, size_t need, size_t size);
#define ORR_VEC_RESERVE(v, need)                                                                                       \
    ((need) > (v)->cap ? (void)((v)->at = orr_vec_grow((v)->at, &(v)->cap, (need), sizeof *(v)->at)) : (void)0)
#define ORR_VEC_PUSH(v, value) (ORR_VEC_RESERVE((v), (v)->n + 1), (v)->at[(v)->n++] = (value))
#define ORR_VEC_FREE(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

#endif
