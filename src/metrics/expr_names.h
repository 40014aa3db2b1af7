/* The names that may stand in an expression: functions, columns, keys. And what to tell who mistyped one. */
#ifndef ORR_METRICS_EXPR_NAMES_H
#define ORR_METRICS_EXPR_NAMES_H

#include "metrics/expr_node.h"

/* Fills `of` and `p`; false: no function has this name. */
bool orr_expr_function(const char *name, orr_expr_aggregate *a);
/* "rho:fixed_n=8" with whatever follows it: `rest` is that. False: not such a name. */
bool orr_expr_fixed_n(const char *name, int64_t *n, const char **rest);
/* Its index; -1: there is none. */
int64_t orr_expr_column(const char *name, orr_where_type *type);
/* "rho." is short for "rho:avg_n."; `full` is the key as metrics are asked for it. False: no metric has it. */
bool orr_expr_key(const char *name, char full[160], bool *is_time);

/* Add a hint to an error that was set. */
void orr_expr_hint_function(const char *name, orr_error *e);
void orr_expr_hint_column(const char *name, orr_error *e);
void orr_expr_hint_key(const char *name, orr_error *e);

#endif
