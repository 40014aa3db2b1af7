/* Alibaba's generative serving trace of 2026 (`lora_request_trace`): a row an image request. Lengths of prompts are
 * characters, so they are attributes and no tokens. A request that was PENDING or PROCESSING when the record was taken
 * is censored; the execution time of a pending one is 0, which says that there is none. Times were moved by an offset
 * that its makers keep. */
#include "trace/requests.h"

enum { CREATED, STATUS, SECONDS, GROUP, MODEL, TYPE, PROMPT, NEGATIVE, IMAGES, STEPS, LORAS, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [CREATED] = {"gmt_create", true, false},
    [STATUS] = {"predict_status", true, true},
    [SECONDS] = {"exec_time_seconds", true, false},
    [GROUP] = {"groupId", false, false},
    [MODEL] = {"checkpoint_model_version_id", false, false},
    [TYPE] = {"predict_type", false, true},
    [PROMPT] = {"prompt_length", false, true},
    [NEGATIVE] = {"negative_prompt_length", false, true},
    [IMAGES] = {"num_images_per_prompt", false, true},
    [STEPS] = {"num_inference_steps", false, true},
    [LORAS] = {"num_lora", false, true},
};

typedef struct status {
    const char *word;
    orr_ending ending;
    bool censored;
} status;

static const status statuses[] = {
    {"SUCCEED", ORR_ENDING_DONE, false},
    {"FAILED", ORR_ENDING_FAILED, false},
    {"PENDING", ORR_ENDING_DONE, true},
    {"PROCESSING", ORR_ENDING_DONE, true},
};

static bool take_status(orr_intake *k, orr_cell cell, orr_trace_request *request)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (!orr_same_word(cell.at, statuses[i].word))
            continue;
        request->ending = statuses[i].ending;
        request->censored = statuses[i].censored;
        return true;
    }
    return orr_intake_flaw(k, ORR_FLAW_STATE, &cell);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_request request = orr_trace_request_default();
    request.service = orr_sheet_text(sheet, MODEL);
    request.client = orr_sheet_text(sheet, GROUP);
    if (!orr_take_arrival(k, orr_sheet_cell(sheet, CREATED), &request) ||
        !take_status(k, orr_sheet_cell(sheet, STATUS), &request) ||
        !orr_take_some_duration(k, orr_sheet_cell(sheet, SECONDS), &request.duration))
        return;
    if (request.censored && request.duration == 0)
        request.duration = ORR_TIME_NONE;
    orr_intake_keep_request(k, &request);
}

static orr_err read_genai(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    const orr_err err = orr_sheet_read(&sheet, k, row);
    if (!err)
        orr_trace_note(k->trace, ORR_FLAW_SHIFTED, NULL, 0)->detail =
            "times were shifted by an offset that was not published: neither dates nor hours need be the real ones";
    return err;
}

const orr_format orr_format_genai = {
    .name = "alibaba-genai",
    .label = "alibaba-genai",
    .about = "requests: Alibaba's generative serving trace of 2026",
    .signature = {"gmt_create", "predict_status", "exec_time_seconds"},
    .read = read_genai,
};
