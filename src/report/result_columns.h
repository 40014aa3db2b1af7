/* The columns of a result's tables and the members of their rows (result.h), each list ended by a NULL name. */
#ifndef ORR_REPORT_RESULT_COLUMNS_H
#define ORR_REPORT_RESULT_COLUMNS_H

#include "report/result.h"
#include "report/rowset.h"

extern const orr_rowset_column orr_result_job_columns[], orr_result_hold_columns[], orr_result_level_columns[];
extern const orr_rowset_column orr_result_latency_columns[];

#endif
