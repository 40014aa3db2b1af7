/* Models of the network as text. */
#include "base/text.h"
#include "model/net.h"
#include "model/rule_text.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"none", "alpha-beta", "flows", "phases"};
static const orr_rule_names kinds = {
    .at = names, .count = sizeof names / sizeof *names, .what = "network", .noun = "model",
    .hint = "write none, alpha-beta[,latency=1], flows[,penalty=0] or phases[,stride=1]"};

static bool read_number(const char *text, size_t n, double *out)
{
    return orr_parse_double(text, n, out) && *out >= 0 && *out <= 1e6;
}

/* One KEY=VALUE. */
static bool set(void *self, int kind, const char *item, size_t n)
{
    orr_net_model *m = self;
    if (kind != ORR_NET_NONE && orr_rule_is_key(item, n, "latency"))
        return read_number(item + 8, n - 8, &m->latency);
    if (kind >= ORR_NET_FLOWS && orr_rule_is_key(item, n, "penalty"))
        return read_number(item + 8, n - 8, &m->penalty);
    if (kind == ORR_NET_PHASES && orr_rule_is_key(item, n, "stride"))
        return orr_parse_i64(item + 7, n - 7, &m->stride) && m->stride >= 1 && m->stride <= 1000000000;
    return false;
}

orr_err orr_net_parse(const char *text, orr_net_model *out, orr_error *e)
{
    orr_net_model m = {.latency = 1, .stride = 1};
    int kind;
    orr_err err = orr_rule_parse(&kinds, text, &kind, set, &m, e);
    if (err)
        return err;
    m.kind = (orr_net_kind)kind;
    *out = m;
    return ORR_OK;
}

void orr_net_format(const orr_net_model *m, char *buf, size_t size)
{
    char latency[ORR_DOUBLE_BUF], penalty[ORR_DOUBLE_BUF];
    orr_format_double(m->latency, latency);
    orr_format_double(m->penalty, penalty);
    switch (m->kind) {
    case ORR_NET_NONE:
        snprintf(buf, size, "none");
        break;
    case ORR_NET_ALPHA_BETA:
        snprintf(buf, size, "alpha-beta,latency=%s", latency);
        break;
    case ORR_NET_FLOWS:
        snprintf(buf, size, "flows,latency=%s,penalty=%s", latency, penalty);
        break;
    case ORR_NET_PHASES:
        snprintf(buf, size, "phases,latency=%s,penalty=%s,stride=%lld", latency, penalty, (long long)m->stride);
        break;
    }
}
