/* Tetrahedra are filed by the squares of a grid over the first two axes that their shadows may touch. */
#define _POSIX_C_SOURCE 200809L
#include "solve/mesh.h"

#include "base/mem.h"

#include <libqhull_r/qhull_ra.h>
#include <math.h>
#include <stdio.h>

static const double flat = 1e-12;    /* volume by the product of the edges at a corner, below which there is none */
static const double touching = 1e-9; /* so far outside still counts as on the face */

enum { GRID = 64 };

typedef struct tetrahedron {
    int32_t corner[4];
    double origin[3], inverse[9]; /* of the matrix whose columns are the edges from the last corner */
} tetrahedron;

typedef struct grid {
    double low[2], size[2]; /* of a square; > 0 */
    size_t first[GRID * GRID + 1];
    int32_t *filed;
} grid;

struct orr_mesh {
    ORR_VEC(tetrahedron) all;
    grid grid;
};

/* ---- one tetrahedron ---- */

static double length(const double e[3])
{
    return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* False: it is flat. Rows of the inverse are cross products of the edges by the determinant. */
static bool prepare(tetrahedron *t, const double *points)
{
    double edge[3][3], sizes = 1;
    for (int d = 0; d < 3; d++)
        t->origin[d] = points[3 * (size_t)t->corner[3] + (size_t)d];
    for (int i = 0; i < 3; i++) {
        for (int d = 0; d < 3; d++)
            edge[i][d] = points[3 * (size_t)t->corner[i] + (size_t)d] - t->origin[d];
        sizes *= length(edge[i]);
    }
    for (int i = 0; i < 3; i++)
        cross(edge[(i + 1) % 3], edge[(i + 2) % 3], &t->inverse[3 * i]);
    const double volume = edge[0][0] * t->inverse[0] + edge[0][1] * t->inverse[1] + edge[0][2] * t->inverse[2];
    if (!(fabs(volume) > flat * sizes))
        return false;
    for (int i = 0; i < 9; i++)
        t->inverse[i] /= volume;
    return true;
}

static bool holds(const tetrahedron *t, const double at[3], double weight[4])
{
    const double d[3] = {at[0] - t->origin[0], at[1] - t->origin[1], at[2] - t->origin[2]};
    weight[3] = 1;
    for (int i = 0; i < 3; i++) {
        weight[i] = t->inverse[3 * i] * d[0] + t->inverse[3 * i + 1] * d[1] + t->inverse[3 * i + 2] * d[2];
        if (weight[i] < -touching)
            return false;
        weight[3] -= weight[i];
    }
    return weight[3] >= -touching;
}

/* ---- the grid ---- */

static int square(const grid *g, int axis, double x)
{
    const double at = floor((x - g->low[axis]) / g->size[axis]);
    return at < 0 ? 0 : at >= GRID ? GRID - 1 : (int)at;
}

static void set_grid(grid *g, const double *points, size_t n)
{
    for (size_t axis = 0; axis < 2; axis++) {
        double low = points[axis], high = low;
        for (size_t i = 1; i < n; i++) {
            low = fmin(low, points[3 * i + axis]);
            high = fmax(high, points[3 * i + axis]);
        }
        g->low[axis] = low;
        g->size[axis] = high > low ? (high - low) / GRID : 1;
    }
}

/* Calls nothing twice for a square: counts with `filed` NULL, files otherwise. */
static void file_one(grid *g, const double *points, const tetrahedron *t, int32_t number, size_t *next)
{
    int from[2], to[2];
    for (size_t axis = 0; axis < 2; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 4; i++) {
            low = fmin(low, points[3 * (size_t)t->corner[i] + axis]);
            high = fmax(high, points[3 * (size_t)t->corner[i] + axis]);
        }
        from[axis] = square(g, (int)axis, low);
        to[axis] = square(g, (int)axis, high);
    }
    for (int x = from[0]; x <= to[0]; x++)
        for (int y = from[1]; y <= to[1]; y++) {
            const size_t place = next[x * GRID + y]++;
            if (g->filed)
                g->filed[place] = number;
        }
}

