/* What the tests of this folder share: clusters from texts, and tables of inputs that must be refused. */
#ifndef TESTS_CONFIG_GIVEN_H
#define TESTS_CONFIG_GIVEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <orrery/cluster.h>

typedef struct bad_case {
    const char *name, *input;
    orr_err code;
    int line, column;           /* 0: not checked */
    const char *message, *hint; /* parts of them; NULL: not checked */
} bad_case;

/* Reads a text as if it were the file "given". */
orr_cluster_spec *read_text(const char *text, const orr_cluster_options *options, orr_error *e);
/* The same, and fails the test if that doesn't work. */
orr_cluster_spec *must_read(const char *text, const orr_cluster_options *options);
orr_cluster_spec *must_load(const char *text, const orr_cluster_options *options);
/* Every case as a file, or as the argument of -c. */
void check_bad_texts(const bad_case *cases, size_t n);
void check_bad_arguments(const bad_case *cases, size_t n);
/* Nodes and GPUs of a VC. */
void vc_holds(const orr_cluster_spec *spec, const char *vc, int32_t nodes, int64_t gpus);
/* The path of a file of the real data, which not everybody has: then NULL, and a line that says so. */
const char *shared_file(const char *name, char buf[1024]);

#endif
