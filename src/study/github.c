/* GitHub's workflow commands: lines on stdout that become annotations beside the code. A step shows ten of each level,
 * so the tenth says how many more there would be. */
#include "study/check_out.h"

enum { MOST = 10 };

void orr_github_escape(const char *text, bool property, orr_text *out)
{
    for (const char *c = text; *c; c++)
        if (*c == '%' || *c == '\r' || *c == '\n' || (property && (*c == ':' || *c == ',')))
            orr_text_addf(out, "%%%02X", (unsigned)(unsigned char)*c);
        else
            orr_text_add(out, c, 1);
}

typedef struct writer {
    const orr_check *check;
    orr_text *out;
    size_t left[2]; /* errors, notices: still to come, this one included */
    size_t said[2];
} writer;

enum { ERROR, NOTICE };

static void say(writer *w, int level, int line, const char *title, const char *message)
{
    static const char *const names[] = {"error", "notice"};
    orr_text more = {0};
    if (w->said[level] == MOST)
        return;
    w->said[level]++;
    orr_text_addf(w->out, "::%s file=", names[level]);
    orr_github_escape(w->check->file, true, w->out);
    if (line > 0)
        orr_text_addf(w->out, ",line=%d", line);
    orr_text_addf(w->out, ",title=");
    orr_github_escape(title, true, w->out);
    orr_text_addf(w->out, "::");
    orr_text_addf(&more, "%s", message);
    if (w->said[level] == MOST && w->left[level] > MOST)
        orr_text_addf(&more, "\nand %zu more", w->left[level] - MOST);
    orr_github_escape(more.at, false, w->out);
    orr_text_addf(w->out, "\n");
    orr_text_fini(&more);
}

static void say_problems(writer *w, const orr_check_problems *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        orr_text message = {0};
        orr_text_addf(&message, "%s%s%s", name, *name ? ": " : "", list->at[i].text);
        say(w, ERROR, list->at[i].line, "not comparable", message.at);
        orr_text_fini(&message);
    }
}

static void say_number(writer *w, const orr_check_case *k, const orr_check_number *x, bool fails)
{
    orr_text title = {0}, message = {0};
    orr_text_addf(&title, "%s %s", x->key, orr_verdict_name(x->judgement.verdict));
    orr_text_addf(&message, "%s: ", k->from->name);
    orr_check_sentence(k, x, &message);
    say(w, fails ? ERROR : NOTICE, x->expected->value->line, title.at, message.at);
    orr_text_fini(&title);
    orr_text_fini(&message);
}

void orr_check_github(const orr_check *c, bool strict, orr_text *out)
{
    writer w = {.check = c, .out = out};
    const size_t better = c->counts[ORR_VERDICT_IMPROVED];
    w.left[ERROR] = c->problems + c->counts[ORR_VERDICT_REGRESSED] + c->counts[ORR_VERDICT_CHANGED] +
                    (strict ? better : 0);
    w.left[NOTICE] = strict ? 0 : better;
    say_problems(&w, &c->general, "");
    for (size_t i = 0; i < c->n; i++)
        say_problems(&w, &c->cases[i].problems, c->cases[i].from->name);
    for (size_t i = 0; i < c->n; i++)
        for (size_t n = 0; n < c->cases[i].numbers.n; n++) {
            const orr_check_number *x = &c->cases[i].numbers.at[n];
            const bool fails = orr_check_fails(x, strict);
            if (fails || x->judgement.verdict == ORR_VERDICT_IMPROVED)
                say_number(&w, &c->cases[i], x, fails);
        }
}

void orr_check_github_output(const orr_check *c, bool strict, orr_text *out)
{
    orr_text_addf(out, "outcome=%s\nstatus=%d\n", orr_check_outcome(c, strict), orr_check_status(c, strict));
    for (int v = 0; v < ORR_VERDICT_NOT_COMPARABLE; v++)
        orr_text_addf(out, "%s=%zu\n", orr_verdict_name((orr_verdict)v), c->counts[v]);
    orr_text_addf(out, "problems=%zu\n", c->problems);
}
