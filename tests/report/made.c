#define _XOPEN_SOURCE 700
#include "made.h"

#include "base/io.h"
#include "base/text.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS "job_id,gpus,submit,first_start,end,state,jct,wait_total,duration,held,measured\n"
#define ATTEMPTS "job_id,attempt,start,end,gpus,allocation,nodes,reason,overhead\n"
#define TIMELINE "t,entity,metric,value\n"

void made_file(const char *dir, const char *name, const char *text)
{
    orr_text path = {0};
    orr_text_addf(&path, "%s/%s", dir, name);
    FILE *f = fopen(path.at, "wb");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    orr_text_fini(&path);
}

char *made_read(const char *dir, const char *name)
{
    orr_text path = {0};
    orr_error e = {0};
    char *text = NULL;
    size_t n;
    orr_text_addf(&path, "%s/%s", dir, name);
    orr_input *in = orr_input_open(path.at, &e);
    if (!in || orr_input_all(in, &text, &n, &e))
        fail_msg("%s: %s", path.at, e.message);
    orr_input_close(in);
    orr_text_fini(&path);
    return text;
}

static const char *or_else(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

static void write_table(const char *dir, const char *name, const char *header, const char *rows)
{
    orr_text t = {0};
    orr_text_addf(&t, "%s%s", header, or_else(rows, ""));
    made_file(dir, name, t.at);
    orr_text_fini(&t);
}

static void write_summary(const char *dir, const made *m)
{
    orr_text t = {0};
    orr_text_addf(
        &t,
        "{\"schema\":\"orrery.summary/1\",\"policy\":{\"asked\":\"%s\",\"resolved\":\"%s,k=1\"},"
        "\"trace\":{\"name\":\"t.csv\",\"format\":\"orrery-csv\",\"digest\":\"%s\",\"origin\":\"\",\"jobs\":3},"
        "\"cluster\":{\"name\":\"tiny\",\"digest\":\"c1\",\"nodes\":2,\"gpus\":8},\"seed\":1,"
        "\"clock\":\"exact\",\"costs\":\"%s\",\"stop_reason\":\"drained\",\"sim_end\":100,"
        "\"limits\":{\"until\":null},\"measured\":{\"rule\":\"all\",\"n\":%d,\"biased\":%s},"
        "\"jobs\":{\"submitted\":3,\"completed\":2,\"rejected\":1},\"metrics\":{%s}%s%s%s%s%s}",
        or_else(m->policy, "fifo"), or_else(m->policy, "fifo"), or_else(m->trace_digest, "t1"),
        or_else(m->costs, "zero"), m->measured, m->biased ? "true" : "false", or_else(m->metrics, ""),
        m->vcs ? ",\"vcs\":{" : "", or_else(m->vcs, ""), m->vcs ? "}" : "", m->more ? "," : "",
        or_else(m->more, ""));
    made_file(dir, "summary.json", t.at);
    orr_text_fini(&t);
}

static void write_manifest(const char *dir, const made *m)
{
    orr_text t = {0};
    orr_text_addf(&t, "{\"schema\":\"orrery.manifest/1\",\"settings\":{%s},\"wall\":{\"host\":\"here\"}}",
                  or_else(m->settings, ""));
    made_file(dir, "manifest.json", t.at);
    orr_text_fini(&t);
}

orr_result *made_result(const made *m)
{
    char dir[] = "/tmp/orrery-result-XXXXXX";
    orr_error e = {0};
    assert_non_null(mkdtemp(dir));
    write_summary(dir, m);
    write_manifest(dir, m);
    write_table(dir, "jobs.csv", JOBS, m->jobs);
    write_table(dir, "attempts.csv", ATTEMPTS, m->attempts);
    write_table(dir, "timeline.csv", TIMELINE, m->timeline);
    orr_result *r = orr_result_open(dir, &e);
    if (!r)
        fail_msg("%s", e.message);
    return r;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

void made_remove(orr_result *result)
{
    orr_text dir = {0};
    orr_text_addf(&dir, "%s", orr_result_dir(result));
    orr_result_close(result);
    assert_int_equal(nftw(dir.at, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    orr_text_fini(&dir);
}
