/* A zone is a list of changes, each with the offset that holds from it on; before the first, the first kind that is no
 * daylight saving. A file's rule for times behind its last change is not read: files go to 2037. */
#include "trace/zone.h"
#include "base/io.h"
#include "base/mem.h"
#include <string.h>

#define FOLDER "/usr/share/zoneinfo/"
#define MOST_OFFSET (26 * 3600) /* what the format allows */

typedef struct change {
    int64_t at;     /* s since 1970, UTC */
    int32_t offset; /* s */
} change;

struct orr_zone {
    int32_t before; /* s */
    ORR_VEC(change) changes;
};

static orr_err no_zone(const char *name, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "the time zone \"%.60s\" %s", name, why);
    orr_error_hint(e, "a zone is UTC, an offset such as +08:00, or a name such as America/Los_Angeles");
    return ORR_E_BAD_VALUE;
}

/* ---- offsets ---- */

static bool digits(const char *text, int n, int *out)
{
    *out = 0;
    for (int i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *out = *out * 10 + (text[i] - '0');
    }
    return true;
}

/* "+08", "+0800", "+08:00". */
static bool parse_offset(const char *text, int32_t *seconds)
{
    int hours, minutes = 0;
    if ((text[0] != '+' && text[0] != '-') || !digits(text + 1, 2, &hours))
        return false;
    const char *rest = text + 3;
    rest += *rest == ':';
    if (rest[0] && (!digits(rest, 2, &minutes) || rest[2]))
        return false;
    if (hours > 14 || minutes > 59 || (rest[-1] == ':' && !rest[0]))
        return false;
    *seconds = (hours * 3600 + minutes * 60) * (text[0] == '-' ? -1 : 1);
    return true;
}

static bool fixed(const char *name, int32_t *seconds)
{
    *seconds = 0;
    return strcmp(name, "UTC") == 0 || strcmp(name, "Z") == 0 || parse_offset(name, seconds);
}

/* ---- zone files ---- */

typedef struct counts {
    uint32_t isut, isstd, leap, time, type, chars;
} counts;

static int64_t big(const unsigned char *p, int bytes)
{
    uint64_t v = bytes == 4 && (p[0] & 0x80) ? UINT64_MAX : 0;
    for (int i = 0; i < bytes; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

static bool head(const unsigned char *p, size_t n, counts *c)
{
    if (n < 44 || memcmp(p, "TZif", 4) != 0)
        return false;
    uint32_t *const at[] = {&c->isut, &c->isstd, &c->leap, &c->time, &c->type, &c->chars};
    for (int i = 0; i < 6; i++) {
        const int64_t v = big(p + 20 + 4 * i, 4);
        if (v < 0 || v > 100000)
            return false;
        *at[i] = (uint32_t)v;
    }
    return c->type > 0;
}

static size_t body(const counts *c, size_t wide)
{
    return c->time * (wide + 1) + c->type * 6 + c->chars + c->leap * (wide + 4) + c->isstd + c->isut;
}

static bool take_changes(orr_zone *zone, const unsigned char *p, const counts *c)
{
    const unsigned char *const index = p + 8 * (size_t)c->time, *const types = index + c->time;
    for (uint32_t i = 0; i < c->time; i++) {
        if (index[i] >= c->type)
            return false;
        const change one = {big(p + 8 * (size_t)i, 8), (int32_t)big(types + 6 * index[i], 4)};
        if (one.offset > MOST_OFFSET || one.offset < -MOST_OFFSET)
            return false;
        if (zone->changes.n && one.at <= zone->changes.at[zone->changes.n - 1].at)
            return false;
        ORR_VEC_PUSH(&zone->changes, one);
    }
    zone->before = (int32_t)big(types, 4);
    for (uint32_t i = 0; i < c->type; i++)
        if (types[6 * i + 4] == 0) {
            zone->before = (int32_t)big(types + 6 * (size_t)i, 4);
            break;
        }
    return zone->before <= MOST_OFFSET && zone->before >= -MOST_OFFSET;
}

static bool parse(orr_zone *zone, const unsigned char *p, size_t n)
{
    counts c;
    if (!head(p, n, &c) || p[4] < '2' || n < 44 + body(&c, 4))
        return false;
    p += 44 + body(&c, 4); /* the old form with 32 bits comes first */
    n -= 44 + body(&c, 4);
    return head(p, n, &c) && n >= 44 + body(&c, 8) && take_changes(zone, p + 44, &c);
}

orr_zone *orr_zone_from_bytes(const char *name, const void *bytes, size_t n, orr_error *e)
{
    orr_zone *zone = orr_xcalloc(1, sizeof *zone);
    if (parse(zone, bytes, n))
        return zone;
    no_zone(name, "has a file that can't be read", e);
    orr_zone_close(zone);
    return NULL;
}

static bool plain_name(const char *name)
{
    return name[0] && name[0] != '/' && !strstr(name, "..") && strlen(name) < 100;
}

static orr_zone *from_file(const char *name, orr_error *e)
{
    char path[160] = FOLDER;
    orr_error ignored = {0};
    memcpy(path + sizeof FOLDER - 1, name, strlen(name) + 1);
    orr_input *in = orr_input_open(path, &ignored);
    char *bytes = NULL;
    size_t n = 0;
    if (!in || orr_input_all(in, &bytes, &n, &ignored)) {
        no_zone(name, "is not known on this machine", e);
        orr_input_close(in);
        return NULL;
    }
    orr_zone *zone = orr_zone_from_bytes(name, bytes, n, e);
    free(bytes);
    orr_input_close(in);
    return zone;
}

orr_zone *orr_zone_open(const char *name, orr_error *e)
{
    int32_t seconds;
    if (fixed(name, &seconds)) {
        orr_zone *zone = orr_xcalloc(1, sizeof *zone);
        zone->before = seconds;
        return zone;
    }
    if (plain_name(name))
        return from_file(name, e);
    no_zone(name, "has no form of a zone", e);
    return NULL;
}

void orr_zone_close(orr_zone *zone)
{
    if (!zone)
        return;
    ORR_VEC_FREE(&zone->changes);
    free(zone);
}

/* ---- questions ---- */

/* How many changes are at or before this second. */
static size_t changes_by(const orr_zone *zone, int64_t second)
{
    size_t low = 0, high = zone->changes.n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (zone->changes.at[middle].at <= second)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int32_t offset_after(const orr_zone *zone, size_t changes)
{
    return changes ? zone->changes.at[changes - 1].offset : zone->before;
}

static int64_t floor_second(orr_time t)
{
    return t / ORR_SECOND - (t % ORR_SECOND < 0);
}

int32_t orr_zone_offset(const orr_zone *zone, orr_time utc)
{
    return offset_after(zone, changes_by(zone, floor_second(utc))) / 60;
}

/* An offset is at most a day off, so the periods that begin within a day of the face are the ones that can hold it. */
orr_face orr_zone_utc(const orr_zone *zone, orr_time local, orr_time *utc)
{
    const int64_t face = floor_second(local);
    const size_t first = changes_by(zone, face - 86400), last = changes_by(zone, face + 86400);
    int found = 0;
    int32_t offset = offset_after(zone, first);
    for (size_t i = first; i <= last; i++) {
        const int64_t second = face - offset_after(zone, i);
        if (changes_by(zone, second) != i)
            continue;
        if (found++ == 0)
            offset = offset_after(zone, i);
    }
    *utc = local - offset * ORR_SECOND;
    return found == 0 ? ORR_FACE_NEVER : found == 1 ? ORR_FACE_ONCE : ORR_FACE_TWICE;
}
