/* What an estimator that learns may see of a job before it runs. */
#ifndef ORR_PREDICT_SAMPLE_H
#define ORR_PREDICT_SAMPLE_H

#include <orrery/time.h>

typedef struct orr_sample {
    const char *user, *name;
    int32_t vc, gpus;
    orr_date submitted;
} orr_sample;

#endif
