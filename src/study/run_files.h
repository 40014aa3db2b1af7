/* The files of one run in its folder: those written while it goes, and those written after it. */
#ifndef ORR_STUDY_RUN_FILES_H
#define ORR_STUDY_RUN_FILES_H

#include "log/sink.h"
#include "study/case.h"

/* What is open while the run goes. Zeroed memory is none. */
typedef struct orr_run_files {
    orr_csv_sink *attempts, *timeline;
    orr_csv_sink *requests; /* NULL: not asked for */
    orr_csv_sink *serving;  /* NULL: nothing is served */
    orr_log_sink *log; /* NULL: none is wanted */
} orr_run_files;

/* Makes the folder, opens the files, and lets them listen behind `fanout`. */
orr_err orr_run_files_open(orr_run_files *files, const orr_case *c, const orr_case_hooks *hooks,
                           const orr_cluster_spec *cluster, orr_fanout *fanout, orr_error *e);
/* Opens what tells of services, if there are any: serving.csv, and requests.csv where `write` asks for it. */
orr_err orr_run_files_serving(orr_run_files *files, const orr_case_hooks *hooks, const orr_services *services,
                               orr_error *e);
/* Both as one listener; false: there is none. */
bool orr_run_files_listener(const orr_run_files *files, orr_serving_sink *out);
/* What takes nothing else: files that aren't complete vanish. */
void orr_run_files_abandon(orr_run_files *files);

/* What the files after the run are made from. */
typedef struct orr_run_done {
    const orr_case *c;
    const orr_case_hooks *hooks;
    const orr_report_run *report;
    const orr_collector *collector;
    const orr_serving *serving; /* NULL: there was none */
    double wall_s, decide_us[3];
} orr_run_done;

/* Completes the open files and writes the others, the manifest last but for the extras. A file that fails doesn't keep
 * the others from being written: its error is added to `failed`. */
void orr_run_files_finish(orr_run_files *files, const orr_run_done *done, orr_case_result *result);

/* run_manifest.c: manifest.json. */
orr_err orr_run_manifest(const orr_run_done *done, orr_text *out, orr_error *e);

#endif
