/* Points in space and the tetrahedra between them, for functions that are known at the points and linear in each
 * tetrahedron.
 *
 * The triangulation is Delaunay's, by Qhull, or one that is given. Grids have many, so tetrahedra may be flat and
 * neighbours may not meet face to face: flat ones are left out, and of several that hold a place the first counts.
 * Const once made.
 */
#ifndef ORR_SOLVE_MESH_H
#define ORR_SOLVE_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct orr_mesh orr_mesh;

/* A place as a mean of the corners around it. The weights add up to 1. */
typedef struct orr_mesh_place {
    int32_t corner[4]; /* points, by number */
    double weight[4];
} orr_mesh_place;

/* `points` is [n][3] and copied. NULL: the points span no space (fewer than 4, all in a plane). */
orr_mesh *orr_mesh_delaunay(const double *points, size_t n);
/* With these tetrahedra, [count][4] numbers of points, all within 0..n-1. NULL: all of them are flat. */
orr_mesh *orr_mesh_of(const double *points, size_t n, const int32_t *corners, size_t count);
void orr_mesh_destroy(orr_mesh *mesh);

size_t orr_mesh_count(const orr_mesh *mesh); /* tetrahedra that aren't flat */
/* False: outside. Looks only at the tetrahedra above and below the place's square of the grid on the first two axes. */
bool orr_mesh_find(const orr_mesh *mesh, const double at[3], orr_mesh_place *place);

#endif
