/* All samples of a family stand together, so the numbers of the cases are gone through once a key. */
#include "report/openmetrics.h"
#include "study/check_out.h"

#include <math.h>

static void add_sample(const orr_check_case *k, const orr_check_number *x, size_t seed, orr_text *out)
{
    char buf[ORR_DOUBLE_BUF];
    if (!x->got || isnan(x->got[seed]))
        return;
    orr_openmetrics_name(x->key, x->unit, out);
    orr_text_addf(out, "{");
    orr_openmetrics_label("case", k->from->name, out);
    if (k->from->seeds.n > 1)
        orr_text_addf(out, ",seed=\"%llu\"", (unsigned long long)k->from->seeds.at[seed]);
    orr_format_double(x->got[seed], buf);
    orr_text_addf(out, "} %s\n", buf);
}

static void add_samples(const orr_check *c, const char *key, orr_text *out)
{
    for (size_t i = 0; i < c->n; i++)
        for (size_t n = 0; n < c->cases[i].numbers.n; n++)
            for (size_t s = 0; s < c->cases[i].from->seeds.n; s++)
                if (strcmp(c->cases[i].numbers.at[n].key, key) == 0)
                    add_sample(&c->cases[i], &c->cases[i].numbers.at[n], s, out);
}

static void add_counts(const orr_check *c, orr_text *out)
{
    orr_openmetrics_family("check_numbers", "", "gauge", "numbers of the baseline by verdict", out);
    for (int v = 0; v < ORR_VERDICTS; v++) {
        orr_text_addf(out, "orrery_check_numbers{");
        orr_openmetrics_label("verdict", orr_verdict_name((orr_verdict)v), out);
        orr_text_addf(out, "} %zu\n", c->counts[v]);
    }
}

void orr_check_openmetrics(const orr_check *c, orr_text *out)
{
    orr_names *written = orr_names_create();
    add_counts(c, out);
    for (size_t i = 0; i < c->n; i++)
        for (size_t n = 0; n < c->cases[i].numbers.n; n++) {
            const orr_check_number *x = &c->cases[i].numbers.at[n];
            if (orr_names_find(written, x->key, strlen(x->key)) >= 0)
                continue;
            orr_names_id(written, x->key, strlen(x->key));
            orr_openmetrics_family(x->key, x->unit, "gauge", x->key, out);
            add_samples(c, x->key, out);
        }
    orr_text_addf(out, "# EOF\n");
    orr_names_destroy(written);
}
