/* Figures: TDP by the makers' data sheets, of the module form where there are several (P100 and V100 SXM2, A100 SXM4,
 * H100 SXM5). Idle power is not in data sheets; these are the middles of what users and driver logs report. V100M16 and
 * V100M32 are the names of the openb trace, Volta and Pascal those of Helios (V100, P100). */
#include "model/power.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

static const orr_gpu_power table[] = {
    {"K80", 28, 150},    {"M40", 15, 250},    {"P4", 6, 75},        {"P100", 28, 300},    {"1080Ti", 12, 250},
    {"2080Ti", 15, 250}, {"T4", 10, 70},      {"V100", 35, 300},    {"V100M16", 35, 300}, {"V100M32", 35, 300},
    {"Volta", 35, 300},  {"Pascal", 28, 300}, {"RTX3090", 20, 350}, {"3090", 20, 350},    {"A10", 18, 150},
    {"A10G", 18, 150},   {"A30", 28, 165},    {"A40", 30, 300},     {"A100", 50, 400},    {"L4", 12, 72},
    {"L40S", 35, 350},   {"H100", 70, 700},   {"H200", 75, 700},    {"B200", 140, 1000},  {NULL, 0, 0},
};

const orr_gpu_power *orr_power_table(void)
{
    return table;
}

static int64_t micro(double watts)
{
    return llround(watts * 1e6);
}

static orr_watts of_row(const orr_gpu_power *row)
{
    return (orr_watts){.idle = micro(row->idle), .span = micro(row->tdp) - micro(row->idle)};
}

bool orr_power_of_gpu(const orr_power *power, const char *type, orr_watts *out)
{
    for (size_t i = 0; i < power->gpu_count; i++) {
        if (strcmp(power->gpus[i].type, type) != 0)
            continue;
        *out = of_row(&power->gpus[i]);
        return true;
    }
    for (const orr_gpu_power *row = table; row->type; row++) {
        if (strcmp(row->type, type) != 0)
            continue;
        *out = of_row(row);
        return true;
    }
    return false;
}

int64_t orr_power_of_node(const orr_power *power, orr_node_state state)
{
    switch (state) {
    case ORR_NODE_UP:
    case ORR_NODE_DRAINING:
        return micro(power->host);
    case ORR_NODE_FALLING_ASLEEP:
        return micro(power->falling_asleep);
    case ORR_NODE_ASLEEP:
        return micro(power->asleep);
    case ORR_NODE_WAKING:
        return micro(power->waking);
    default:
        return 0;
    }
}

int64_t orr_power_of_use(const orr_watts *gpu, double util, int32_t milli)
{
    double part = milli > 0 && milli < 1000 ? milli / 1000.0 : 1.0;
    return llround((double)gpu->span * (util < part ? util : part));
}

/* ---- clocks ---- */

static const orr_clock_point full_clock = {"", 1, 1, 1};

static int32_t count_points(const orr_power *power, const char *type, const orr_clock_point **out)
{
    int32_t n = 0;
    for (size_t i = 0; i < power->point_count; i++)
        if (strcmp(power->points[i].type, type) == 0)
            out[n++] = &power->points[i];
    return n;
}

orr_clocks orr_clocks_of(const orr_power *power, const char *type)
{
    orr_clocks c = {.at = orr_xcalloc(power->point_count + 1, sizeof *c.at)};
    c.at[0] = &full_clock;
    c.n = count_points(power, type, c.at + 1);
    if (!c.n)
        c.n = count_points(power, "", c.at + 1);
    c.n++;
    return c;
}

void orr_clocks_fini(orr_clocks *clocks)
{
    free(clocks->at);
}

int32_t orr_clocks_find(const orr_clocks *clocks, double clock)
{
    for (int32_t i = 0; i < clocks->n; i++)
        if (clocks->at[i]->clock == clock)
            return i;
    return -1;
}

orr_watts orr_watts_at(const orr_watts *gpu, const orr_clock_point *point)
{
    return (orr_watts){.idle = gpu->idle, .span = llround((double)gpu->span * point->power)};
}

double orr_joules(orr_wide integral)
{
    return (double)integral / 1e15;
}
