/* The engine's serving against queueing theory: every closed form of tests/golden/closed_forms.c with as many
 * requests as its tolerance asks for.
 *
 * usage: bench_queueing [requests [seeds [only those that begin with]]] default: 1e6 requests, 5 seeds
 *
 * Prints what theory says, the mean over seeds, how far it is off in percent beside what is allowed, and the
 * deviation of one seed times the root of its requests, from which the short runs of tests/golden take their
 * tolerances. Exits with 1 if a value is off by more than is allowed. */
#define _POSIX_C_SOURCE 200809L

#include "golden/closed_forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int print(const closed_form *f, const closed_result *r, double seconds)
{
    int bad = 0;
    double spread = 0;
    for (size_t i = 0; i < r->count; i++) {
        const closed_value *v = &r->values[i];
        const double off = v->got / v->expected - 1;
        const bool is_bad = !(fabs(off) <= closed_form_tolerance(f));
        printf("| %s | %s | %.6g | %.6g | %+.2f%s | %.0f |\n", closed_form_id(f), v->what, v->expected, v->got,
               100 * off, is_bad ? " !" : "", 100 * closed_form_tolerance(f));
        spread = fmax(spread, v->spread);
        bad += is_bad;
    }
    fprintf(stderr, "%-32s spread %.1f, %.0f ns a request\n", closed_form_id(f), spread,
            1e9 * seconds / (double)r->requests);
    return bad;
}

int main(int argc, char **argv)
{
    const double requests = argc > 1 ? atof(argv[1]) : 1e6;
    const int seeds = argc > 2 ? atoi(argv[2]) : 5;
    const char *only = argc > 3 ? argv[3] : "";
    int bad = 0;
    puts("| case | value | theory | mean | off % | allowed % |\n|---|---|---|---|---|---|");
    for (size_t i = 0; i < closed_forms_count(); i++) {
        const closed_form *f = closed_form_at(i);
        if (strncmp(closed_form_id(f), only, strlen(only)) != 0)
            continue;
        closed_result r;
        orr_error e = {0};
        const double from = now();
        if (closed_form_run(f, requests, seeds, 1, false, &r, &e)) {
            fprintf(stderr, "%s: %s\n", closed_form_id(f), e.message);
            return 1;
        }
        bad += print(f, &r, now() - from);
        fflush(stdout);
    }
    printf("\n%d out of bounds\n", bad);
    return bad > 0;
}
