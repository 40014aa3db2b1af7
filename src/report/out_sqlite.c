/* The tables are made from the lists of columns by which results are read. One transaction without a journal, since the
 * file gets its name only when it is whole; SQLite itself puts nothing into it that varies from run to run. */
#define _POSIX_C_SOURCE 200809L
#include "report/out.h"

#ifdef ORR_HAVE_SQLITE

#include "base/mem.h"
#include "base/text.h"
#include "report/result_columns.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

typedef struct database {
    sqlite3 *db;
    sqlite3_stmt *insert; /* of the table being filled */
    const orr_rowset_column *columns;
    const char *path; /* of the temporary file */
    orr_error *e;
} database;

static orr_err fail(database *d)
{
    orr_error_set(d->e, ORR_E_WRITE, "writing the database failed: %s", sqlite3_errmsg(d->db));
    orr_error_at(d->e, d->path, 0, 0);
    return ORR_E_WRITE;
}

static orr_err execute(database *d, const char *sql)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ORR_OK : fail(d);
}

static orr_err prepare(database *d, const char *sql)
{
    return sqlite3_prepare_v2(d->db, sql, -1, &d->insert, NULL) == SQLITE_OK ? ORR_OK : fail(d);
}

static orr_err step(database *d)
{
    const bool done = sqlite3_step(d->insert) == SQLITE_DONE;
    sqlite3_reset(d->insert);
    return done ? ORR_OK : fail(d);
}

/* ---- tables of rows ---- */

static const char *type_of(orr_rowset_cell cell)
{
    switch (cell) {
    case ORR_ROWSET_TEXT:
        return "TEXT";
    case ORR_ROWSET_TIME:
    case ORR_ROWSET_REAL:
        return "REAL";
    default:
        return "INTEGER";
    }
}

static void bind_real(sqlite3_stmt *s, int at, double v)
{
    if (isnan(v))
        sqlite3_bind_null(s, at);
    else
        sqlite3_bind_double(s, at, v);
}

static void bind(sqlite3_stmt *s, int at, orr_rowset_cell cell, const void *member)
{
    switch (cell) {
    case ORR_ROWSET_TEXT:
        sqlite3_bind_text(s, at, *(const char *const *)member, -1, SQLITE_STATIC);
        return;
    case ORR_ROWSET_TIME: {
        const orr_time t = *(const orr_time *)member;
        bind_real(s, at, t == ORR_TIME_NONE ? NAN : orr_time_seconds(t));
        return;
    }
    case ORR_ROWSET_REAL:
        bind_real(s, at, *(const double *)member);
        return;
    case ORR_ROWSET_INT:
        sqlite3_bind_int64(s, at, *(const int64_t *)member);
        return;
    case ORR_ROWSET_SMALL:
        sqlite3_bind_int(s, at, *(const int32_t *)member);
        return;
    case ORR_ROWSET_FLAG:
        sqlite3_bind_int(s, at, *(const bool *)member);
        return;
    }
}

static bool insert_row(database *d, const void *row)
{
    for (int i = 0; d->columns[i].name; i++)
        bind(d->insert, i + 1, d->columns[i].cell, (const char *)row + d->columns[i].offset);
    return step(d) == ORR_OK;
}

static bool insert_job(void *self, const orr_result_job *job)
{
    return insert_row(self, job);
}

static bool insert_hold(void *self, const orr_result_hold *hold)
{
    return insert_row(self, hold);
}

static bool insert_level(void *self, const orr_result_level *level)
{
    return insert_row(self, level);
}

static orr_err create_table(database *d, const char *name, const orr_rowset_column *columns)
{
    orr_text create = {0}, insert = {0};
    d->columns = columns;
    orr_text_addf(&create, "CREATE TABLE %s (", name);
    orr_text_addf(&insert, "INSERT INTO %s VALUES (", name);
    for (int i = 0; columns[i].name; i++) {
        orr_text_addf(&create, "%s\"%s\" %s", i ? ", " : "", columns[i].name, type_of(columns[i].cell));
        orr_text_addf(&insert, "%s", i ? ",?" : "?");
    }
    orr_text_addf(&create, ")");
    orr_text_addf(&insert, ")");
    orr_err err = execute(d, create.at);
    if (!err)
        err = prepare(d, insert.at);
    orr_text_fini(&create);
    orr_text_fini(&insert);
    return err;
}

static orr_err close_table(database *d, orr_err err)
{
    sqlite3_finalize(d->insert);
    d->insert = NULL;
    return err ? err : d->e->code;
}

static orr_err put_jobs(database *d, const orr_result *r)
{
    const orr_err err = create_table(d, "jobs", orr_result_job_columns);
    return close_table(d, err ? err : orr_result_jobs(r, insert_job, d, d->e));
}

