/* What a result keeps alive: the report and the texts it points to, at a place that doesn't move. */
#ifndef ORR_STUDY_STORY_H
#define ORR_STUDY_STORY_H

#include "study/case.h"

struct orr_case_story {
    orr_report_run report;
    orr_sim_options options;
    orr_error sim_error; /* as the simulation gave it */
    orr_exprs asked;
    orr_custom *custom;
    orr_text label; /* of orr_case_label */
    orr_arena texts;
};

/* The options of the case; texts are borrowed from it, "" as NULL. */
orr_sim_options orr_case_options(const orr_case *c, const orr_stock *stock);
/* A story that says what was asked, of inputs that the stock has; all that came of it is still zero. */
struct orr_case_story *orr_story_begin(const orr_case *c, orr_stock *stock, orr_error *e);
void orr_story_destroy(struct orr_case_story *story);
/* Gives the story to a result without metrics and summary yet. */
void orr_story_tell(struct orr_case_story *story, orr_case_result *result);

#endif
