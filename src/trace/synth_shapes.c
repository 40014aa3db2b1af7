/* The published clusters behind synthetic traces, as figures with their sources.
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
 * pai: Weng et al., "MLaaS in the Wild: Workload Analysis and Scheduling in Large-Scale Heterogeneous GPU Clusters",
 *   NSDI'22, and the summary of its trace that Acme's authors published (cluster_summary.csv of InternLM/AcmeTrace),
 *   over 1,037,085 GPU jobs: run time median 480.667 s, mean 4,787.1 s, at most 626,371 s; GPUs asked for: median
 *   0.5, mean 0.683, at most 8. One lognormal, cut, meets the three figures of run time; the shares of the requests
 *   (a tenth to eight GPUs) were chosen to meet those of the GPUs. Gangs: the trace has 7.5 million instances in 1.2
 *   million jobs; the paper says of instances that about 85 % are scheduled as gangs and that 20 % are in gangs of
 *   more than a hundred. The numbers of instances a job were chosen to meet those (5.9 a job, 87 %, 21 %); run time
 *   doesn't depend on them, for want of a figure. GPU types: the machines of the paper's table, by GPUs (MISC 2,240,
 *   P100 1,596, V100M32 1,080, T4 994, V100 832, together the 6,742 of the trace); that one job in four insists on
 *   a type is chosen. Users: the most active 5 % of 1,300 submit 77 % of the instances, which an exponent of 1.2 gives.
 *   Endings aren't published by job; those of helios are used.
 * acme, acme-kalos: Hu et al., "Characterization of Large Language Model Development in the Datacenter", NSDI'24, and
 *   its cluster_summary.csv. Seren, 663,813 GPU jobs: run time median 122 s, mean 1,414 s, at most 1,209,604 s; GPUs
 *   median 1, mean 5.68, at most 1,024; 32,405 GPU-seconds a job; completed, cancelled, failed 49.7, 7.5, 42.9 % of
 *   the jobs and 21.2, 66.4, 12.4 % of the GPU time; pre-training is 0.9 % of the jobs and 69.5 % of the GPU time.
 *   Kalos, 19,907 GPU jobs: 124 s, 1,260 s, 625,740 s; 1, 26.77, 1,024; 267,905 GPU-seconds a job; 54.1, 6.2, 39.7 %
 *   and 31.3, 60.7, 8.0 %; pre-training 3.2 % of the jobs and 94.0 % of the GPU time, evaluation 92.9 and 0.8 %.
 *   Stages, sizes and one lognormal a stage were chosen to meet all of these: the shares of the other stages are not
 *   published. That most pre-training ends by being cancelled is what the shares of GPU time say.
 * gavel: the generator of Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
 * Workloads", OSDI'20,
 *   section 7.1 and the published simulator: 1, 2, 4, 8 GPUs for 70, 10, 15, 5 % of the jobs, whatever runs on them; one job in
 *   five takes 60 * 10^U(3, 4) s on a V100, the others 60 * 10^U(1.5, 3); all end well. Two jobs an hour, which their 108 GPUs
 *   just bear, at any hour alike; there gaps are exponential (`poisson`). Its models come from a throughput table.
 * Arrivals by hour and weekday: submissions in the Philly csv, local time of the cluster; used for all other shapes.
 */
#include "trace/synth_shapes.h"

#include <math.h>

/* One row a size, or a stage and size. */
typedef struct size_row {
    int32_t gpus;
    double weight; /* jobs of this size; any scale */
    synth_part parts[SYNTH_PARTS];
} size_row;

static void add_sizes(orr_synth_model *m, const size_row *rows, size_t n, double failed, double killed)
{
    for (size_t i = 0; i < n; i++) {
        synth_law *law = orr_synth_add_law(m);
        memcpy(law->parts, rows[i].parts, sizeof law->parts);
        law->failed = failed;
        law->killed = killed;
        orr_synth_add_class(m, (synth_class){rows[i].gpus, 1000, (int32_t)i, -1, NULL, rows[i].weight});
    }
}

/* ---- philly ---- */

#define PHILLY_16                                                                                                      \
    {                                                                                                                  \
        {0.367, 5.245, 1.549}, {0.102, 9.193, 0.750},                                                                  \
        {                                                                                                              \
            0.531, 11.906, 0.924                                                                                       \
        }                                                                                                              \
    }
#define PHILLY_32                                                                                                      \
    {                                                                                                                  \
        {0.357, 7.054, 0.779}, {0.313, 7.136, 3.756},                                                                  \
        {                                                                                                              \
            0.330, 10.874, 0.146                                                                                       \
        }                                                                                                              \
    }

