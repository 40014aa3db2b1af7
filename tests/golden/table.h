/* A CSV file in memory, plain or compressed, looked at by row and name of the column. */
#ifndef TESTS_GOLDEN_TABLE_H
#define TESTS_GOLDEN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct table {
    char ***rows; /* rows[0] is the header */
    size_t rows_all, columns, count; /* `count`: without the header */
} table;

/* Fails the test if the file can't be read or a row has another number of fields than the header. */
table *table_read(const char *path);
void table_free(table *t);
bool table_has(const table *t, const char *column);
/* The test fails on a column that isn't there, or a number that isn't one. */
const char *table_text(const table *t, size_t row, const char *column);
int64_t table_number(const table *t, size_t row, const char *column);

#endif
