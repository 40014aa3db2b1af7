#include "formats.h"

#include "config/reader.h"
#include "trace/reader.h"

size_t formats_of_traces(const char *names[FORMATS_MAX])
{
    size_t n;
    const orr_format *const *all = orr_formats(&n);
    for (size_t i = 0; i < n; i++)
        names[i] = all[i]->name;
    names[n] = NULL;
    return n;
}

size_t formats_of_clusters(const char *names[FORMATS_MAX])
{
    const orr_cluster_reader *const all[] = {&orr_reader_yaml,      &orr_reader_helios_vc, &orr_reader_helios_daily,
                                             &orr_reader_philly_vc, &orr_reader_tiresias,  &orr_reader_openb};
    size_t n = 0;
    for (; n < sizeof all / sizeof *all; n++)
        names[n] = all[n]->format;
    names[n] = NULL;
    return n;
}

orr_err formats_check(const char *name, orr_error *e)
{
    const char *names[FORMATS_MAX];
    const size_t n = formats_of_traces(names);
    for (size_t i = 0; i < n; i++)
        if (!name || strcmp(names[i], name) == 0)
            return ORR_OK;
    orr_error_set(e, ORR_E_BAD_VALUE, "no trace format has this name");
    orr_error_text(e, name, strlen(name));
    const char *near = orr_nearest(name, names, n);
    if (near)
        orr_error_hint(e, "did you mean %s?", near);
    else
        orr_error_hint(e, "`orrery version` lists the formats");
    return ORR_E_BAD_VALUE;
}
