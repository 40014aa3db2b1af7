/* Any bytes as a saved model of a generator; one that is taken makes a few jobs. */
#include "base/assert.h"
#include "base/mem.h"
#include "trace/synth_model.h"
#include <orrery/synth.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make(const orr_synth_model *model)
{
    orr_error e = {0};
    orr_synth_options options = orr_synth_options_default();
    options.model = model;
    options.jobs = 20;
    orr_trace *trace = orr_synth(&options, &e);
    ORR_ASSERT((trace != NULL) == (e.code == ORR_OK), "a trace or an error");
    orr_trace_destroy(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    orr_error e = {0};
    char *text = orr_xstrndup((const char *)data, size);
    orr_synth_model *model = orr_synth_model_parse("fuzz", text, strlen(text), &e);
    ORR_ASSERT((model != NULL) == (e.code == ORR_OK), "a model or an error");
    if (model)
        make(model);
    orr_synth_model_destroy(model);
    free(text);
    return 0;
}
