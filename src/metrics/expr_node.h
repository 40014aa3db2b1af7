/* What a parsed expression looks like inside: nodes that refer to each other by index. Those of aggregates are
 * evaluated once, those below them for each row. */
#ifndef ORR_METRICS_EXPR_NODE_H
#define ORR_METRICS_EXPR_NODE_H

#include "base/mem.h"
#include "metrics/expr.h"

typedef enum orr_expr_kind {
    ORR_EXPR_NUMBER, ORR_EXPR_KEY, ORR_EXPR_AGGREGATE, ORR_EXPR_COLUMN, ORR_EXPR_RHO_FIXED,
    ORR_EXPR_ADD, ORR_EXPR_SUB, ORR_EXPR_MUL, ORR_EXPR_DIV, ORR_EXPR_NEG
} orr_expr_kind;

typedef enum orr_expr_of {
    ORR_OF_MEAN, ORR_OF_SUM, ORR_OF_MIN, ORR_OF_MAX, ORR_OF_GEOMEAN, ORR_OF_STDDEV, ORR_OF_CV, ORR_OF_QUANTILE,
    ORR_OF_COUNT, ORR_OF_SHARE
} orr_expr_of;

typedef struct orr_expr_node {
    orr_expr_kind kind;
    bool is_time;
    uint32_t a, b;   /* operands; of KEY: which text; of AGGREGATE: which aggregate; of COLUMN: which column */
    double number;
    int64_t n;       /* of RHO_FIXED */
} orr_expr_node;

typedef struct orr_expr_aggregate {
    orr_expr_of of;
    double p;         /* of QUANTILE, 0..1 */
    uint32_t value;   /* the row's value; not of COUNT and SHARE */
    orr_where *meets; /* of COUNT and SHARE; NULL: every row does */
    orr_where *where; /* NULL: every row */
    bool of_all;
} orr_expr_aggregate;

struct orr_expr {
    char *text;
    ORR_VEC(orr_expr_node) nodes;
    ORR_VEC(orr_expr_aggregate) aggregates;
    ORR_VEC(char *) keys;
    uint32_t root;
};

#endif
