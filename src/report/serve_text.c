/* Latency and batch sizes as bars of a terminal. */
#include "report/serve_plots.h"
#include "trace/plot.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 40, ROWS = 24 };

/* The share of all that arrived which was answered within `x`: a quantile joins the next by a line, and behind the last
 * are all that were answered. */
static double share_within(const orr_served *s, double x)
{
    const orr_cdf *c = &s->curves.at[0].cdf;
    size_t i = 0;
    while (i < c->n && c->x[i] <= x)
        i++;
    if (i == 0 || i == c->n)
        return i ? 1 - s->dropped : 0;
    const double step = c->x[i] - c->x[i - 1];
    return c->share[i - 1] + (c->share[i] - c->share[i - 1]) * (x - c->x[i - 1]) / step;
}

/* 1, 2, 5, 10, … times a microsecond. */
static double edge(int i)
{
    static const double parts[] = {1e-6, 2e-6, 5e-6};
    return parts[i % 3] * pow(10, i / 3);
}

static void row(const char *label, double share, double most, orr_text *out)
{
    orr_text_addf(out, "  %-18s %6.1f %%", label, 100 * share);
    if (share > 0) {
        orr_text_addf(out, "  ");
        orr_plot_bar(out, share, most, WIDTH, false);
    }
    orr_text_addf(out, "\n");
}

typedef struct range {
    int first, last; /* edges: those that hold something */
    double most;
} range;

static double between(const orr_served *s, int i)
{
    return share_within(s, edge(i + 1)) - (i ? share_within(s, edge(i)) : 0);
}

static range range_of(const orr_served *s)
{
    const orr_cdf *c = &s->curves.at[0].cdf;
    range r = {0, 0, 0};
    while (r.first < 60 && edge(r.first + 1) < c->x[0])
        r.first++;
    for (r.last = r.first; r.last < 60 && edge(r.last + 1) < c->x[c->n - 1];)
        r.last++;
    for (int i = r.first; i <= r.last; i++)
        r.most = fmax(r.most, between(s, i));
    return r;
}

static void latency(const orr_served *s, orr_text *out)
{
    const range r = range_of(s);
    char to[ORR_TIME_BUF], label[ORR_TIME_BUF + 8];
    orr_text_addf(out, "\nlatency              of all\n");
    for (int i = r.first; i <= r.last; i++) {
        orr_time_human(orr_time_from_seconds(edge(i + 1)), to);
        snprintf(label, sizeof label, "to %s", to);
        row(label, between(s, i), fmax(r.most, s->dropped), out);
    }
    if (s->dropped > 0)
        row("dropped", s->dropped, fmax(r.most, s->dropped), out);
}

static void batches(const orr_served *s, orr_text *out)
{
    double all = 0, most = 0;
    for (size_t i = 0; i < s->batches.n; i++) {
        all += (double)s->batches.at[i].count;
        most = fmax(most, (double)s->batches.at[i].count);
    }
    orr_text_addf(out, "\nbatch size        of batches\n");
    for (size_t i = 0; i < s->batches.n && i < ROWS; i++) {
        char label[24];
        snprintf(label, sizeof label, "%d", (int)s->batches.at[i].size);
        row(label, (double)s->batches.at[i].count / all, most / all, out);
    }
    if (s->batches.n > ROWS)
        orr_text_addf(out, "  and %zu more sizes, up to %d\n", s->batches.n - ROWS,
                      (int)s->batches.at[s->batches.n - 1].size);
}

void orr_served_text(const orr_served *s, orr_text *out)
{
    if (s->curves.n && s->curves.at[0].cdf.n)
        latency(s, out);
    if (s->batches.n)
        batches(s, out);
}