static void file_all(orr_mesh *m, const double *points)
{
    grid *g = &m->grid;
    size_t *next = orr_xcalloc(GRID * GRID, sizeof *next);
    for (size_t i = 0; i < m->all.n; i++)
        file_one(g, points, &m->all.at[i], (int32_t)i, next);
    for (size_t s = 0; s < GRID * GRID; s++) {
        g->first[s + 1] = g->first[s] + next[s];
        next[s] = g->first[s];
    }
    g->filed = orr_xcalloc(g->first[GRID * GRID] + 1, sizeof *g->filed);
    for (size_t i = 0; i < m->all.n; i++)
        file_one(g, points, &m->all.at[i], (int32_t)i, next);
    free(next);
}

/* ---- making one ---- */

orr_mesh *orr_mesh_of(const double *points, size_t n, const int32_t *corners, size_t count)
{
    orr_mesh *m = orr_xcalloc(1, sizeof *m);
    for (size_t i = 0; i < count; i++) {
        tetrahedron t;
        memcpy(t.corner, corners + 4 * i, sizeof t.corner);
        if (prepare(&t, points))
            ORR_VEC_PUSH(&m->all, t);
    }
    if (!m->all.n) {
        orr_mesh_destroy(m);
        return NULL;
    }
    set_grid(&m->grid, points, n);
    file_all(m, points);
    return m;
}

typedef ORR_VEC(int32_t) corners;

static void take_facets(qhT *qh, corners *out)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    FORALLfacets
    {
        if (facet->upperdelaunay || qh_setsize(qh, facet->vertices) != 4)
            continue;
        FOREACHvertex_(facet->vertices)
            ORR_VEC_PUSH(out, qh_pointid(qh, vertex->point));
    }
}

/* Its messages are dropped: that the points span no space is all there is to say. */
static void run_qhull(double *points, size_t n, FILE *messages, corners *out)
{
    qhT qh;
    int kept, left;
    char command[] = "qhull d Qbb Qc Qz Q12 Qt";
    qh_zero(&qh, messages);
    if (qh_new_qhull(&qh, 3, (int)n, points, False, command, NULL, messages) == 0)
        take_facets(&qh, out);
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &kept, &left);
}

orr_mesh *orr_mesh_delaunay(const double *points, size_t n)
{
    char *said = NULL;
    size_t size = 0;
    corners found = {0};
    FILE *messages = n >= 5 ? open_memstream(&said, &size) : NULL;
    if (messages) {
        double *copy = orr_xcalloc(3 * n, sizeof *copy); /* Qhull may scale them */
        memcpy(copy, points, 3 * n * sizeof *copy);
        run_qhull(copy, n, messages, &found);
        free(copy);
        fclose(messages);
    }
    free(said);
    static const int32_t only[] = {0, 1, 2, 3};
    orr_mesh *m = n == 4 ? orr_mesh_of(points, n, only, 1) : found.n ? orr_mesh_of(points, n, found.at, found.n / 4) : NULL;
    ORR_VEC_FREE(&found);
    return m;
}

void orr_mesh_destroy(orr_mesh *m)
{
    if (!m)
        return;
    ORR_VEC_FREE(&m->all);
    free(m->grid.filed);
    free(m);
}

/* ---- asking ---- */

size_t orr_mesh_count(const orr_mesh *m)
{
    return m->all.n;
}

bool orr_mesh_find(const orr_mesh *m, const double at[3], orr_mesh_place *place)
{
    const grid *g = &m->grid;
    const int s = square(g, 0, at[0]) * GRID + square(g, 1, at[1]);
    for (size_t i = g->first[s]; i < g->first[s + 1]; i++) {
        const tetrahedron *t = &m->all.at[g->filed[i]];
        if (!holds(t, at, place->weight))
            continue;
        memcpy(place->corner, t->corner, sizeof place->corner);
        return true;
    }
    return false;
}
