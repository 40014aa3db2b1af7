#include "model/rate.h"

double orr_rate_linear(const orr_job *job, int32_t gpus)
{
    if (gpus == job->record->gpus)
        return 1.0;
    return (double)gpus / job->record->gpus;
}
