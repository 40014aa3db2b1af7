/* The simulator's own accessors; the only place of this folder that names them. */
#include "metrics/access.h"

orr_job_access orr_job_access_default(void)
{
    return (orr_job_access){.index = orr_job_index, .vc = orr_job_vc, .id = orr_job_id};
}
