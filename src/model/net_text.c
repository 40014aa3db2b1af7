/* Models of the network as text. */
#include "base/text.h"
#include "model/net.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"none", "alpha-beta", "flows", "phases"};
enum { KINDS = sizeof names / sizeof *names };

static orr_err wrong(const char *text, size_t n, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "the network can't be '%.*s': %s", (int)(n < 80 ? n : 80), text, why);
    orr_error_hint(e, "write none, alpha-beta[,latency=1], flows[,penalty=0] or phases[,stride=1]");
    return ORR_E_BAD_VALUE;
}

static bool find_kind(const char *name, size_t n, orr_net_kind *out)
{
    for (int i = 0; i < KINDS; i++) {
        if (strlen(names[i]) != n || memcmp(names[i], name, n) != 0)
            continue;
        *out = (orr_net_kind)i;
        return true;
    }
    return false;
}

static bool is_key(const char *item, size_t n, const char *key)
{
    const size_t k = strlen(key);
    return n > k && memcmp(item, key, k) == 0 && item[k] == '=';
}

static bool read_number(const char *text, size_t n, double *out)
{
    return orr_parse_double(text, n, out) && *out >= 0 && *out <= 1e6;
}

/* One KEY=VALUE. */
static bool set(orr_net_model *m, const char *item, size_t n)
{
    if (m->kind != ORR_NET_NONE && is_key(item, n, "latency"))
        return read_number(item + 8, n - 8, &m->latency);
    if (m->kind >= ORR_NET_FLOWS && is_key(item, n, "penalty"))
        return read_number(item + 8, n - 8, &m->penalty);
    if (m->kind == ORR_NET_PHASES && is_key(item, n, "stride"))
        return orr_parse_i64(item + 7, n - 7, &m->stride) && m->stride >= 1 && m->stride <= 1000000000;
    return false;
}

orr_err orr_net_parse(const char *text, orr_net_model *out, orr_error *e)
{
    orr_net_model m = {.latency = 1, .stride = 1};
    const char *item = text ? text : "";
    size_t n = strcspn(item, ",");
    if (n && !find_kind(item, n, &m.kind))
        return wrong(item, n, "there is no such model", e);
    while (item[n]) {
        item += n + 1;
        n = strcspn(item, ",");
        if (!set(&m, item, n))
            return wrong(item, n, "the model has no such setting", e);
    }
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
