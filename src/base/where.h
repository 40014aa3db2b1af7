/* Conditions over the columns of a table, as people type them:
 *
 *     gpus >= 8 and not (vc in (6214e9, 103959) or state = failed) and duration > 1h30m and known(deadline)
 *
 *   expr   = and {("or" | "||") and}          and = unary {("and" | "&&") unary}
 *   unary  = ("not" | "!") unary | "(" expr ")" | test
 *   test   = column op value | column ["not"] "in" "(" value {"," value} ")" | "known" "(" column ")"
 *   op     = "=" "==" "!=" "<>" "<" "<=" ">" ">=", and "~": the text holds this text
 *
 * The column says what a value is: texts are words or quoted ('…' or "…", doubled inside), numbers are decimals, times
 * are durations ("90", "1.5h"). Right of an operator a number's or time's column may also stand another such column.
 * Columns with odd names go in backticks; there a column may also stand right of a text's. A missing value makes every
 * test but `known` false, also those with != and
 * `not in`; `not` turns that around, as it does any test. Texts have no order: only = != ~ and in.
 */
#ifndef ORR_BASE_WHERE_H
#define ORR_BASE_WHERE_H

#include <orrery/time.h>

typedef enum orr_where_type { ORR_WHERE_TEXT, ORR_WHERE_NUMBER, ORR_WHERE_TIME } orr_where_type;

typedef struct orr_where_column {
    const char *name;
    orr_where_type type;
} orr_where_column;

typedef struct orr_where_value {
    bool known;
    const char *text;
    double number;
    orr_time time;
} orr_where_value;

/* What the row `self` holds in a column, by its index in the table. */
typedef orr_where_value orr_where_get(void *self, size_t column);

typedef struct orr_where orr_where;

/* NULL and `e` on failure: ORR_E_BAD_VALUE with file `name` and the column in the text. The columns are read only here;
 * `text` is copied. */
orr_where *orr_where_parse(const char *name, const char *text, const orr_where_column *columns, size_t n, orr_error *e);
void orr_where_destroy(orr_where *where);
bool orr_where_holds(const orr_where *where, orr_where_get *get, void *self);

#endif
