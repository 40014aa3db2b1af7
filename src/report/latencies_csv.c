/* latencies.csv: the distributions of latency as quantiles evenly apart, of bounded length. */
#include "base/mem.h"
#include "report/cdf.h"
#include "report/csv.h"

#include <math.h>

enum { SERVICES = 16 };

static void write_service(orr_output *out, const orr_serving *serving, orr_service_id id, const char *name)
{
    if (!orr_serving_samples(serving, id, ORR_SERVING_LATENCY))
        return;
    for (int i = 0; i <= ORR_CURVE_POINTS; i++) {
        const double share = (double)i / ORR_CURVE_POINTS;
        orr_output_csv(out, name);
        orr_csv_double(out, share);
        orr_csv_double(out, orr_serving_quantile(serving, id, ORR_SERVING_LATENCY, share));
        orr_csv_double(out, orr_serving_quantile(serving, id, ORR_SERVING_ALL, share));
        orr_output_text(out, "\n");
    }
}

orr_err orr_latencies_csv_write(const char *path, const orr_serving *serving, orr_error *e)
{
    const orr_services *all = orr_serving_services(serving);
    orr_output *out = orr_output_create(path, e);
    if (!out)
        return e && e->code ? e->code : ORR_E_CREATE;
    orr_output_text(out, "service,share,latency,latency_all\n");
    write_service(out, serving, -1, "*");
    for (int32_t i = 0; i < all->count && i < SERVICES; i++)
        write_service(out, serving, i, all->services[i].name);
    return orr_output_commit(out, e);
}
