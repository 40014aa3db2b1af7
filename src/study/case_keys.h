/* The table of a case's keys, for who goes through all of them. */
#ifndef ORR_STUDY_CASE_KEYS_H
#define ORR_STUDY_CASE_KEYS_H

#include "study/case.h"

extern const orr_keys orr_case_keys; /* fills an orr_case */

#endif
