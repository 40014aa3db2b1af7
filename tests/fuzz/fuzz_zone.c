/* Any bytes as a zone file; one that is taken answers for times over two centuries. */
#include "base/assert.h"
#include "trace/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    orr_error e = {0};
    orr_zone *zone = orr_zone_from_bytes("fuzz", data, size, &e);
    ORR_ASSERT((zone != NULL) == (e.code == ORR_OK), "a zone or an error");
    if (!zone)
        return 0;
    for (int year = 0; year < 200; year++) {
        orr_time utc;
        orr_zone_utc(zone, year * 365 * ORR_DAY - 50 * 365 * ORR_DAY, &utc);
        orr_zone_offset(zone, utc);
    }
    orr_zone_close(zone);
    return 0;
}
