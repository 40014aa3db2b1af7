#include "study/check_out.h"

#include <math.h>
#include <stdio.h>

const char *orr_check_outcome(const orr_check *c, bool strict)
{
    static const char *const names[] = {"pass", "fail", "not comparable"};
    return names[orr_check_status(c, strict)];
}

bool orr_check_fails(const orr_check_number *x, bool strict)
{
    const orr_verdict v = x->judgement.verdict;
    return v == ORR_VERDICT_REGRESSED || v == ORR_VERDICT_CHANGED || (strict && v == ORR_VERDICT_IMPROVED);
}

/* ---- numbers ---- */

static void short_form(double v, char *buf, size_t size)
{
    snprintf(buf, size, "%.7g", v);
}

void orr_check_value(double v, double other, const char *unit, orr_text *out)
{
    char buf[ORR_DOUBLE_BUF], second[ORR_DOUBLE_BUF];
    if (isnan(v))
        return;
    short_form(v, buf, sizeof buf);
    short_form(other, second, sizeof second);
    if (strcmp(buf, second) == 0 && (v < other || v > other))
        orr_format_double(v, buf);
    const bool shown = strcmp(unit, "s") == 0 || strcmp(unit, "gpu*s") == 0 || strcmp(unit, "J") == 0;
    orr_text_addf(out, "%s%s%s", buf, shown ? " " : "", shown ? unit : "");
}

static void add_signed(double v, const char *before, orr_text *out)
{
    orr_text_addf(out, "%s%+.7g", before, v);
}

static void add_relative(const orr_judgement *j, const char *before, orr_text *out)
{
    if (!isnan(j->relative))
        orr_text_addf(out, "%s%+.3g %%", before, j->relative * 100);
}

void orr_check_difference(const orr_judgement *j, orr_text *out)
{
    if (isnan(j->difference))
        return;
    if (!(fabs(j->difference) > 0)) {
        orr_text_addf(out, "0");
        return;
    }
    add_signed(j->difference, "", out);
    add_relative(j, " (", out);
    orr_text_addf(out, "%s", isnan(j->relative) ? "" : ")");
}

/* ---- sentences ---- */

static void add_seeds(const orr_check_case *k, const orr_judgement *j, orr_text *out)
{
    const size_t n = k->from->seeds.n;
    if (n < 2)
        return;
    if (!isnan(j->low))
        orr_text_addf(out, ", 95 %% interval %+.5g to %+.5g", j->low, j->high);
    orr_text_addf(out, ", %zu of %zu seeds up, %zu down", j->signs.above, n, j->signs.below);
}

void orr_check_sentence(const orr_check_case *k, const orr_check_number *x, orr_text *out)
{
    const orr_judgement *j = &x->judgement;
    orr_text_addf(out, "%s ", x->key);
    orr_check_value(j->want, j->got, "", out);
    orr_text_addf(out, " \xE2\x86\x92 ");
    orr_check_value(j->got, j->want, x->unit, out);
    add_signed(j->difference, " (", out);
    add_relative(j, ", ", out);
    orr_text_addf(out, ", tolerance ");
    orr_tolerance_text(&x->tolerance, out);
    add_seeds(k, j, out);
    orr_text_addf(out, ")");
}

/* ---- the whole ---- */

static size_t cases_with_problems(const orr_check *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += c->cases[i].problems.n > 0;
    return n;
}

void orr_check_counts(const orr_check *c, orr_text *out)
{
    static const orr_verdict order[] = {ORR_VERDICT_REGRESSED, ORR_VERDICT_CHANGED, ORR_VERDICT_IMPROVED,
                                        ORR_VERDICT_SAME};
    const size_t bad = cases_with_problems(c);
    for (size_t i = 0; i < 4; i++)
        orr_text_addf(out, "%s%zu %s", i ? ", " : "", c->counts[order[i]], orr_verdict_name(order[i]));
    if (bad)
        orr_text_addf(out, "; %zu of %zu cases can't be compared", bad, c->selected);
}

const char *orr_check_advice(const orr_check *c, bool strict)
{
    const int status = orr_check_status(c, strict);
    if (status == 2)
        return "Not everything could be compared, so this is no pass. If the inputs changed on purpose, run --update.";
    if (status == 1)
        return "If this is meant, run --update -m REASON and have the new numbers reviewed.";
    return c->counts[ORR_VERDICT_IMPROVED] ? "Better than expected: run --update -m REASON to expect it from now on."
                                           : "";
}
