#include <orrery/solve.h>

#include <math.h>

/* Between the two: by ratio where they are of one sign and far apart, so that a wide range costs few steps. */
static double middle(double low, double high)
{
    if (low > 0 && high > 4 * low)
        return sqrt(low) * sqrt(high);
    if (high < 0 && low < 4 * high)
        return -sqrt(-low) * sqrt(-high);
    return low + (high - low) / 2;
}

double orr_bisect(bool (*holds)(void *self, double x), void *self, double low, double high, double apart)
{
    if (!holds(self, high))
        return INFINITY;
    if (holds(self, low))
        return low;
    while (high - low > apart * fmax(fabs(low), fabs(high))) {
        double x = middle(low, high);
        if (!(x > low && x < high))
            break;
        if (holds(self, x))
            high = x;
        else
            low = x;
    }
    return high;
}