static orr_err put_attempts(database *d, const orr_result *r)
{
    const orr_err err = create_table(d, "attempts", orr_result_hold_columns);
    return close_table(d, err ? err : orr_result_holds(r, insert_hold, d, d->e));
}

static orr_err put_timeline(database *d, const orr_result *r)
{
    const orr_err err = create_table(d, "timeline", orr_result_level_columns);
    return close_table(d, err ? err : orr_result_levels(r, insert_level, d, d->e));
}

/* ---- documents, leaf by leaf ---- */

static orr_err insert_leaf(database *d, const char *path, const cJSON *item)
{
    sqlite3_bind_text(d->insert, 1, path, -1, SQLITE_STATIC);
    if (cJSON_IsString(item))
        sqlite3_bind_text(d->insert, 2, item->valuestring, -1, SQLITE_STATIC);
    else if (cJSON_IsNumber(item))
        sqlite3_bind_double(d->insert, 2, item->valuedouble);
    else if (cJSON_IsBool(item))
        sqlite3_bind_int(d->insert, 2, cJSON_IsTrue(item));
    else
        sqlite3_bind_null(d->insert, 2);
    return step(d);
}

static orr_err insert_leaves(database *d, const char *path, const cJSON *item)
{
    orr_err err = ORR_OK;
    int i = 0;
    if (!cJSON_IsObject(item) && !cJSON_IsArray(item))
        return insert_leaf(d, path, item);
    for (const cJSON *child = item->child; child && !err; child = child->next, i++) {
        orr_text at = {0};
        orr_text_addf(&at, "%s%s", path, *path ? "." : "");
        if (child->string)
            orr_text_addf(&at, "%s", child->string);
        else
            orr_text_addf(&at, "%d", i);
        if (strcmp(at.at, "wall") != 0) /* real times differ from run to run */
            err = insert_leaves(d, at.at, child);
        orr_text_fini(&at);
    }
    return err;
}

static orr_err put_document(database *d, const char *name, const cJSON *document)
{
    char sql[80];
    snprintf(sql, sizeof sql, "CREATE TABLE %s (key TEXT, value NUMERIC)", name);
    orr_err err = execute(d, sql);
    snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?,?)", name);
    if (!err)
        err = prepare(d, sql);
    return close_table(d, err ? err : insert_leaves(d, "", document));
}

/* ---- the file ---- */

static orr_err fill(database *d, const orr_result *r)
{
    orr_err err = execute(d, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
    if (!err)
        err = put_jobs(d, r);
    if (!err)
        err = put_attempts(d, r);
    if (!err)
        err = put_timeline(d, r);
    if (!err)
        err = put_document(d, "summary", orr_result_summary(r));
    if (!err)
        err = put_document(d, "manifest", orr_result_manifest(r));
    if (!err)
        err = execute(d, "CREATE INDEX jobs_id ON jobs(job_id); CREATE INDEX attempts_id ON attempts(job_id); COMMIT");
    return err;
}

static orr_err make(database *d, const orr_result *r)
{
    orr_err err;
    if (sqlite3_open_v2(d->path, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK) {
        err = fill(d, r);
    } else {
        err = ORR_E_CREATE;
        orr_error_set(d->e, err, "the database can't be created: %s", d->db ? sqlite3_errmsg(d->db) : "out of memory");
        orr_error_at(d->e, d->path, 0, 0);
    }
    sqlite3_close(d->db);
    return err;
}

bool orr_out_has_sqlite(void)
{
    return true;
}

orr_err orr_out_sqlite(const orr_result *r, const char *dir, orr_error *e)
{
    orr_error own = {0};
    orr_text path = {0}, part = {0};
    orr_text_addf(&path, "%s/result.sqlite", dir);
    orr_text_addf(&part, "%s/.result.sqlite.%ld", dir, (long)getpid());
    unlink(part.at);
    database d = {.path = part.at, .e = &own};
    orr_err err = make(&d, r);
    if (!err && rename(part.at, path.at) != 0) {
        err = orr_error_set(&own, ORR_E_WRITE, "the database can't be renamed: %s", strerror(errno));
        orr_error_at(&own, path.at, 0, 0);
    }
    if (err)
        unlink(part.at);
    if (err && e && !e->code)
        *e = own;
    orr_text_fini(&path);
    orr_text_fini(&part);
    return err;
}

#else

bool orr_out_has_sqlite(void)
{
    return false;
}

orr_err orr_out_sqlite(const orr_result *r, const char *dir, orr_error *e)
{
    (void)r, (void)dir;
    orr_error_set(e, ORR_E_MISSING, "this program was built without SQLite");
    orr_error_hint(e, "build it again where libsqlite3-dev is installed; CSV files can be imported as they are");
    return ORR_E_MISSING;
}

#endif