static const size_row philly_sizes[] = {
    {1,
     76627,
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

static void make_philly(orr_synth_model *m)
{
    add_sizes(m, philly_sizes, sizeof philly_sizes / sizeof *philly_sizes, 0.172, 0.135);
    m->longest = 4628226;
    m->gap = 114.4;
}

/* ---- helios ---- */

static const size_row helios_sizes[] = {
    {1, 0.622, {{1, 5.053, 2.66}}},  {2, 0.110, {{1, 5.363, 2.66}}},   {4, 0.100, {{1, 5.673, 2.66}}},
    {8, 0.120, {{1, 5.983, 2.66}}},  {16, 0.025, {{1, 6.293, 2.66}}},  {32, 0.015, {{1, 6.603, 2.66}}},
    {64, 0.006, {{1, 6.913, 2.66}}}, {128, 0.002, {{1, 7.223, 2.66}}},
};

static void make_helios(orr_synth_model *m)
{
    add_sizes(m, helios_sizes, sizeof helios_sizes / sizeof *helios_sizes, 0.155, 0.221);
    m->longest = 4320009;
    m->gap = 10;
}

/* ---- pai ---- */

typedef struct pai_row {
    int32_t count, milli;
    double weight;
} pai_row;

/* What an instance asks for. */
static const pai_row pai_requests[] = {
    {1, 100, 0.100},  {1, 250, 0.180},  {1, 500, 0.338},  {1, 1000, 0.346},
    {2, 1000, 0.024}, {4, 1000, 0.008}, {8, 1000, 0.004},
};
static const pai_row pai_instances[] = {
    {1, 0, 0.7754}, {2, 0, 0.050},  {4, 0, 0.040},    {8, 0, 0.040},    {16, 0, 0.025},
    {32, 0, 0.035}, {64, 0, 0.027}, {128, 0, 0.0055}, {256, 0, 0.0021},
};
static const synth_share pai_types[] = {
    {"", 20226}, {"MISC", 2240}, {"P100", 1596}, {"V100M32", 1080}, {"T4", 994}, {"V100", 832},
};

static void make_pai(orr_synth_model *m)
{
    for (size_t r = 0; r < sizeof pai_requests / sizeof *pai_requests; r++) {
        const pai_row *request = &pai_requests[r];
        synth_law *law = orr_synth_add_law(m);
        law->parts[0] = (synth_part){1, 6.176, 2.222};
        law->failed = 0.155;
        law->killed = 0.221;
        for (size_t i = 0; i < sizeof pai_instances / sizeof *pai_instances; i++) {
            const int32_t gpus = request->count * pai_instances[i].count;
            const double weight = request->weight * pai_instances[i].weight;
            orr_synth_add_class(m, (synth_class){gpus, request->milli, (int32_t)r, -1, NULL, weight});
        }
    }
    for (size_t i = 0; i < sizeof pai_types / sizeof *pai_types; i++)
        ORR_VEC_PUSH(&m->types, pai_types[i]);
    m->longest = 626371;
    m->gap = 5.2; /* two months */
    m->user_zipf = 1.2;
}

/* ---- acme ---- */

typedef struct stage {
    const char *name;
    double weight, failed, killed;
    synth_part part; /* one lognormal */
    struct {
        int32_t gpus;
        double weight;
    } sizes[4];
} stage;

/* Medians of 900, 103, 330, 330, 90 and 170 s. */
static const stage seren_stages[] = {
    {"Pretrain", 0.009, 0.01, 0.92, {1, 6.802, 2.2}, {{128, 0.45}, {256, 0.30}, {512, 0.20}, {1024, 0.05}}},
    {"Evaluation", 0.600, 0.4328, 0.0673, {1, 4.635, 1.7}, {{1, 0.93}, {2, 0.04}, {4, 0.03}}},
    {"SFT", 0.070, 0.4328, 0.0673, {1, 5.799, 2.35}, {{8, 0.70}, {16, 0.20}, {32, 0.10}}},
    {"MLLM", 0.070, 0.4328, 0.0673, {1, 5.799, 2.35}, {{8, 0.75}, {16, 0.20}, {32, 0.05}}},
    {"Debug", 0.120, 0.4328, 0.0673, {1, 4.500, 1.75}, {{1, 0.60}, {2, 0.10}, {4, 0.10}, {8, 0.20}}},
    {"Other", 0.131, 0.4328, 0.0673, {1, 5.136, 2.5}, {{1, 0.55}, {2, 0.10}, {4, 0.10}, {8, 0.25}}},
};

/* Medians of 1300, 112, 1500, 200 and 1200 s. */
static const stage kalos_stages[] = {
    {"Pretrain", 0.032, 0.06, 0.64, {1, 7.170, 2.225}, {{256, 0.15}, {512, 0.40}, {1024, 0.45}}},
    {"Evaluation", 0.929, 0.408, 0.043, {1, 4.718, 1.9}, {{1, 0.68}, {2, 0.05}, {4, 0.08}, {8, 0.19}}},
    {"SFT", 0.012, 0.408, 0.043, {1, 7.313, 2.1}, {{32, 0.60}, {64, 0.40}}},
    {"Debug", 0.012, 0.408, 0.043, {1, 5.298, 2.0}, {{8, 0.60}, {16, 0.20}, {64, 0.20}}},
    {"Other", 0.015, 0.408, 0.043, {1, 7.090, 2.2}, {{8, 0.60}, {32, 0.25}, {64, 0.15}}},
};

static void add_stages(orr_synth_model *m, const stage *stages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        synth_law *law = orr_synth_add_law(m);
        law->parts[0] = stages[i].part;
        law->failed = stages[i].failed;
        law->killed = stages[i].killed;
        for (int k = 0; k < 4 && stages[i].sizes[k].gpus > 0; k++) {
            const double weight = stages[i].weight * stages[i].sizes[k].weight;
            orr_synth_add_class(m,
                                (synth_class){stages[i].sizes[k].gpus, 1000, (int32_t)i, -1, stages[i].name, weight});
        }
    }
}

static void make_seren(orr_synth_model *m)
{
    add_stages(m, seren_stages, sizeof seren_stages / sizeof *seren_stages);
    m->longest = 1209604;
    m->gap = 23.9; /* 184 days */
}

static void make_kalos(orr_synth_model *m)
{
    add_stages(m, kalos_stages, sizeof kalos_stages / sizeof *kalos_stages);
    m->longest = 625740;
    m->gap = 798.6;
}

/* ---- gavel ---- */

/* ln of the seconds at a probability. */
static double gavel_length(double u)
{
    const double tens = u < 0.8 ? 1.5 + 1.5 * u / 0.8 : 3 + (u - 0.8) / 0.2;
    return log(60) + log(10) * tens;
}

static void make_gavel(orr_synth_model *m)
{
    static const struct {
        int32_t gpus;
        double weight;
    } rows[] = {{1, 0.70}, {2, 0.10}, {4, 0.15}, {8, 0.05}};
    double *knots = orr_arena_alloc(&m->arena, SYNTH_KNOTS * sizeof *knots);
    for (int i = 0; i < SYNTH_KNOTS; i++)
        knots[i] = gavel_length(orr_synth_knot(i));
    orr_synth_add_law(m)->knots = knots;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        orr_synth_add_class(m, (synth_class){rows[i].gpus, 1000, 0, -1, NULL, rows[i].weight});
    for (int h = 0; h < SYNTH_WEEK; h++)
        m->week[h] = 1;
    m->longest = 600000;
    m->gap = 1800;
}

/* ---- the list ---- */

typedef struct shape {
    orr_synth_shape about;
    void (*make)(orr_synth_model *m);
} shape;

static const shape shapes[] = {
    {{"philly", "Microsoft 2017 (ATC'19): 1 to 128 GPUs, mostly one, minutes to weeks"}, make_philly},
    {{"helios", "SenseTime 2020 (SC'21): 1 to 128 GPUs, wider jobs run longer"}, make_helios},
    {{"pai", "Alibaba PAI 2020 (NSDI'22): shares of GPUs, gangs, five GPU types"}, make_pai},
    {{"acme", "Shanghai AI Lab 2023, Seren (NSDI'24): stages of language models"}, make_seren},
    {{"acme-kalos", "Shanghai AI Lab 2023, Kalos: evaluation by number, pre-training by time"}, make_kalos},
    {{"gavel", "the generator of Gavel (OSDI'20): 1 to 8 GPUs, half an hour to a week, at any hour alike"}, make_gavel},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

size_t orr_synth_shapes(orr_synth_shape *out, size_t room)
{
    for (size_t i = 0; i < SHAPES && i < room; i++)
        out[i] = shapes[i].about;
    return SHAPES;
}

orr_synth_model *orr_synth_shape_model(const char *name, orr_error *e)
{
    const char *names[SHAPES];
    for (size_t i = 0; i < SHAPES; i++) {
        names[i] = shapes[i].about.name;
        if (!name || strcmp(name, names[i]) != 0)
            continue;
        orr_synth_model *m = orr_synth_model_create(names[i], shapes[i].about.about);
        shapes[i].make(m);
        return m;
    }
    orr_synth_unknown(e, "shape", name ? name : "", names, SHAPES);
    return NULL;
}
