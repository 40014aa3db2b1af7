/* The published shapes behind synthetic traces, as figures with their sources.
 *
 * philly: GPU counts are the histogram of the 82,247 jobs of the public Philly csv (msr-fiddle/philly-traces,
 *   CC-BY-4.0, as filtered by petuum/adaptdl). Durations are mixtures of lognormals, one for each size from 1 to 8
 *   and two for the wider jobs, fitted to the same csv by expectation maximisation on log duration, and cut at its
 *   longest job (4,628,226 s). A size's mean so follows the published GPU-hours: 2.3 h for one GPU, 36 h for eight,
 *   8 h for 32.
 *   Endings: Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads", ATC'19:
 *   passed 69.3 %, killed 13.5 %, unsuccessful 17.2 %.
 * helios: Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters",
 *   SC'21, and the summary published with its traces, over 1,580,464 GPU jobs: run time median 206 s, mean 6,651.7
 *   s, at most 4,320,009 s; 3.716 GPUs on average, over half of the jobs on one; 7.80e10 GPU-seconds in all, twice
 *   what sizes and durations would give if they were independent; completed 62.4 %, cancelled 22.1 %, failed 15.5 %;
 *   183 days. One lognormal whose median grows by 36 % with each doubling of the GPUs meets all of these; the sizes
 *   are powers of two whose shares were chosen to meet the mean. CPU jobs, the other half of that trace, are not
 *   made.
 * Arrivals by hour and weekday: submissions in the Philly csv, local time of the cluster; used for both shapes.
 */
#ifndef ORR_TRACE_SYNTH_SHAPE_H
#define ORR_TRACE_SYNTH_SHAPE_H

#include <orrery/api.h>

typedef struct synth_part {
    double weight, mu, sigma; /* of ln seconds */
} synth_part;

enum { SYNTH_PARTS = 7 };

typedef struct synth_size {
    int32_t gpus;
    double weight; /* jobs of this size; any scale */
    synth_part parts[SYNTH_PARTS]; /* weights sum to 1; unused ones are 0 */
} synth_size;

typedef struct synth_shape {
    const char *name;
    const synth_size *sizes;
    int32_t size_count;
    double longest;        /* seconds; each part is cut here */
    double gap;            /* usual seconds between submissions */
    double failed, killed; /* shares; the rest is done */
} synth_shape;

#define PHILLY_16                                                                                                      \
    {                                                                                                                  \
        {0.367, 5.245, 1.549}, {0.102, 9.193, 0.750}, {0.531, 11.906, 0.924}                                           \
    }
#define PHILLY_32                                                                                                      \
    {                                                                                                                  \
        {0.357, 7.054, 0.779}, {0.313, 7.136, 3.756}, {0.330, 10.874, 0.146}                                           \
    }

static const synth_size philly_sizes[] = {
    {1, 76627,
     {{0.174, 4.170, 0.161},
      {0.125, 5.019, 0.905},
      {0.146, 6.345, 1.726},
      {0.211, 7.118, 0.616},
      {0.058, 7.801, 0.120},
      {0.201, 8.173, 0.808},
      {0.085, 9.901, 1.653}}},
    {2, 1818, {{0.246, 2.708, 0.407}, {0.410, 2.985, 0.280}, {0.172, 3.904, 1.423}, {0.172, 11.399, 1.240}}},
    {4, 1870, {{0.271, 5.285, 1.108}, {0.244, 9.304, 1.583}, {0.323, 10.882, 1.477}, {0.162, 11.671, 0.421}}},
    {8, 1643, {{0.312, 6.173, 1.549}, {0.258, 9.634, 0.835}, {0.082, 12.138, 0.190}, {0.348, 12.206, 0.924}}},
    {12, 7, PHILLY_16},
    {16, 199, PHILLY_16},
    {24, 7, PHILLY_32},
    {32, 67, PHILLY_32},
    {64, 6, PHILLY_32},
    {128, 3, PHILLY_32},
};

static const synth_size helios_sizes[] = {
    {1, 0.622, {{1, 5.053, 2.66}}},  {2, 0.110, {{1, 5.363, 2.66}}},  {4, 0.100, {{1, 5.673, 2.66}}},
    {8, 0.120, {{1, 5.983, 2.66}}},  {16, 0.025, {{1, 6.293, 2.66}}}, {32, 0.015, {{1, 6.603, 2.66}}},
    {64, 0.006, {{1, 6.913, 2.66}}}, {128, 0.002, {{1, 7.223, 2.66}}},
};

static const synth_shape synth_shapes[] = {
    {"philly", philly_sizes, sizeof philly_sizes / sizeof *philly_sizes, 4628226, 114.4, 0.172, 0.135},
    {"helios", helios_sizes, sizeof helios_sizes / sizeof *helios_sizes, 4320009, 10.0, 0.155, 0.221},
};

/* Monday first; midnight first. */
static const double synth_weekdays[7] = {10136, 12528, 13370, 15114, 16954, 7157, 6988};
static const double synth_hours[24] = {4367, 3374, 3835, 3780, 2400, 3950, 5732, 7159, 3802, 3447, 3510, 2979,
                                       2567, 2415, 2185, 2224, 3021, 2289, 2744, 2496, 3483, 3142, 3885, 3461};

#endif
