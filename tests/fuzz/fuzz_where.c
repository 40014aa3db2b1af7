/* Any text as a condition; one that is understood is asked of a row. */
#include "base/assert.h"
#include "base/mem.h"
#include "base/where.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static orr_where_value get(void *self, size_t column)
{
    (void)self;
    return (orr_where_value){.known = column != 3, .text = "failed", .number = 8, .time = ORR_HOUR};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const orr_where_column columns[] = {
        {"gpus", ORR_WHERE_NUMBER}, {"duration", ORR_WHERE_TIME}, {"state", ORR_WHERE_TEXT}, {"limit", ORR_WHERE_TIME}};
    orr_error e = {0};
    char *text = orr_xstrndup((const char *)data, size);
    orr_where *where = orr_where_parse("where", text, columns, 4, &e);
    ORR_ASSERT((where != NULL) == (e.code == ORR_OK), "a condition or an error");
    if (where)
        orr_where_holds(where, get, NULL);
    orr_where_destroy(where);
    free(text);
    return 0;
}
