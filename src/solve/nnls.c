/* Non-negative least squares by active sets (Lawson and Hanson, "Solving Least Squares Problems", chapter 23).
 *
 * However many rows there are, one QR decomposition makes as many of them as there are columns; the sets are solved
 * on those. Columns are scaled to length 1. A column enters where that lessens the error; the one that would most
 * does. What it makes negative leaves.
 */
#include "base/assert.h"
#include "base/mem.h"

#include <orrery/curves.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <math.h>

enum { MOST = ORR_NNLS_COLUMNS };

static const double small = 1e-12; /* of slopes and of lengths, those of all columns and of b being 1 */

typedef struct problem {
    size_t columns, rows;               /* rows <= columns */
    double a[MOST][MOST];               /* [column][row] */
    double b[MOST], length[MOST], size; /* size: of b as it was given */
    double x[MOST];
    bool in[MOST]; /* not held at 0 */
} problem;

static double norm(const double *v, size_t n, size_t stride)
{
    gsl_vector_const_view view = gsl_vector_const_view_array_with_stride(v, stride, n);
    return gsl_blas_dnrm2(&view.vector);
}

/* Rows beyond the columns only add to the error: the triangle is left. */
static void set_triangle(problem *p, const double *a, const double *b, size_t rows)
{
    const size_t n = p->columns, padded = rows > n ? rows : n;
    double *copy = orr_xcalloc(padded * (n + 1), sizeof *copy), *right = copy + padded * n, tau[MOST];
    memcpy(copy, a, rows * n * sizeof *a);
    for (size_t i = 0; i < rows; i++) {
        right[i] = p->size > 0 ? b[i] / p->size : 0;
        for (size_t k = 0; k < n; k++)
            copy[i * n + k] = p->length[k] > 0 ? a[i * n + k] / p->length[k] : 0;
    }
    gsl_matrix_view qr = gsl_matrix_view_array(copy, padded, n);
    gsl_vector_view t = gsl_vector_view_array(tau, n), r = gsl_vector_view_array(right, padded);
    gsl_linalg_QR_decomp(&qr.matrix, &t.vector);
    gsl_linalg_QR_QTvec(&qr.matrix, &t.vector, &r.vector);
    for (size_t i = 0; i < n; i++) {
        p->b[i] = right[i];
        for (size_t k = i; k < n; k++)
            p->a[k][i] = copy[i * n + k];
    }
    free(copy);
}

/* How much faster than nothing the error falls as x[k] grows: the column's product with what is left of b. */
static double slope(const problem *p, size_t k)
{
    double sum = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double left = p->b[i];
        for (size_t c = 0; c < p->columns; c++)
            left -= p->a[c][i] * p->x[c];
        sum += p->a[k][i] * left;
    }
    return sum;
}

/* Least squares over the columns that are in; false: they depend on each other. */
static bool solve(const problem *p, double z[])
{
    size_t which[MOST], count = 0;
    for (size_t k = 0; k < p->columns; k++)
        if (p->in[k])
            which[count++] = k;
    double matrix[MOST * MOST], tau[MOST], right[MOST];
    for (size_t i = 0; i < p->rows; i++)
        for (size_t c = 0; c < count; c++)
            matrix[i * count + c] = p->a[which[c]][i];
    memcpy(right, p->b, sizeof right);
    gsl_matrix_view qr = gsl_matrix_view_array(matrix, p->rows, count);
    gsl_vector_view t = gsl_vector_view_array(tau, count), r = gsl_vector_view_array(right, p->rows);
    gsl_linalg_QR_decomp(&qr.matrix, &t.vector);
    for (size_t c = 0; c < count; c++)
        if (fabs(matrix[c * count + c]) < small)
            return false;
    gsl_linalg_QR_QTvec(&qr.matrix, &t.vector, &r.vector);
    gsl_vector_view x = gsl_vector_view_array(right, count);
    gsl_matrix_view top = gsl_matrix_view_array(matrix, count, count);
    gsl_blas_dtrsv(CblasUpper, CblasNoTrans, CblasNonUnit, &top.matrix, &x.vector);
    memset(z, 0, p->columns * sizeof *z);
    for (size_t c = 0; c < count; c++)
        z[which[c]] = right[c];
    return true;
}

/* Goes from x towards z as far as nothing becomes negative; what became 0 leaves. True: that was all the way. */
static bool go(problem *p, const double z[])
{
    double way = 1;
    for (size_t k = 0; k < p->columns; k++)
        if (p->in[k] && z[k] <= 0)
            way = fmin(way, p->x[k] / (p->x[k] - z[k]));
    bool whole = true;
    for (size_t k = 0; k < p->columns; k++) {
        const bool falls = p->in[k] && z[k] <= 0 && p->x[k] + way * (z[k] - p->x[k]) <= small * p->x[k];
        p->x[k] = falls ? 0 : p->x[k] + way * (z[k] - p->x[k]);
        p->in[k] &= !falls;
        whole &= !falls;
    }
    return whole;
}

/* The column that lessens the error most, of those that aren't barred; `columns`: none does. */
static size_t best_column(const problem *p, const bool barred[])
{
    size_t best = p->columns;
    double most = small;
    for (size_t k = 0; k < p->columns; k++) {
        const double by = p->in[k] || barred[k] ? 0 : slope(p, k);
        if (by <= most)
            continue;
        most = by;
        best = k;
    }
    return best;
}

/* Lets a column in; false: it depends on those that are in, or would go down at once, for rounding. */
static bool enter(problem *p, size_t column)
{
    double z[MOST];
    p->in[column] = true;
    if (!solve(p, z) || z[column] <= 0) {
        p->in[column] = false;
        return false;
    }
    while (!go(p, z) && solve(p, z))
        ;
    return true;
}

double orr_nnls(const double *a, const double *b, size_t rows, size_t columns, double *x)
{
    ORR_ASSERT(rows >= 1 && columns >= 1 && columns <= MOST, "size of a least squares problem");
    problem p = {.columns = columns, .rows = columns, .size = norm(b, rows, 1)};
    for (size_t k = 0; k < columns; k++)
        p.length[k] = norm(a + k, rows, columns);
    set_triangle(&p, a, b, rows);
    bool barred[MOST] = {false};
    size_t column, left = 10 * columns; /* each set is better than the last one: this is for rounding only */
    while (left-- && (column = best_column(&p, barred)) < columns) {
        if (!enter(&p, column))
            barred[column] = true;
        else
            memset(barred, 0, sizeof barred);
    }
    for (size_t k = 0; k < columns; k++)
        x[k] = p.length[k] > 0 ? p.x[k] / p.length[k] * p.size : 0;
    double error = 0;
    for (size_t i = 0; i < rows; i++) {
        double off = -b[i];
        for (size_t k = 0; k < columns; k++)
            off += a[i * columns + k] * x[k];
        error = hypot(error, off);
    }
    return error;
}
