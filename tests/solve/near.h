/* Numbers that must agree: the message shows both. Include it after cmocka.h. */
#ifndef TESTS_SOLVE_NEAR_H
#define TESTS_SOLVE_NEAR_H

#include <math.h>

#define assert_near(got, expected, apart) near_at((got), (expected), (apart), __FILE__, __LINE__)

static inline void near_at(double got, double expected, double apart, const char *file, int line)
{
    if (fabs(got - expected) <= apart || got == expected)
        return;
    print_error("%.17g is not %.17g to within %g\n", got, expected, apart);
    _fail(file, line);
}

#endif
