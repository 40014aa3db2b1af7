/* The quotas of tenants, for people and for programs. */
#include "config/describe.h"

#include <string.h>

static void add_cell(const orr_cell_quota *cell, const char *before, orr_text *out)
{
    if (cell->pin)
        orr_text_addf(out, "%s%s.%s at %s as %s", before, cell->chain, cell->level, cell->node, cell->pin);
    else
        orr_text_addf(out, "%s%d %s.%s", before, cell->count, cell->chain, cell->level);
}

void orr_describe_tenants_text(const orr_cluster_spec *spec, orr_text *out)
{
    int width = 6; /* "tenant" */
    for (int32_t v = 0; v < orr_cluster_spec_vcs(spec); v++)
        width = (int)strlen(orr_cluster_spec_vc(spec, v)) > width ? (int)strlen(orr_cluster_spec_vc(spec, v)) : width;
    if (orr_cluster_spec_tenants(spec))
        orr_text_addf(out, "\n%-*s  %9s  quota\n", width, "tenant", "gpus");
    for (int32_t v = 0; orr_cluster_spec_tenants(spec) && v < orr_cluster_spec_vcs(spec); v++) {
        const orr_quota quota = orr_cluster_spec_quota(spec, v);
        orr_text_addf(out, "%-*s  %9lld  ", width, orr_cluster_spec_vc(spec, v), (long long)quota.gpus);
        for (int32_t i = 0; i < quota.cell_count; i++)
            add_cell(&quota.cells[i], i ? ", " : "", out);
        orr_text_addf(out, quota.kind == ORR_QUOTA_GPUS ? "anywhere\n" : "\n");
    }
}

static cJSON *cell_json(const orr_cell_quota *cell)
{
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "chain", cell->chain);
    cJSON_AddStringToObject(row, "level", cell->level);
    cJSON_AddNumberToObject(row, "count", cell->count);
    if (!cell->pin)
        return row;
    cJSON_AddStringToObject(row, "pin", cell->pin);
    cJSON_AddStringToObject(row, "node", cell->node);
    return row;
}

void orr_describe_tenants_json(const orr_cluster_spec *spec, cJSON *object)
{
    if (!orr_cluster_spec_tenants(spec))
        return;
    cJSON *list = cJSON_AddArrayToObject(object, "tenants");
    for (int32_t v = 0; v < orr_cluster_spec_vcs(spec); v++) {
        const orr_quota quota = orr_cluster_spec_quota(spec, v);
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "vc", orr_cluster_spec_vc(spec, v));
        cJSON_AddNumberToObject(row, "gpus", (double)quota.gpus);
        cJSON *cells = quota.kind == ORR_QUOTA_CELLS ? cJSON_AddArrayToObject(row, "cells") : NULL;
        for (int32_t i = 0; i < quota.cell_count; i++)
            cJSON_AddItemToArray(cells, cell_json(&quota.cells[i]));
        cJSON_AddItemToArray(list, row);
    }
}
