#include "verify/proof.h"

#include <math.h>

bool orr_reals_agree(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

bool orr_cell_is_time(const char *cell, orr_time t)
{
    orr_time read;
    if (t == ORR_TIME_NONE || !cell[0])
        return t == ORR_TIME_NONE && !cell[0];
    return orr_time_parse_seconds(cell, strlen(cell), &read) == ORR_OK && read == t;
}

bool orr_cell_is_count(const char *cell, int64_t n)
{
    int64_t read;
    return orr_parse_i64(cell, strlen(cell), &read) && read == n;
}

bool orr_cell_is_real(const char *cell, double v)
{
    double read;
    if (isnan(v) || !cell[0])
        return isnan(v) && !cell[0];
    return orr_parse_double(cell, strlen(cell), &read) && orr_reals_agree(read, v);
}
