/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of a run. The time left assumes that the rest takes as long per byte, or per item, as
 * what is done.
 */
#include "base/progress.h"

#include "base/units.h"

#include <stdbool.h>
#include <inttypes.h>
#include <time.h>

int64_t weft_clock_monotonic_ns(void *user)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void weft_progress_init(struct weft_progress *p, FILE *f, bool is_tty, const char *what,
                        weft_clock_ns clock, void *clock_user)
{
    *p = (struct weft_progress){.f = f,
                                .is_tty = is_tty,
                                .what = what,
                                .clock = clock ? clock : weft_clock_monotonic_ns,
                                .clock_user = clock_user};
    p->start_ns = p->last_ns = p->clock(clock_user);
}

/* Whole seconds as "12 s", "3 min 20 s" or "2 h 5 min". */
static void format_wall(int64_t ns, char *buf, size_t size)
{
    const int64_t s = ns / 1000000000;
    if (s < 60)
        snprintf(buf, size, "%" PRId64 " s", s);
    else if (s < 3600)
        snprintf(buf, size, "%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
    else
        snprintf(buf, size, "%" PRId64 " h %" PRId64 " min", s / 3600, s / 60 % 60);
}

static bool due(const struct weft_progress *p, int64_t now_ns)
{
    /* The first line on a terminal shows at once: the user sees that something runs. */
    return (p->is_tty && !p->shown) ||
           now_ns - p->last_ns >= (p->is_tty ? WEFT_PROGRESS_TTY_NS : WEFT_PROGRESS_FILE_NS);
}

bool weft_progress_due(const struct weft_progress *p)
{
    return p->f && due(p, p->clock(p->clock_user));
}

/* "45.3 %", and how much of the bytes. */
static void print_share(FILE *f, const struct weft_progress_state *s, double share)
{
    char done[WEFT_UNIT_TEXT_MAX], total[WEFT_UNIT_TEXT_MAX];
    fprintf(f, "%.1f %%  ", 100 * share);
    if (s->total_bytes)
        fprintf(f, "%s/%s  ", weft_human_size(s->done_bytes, done),
                weft_human_size(s->total_bytes, total));
}

/* "sim 12.35 us (1.03 us/s)": simulated time, and how much of it a second of the clock takes on. */
static void print_sim(FILE *f, int64_t sim_ps, int64_t wall_ns)
{
    char sim[WEFT_UNIT_TEXT_MAX], speed[WEFT_UNIT_TEXT_MAX];
    if (sim_ps == WEFT_PROGRESS_NO_SIM)
        return;
    fprintf(f, "sim %s", weft_human_time(sim_ps, sim));
    if (wall_ns > 0)
        fprintf(f, " (%s/s)",
                weft_human_time((int64_t)((double)sim_ps / ((double)wall_ns / 1e9)), speed));
    fputs("  ", f);
}

/* Everything but the line's end. */
static void print_state(FILE *f, const char *what, const struct weft_progress_state *s,
                        int64_t wall_ns)
{
    char wall[48], left[48];
    const uint64_t done = s->total_bytes ? s->done_bytes : s->done;
    const uint64_t total = s->total_bytes ? s->total_bytes : s->total;
    const double share = done < total ? (double)done / (double)total : 1;
    format_wall(wall_ns, wall, sizeof wall);
    print_sim(f, s->sim_ps, wall_ns);
    if (total)
        print_share(f, s, share);
    fprintf(f, "%" PRIu64, s->done);
    if (s->total)
        fprintf(f, "/%" PRIu64, s->total);
    fprintf(f, " %s  wall %s", what, wall);
    const double left_ns = total && done ? (double)wall_ns * (1 - share) / share : 1e30;
    if (left_ns < 1e17) {
        format_wall((int64_t)left_ns, left, sizeof left);
        fprintf(f, "  left %s", left);
    }
}

void weft_progress_update(struct weft_progress *p, const struct weft_progress_state *s)
{
    if (!p->f)
        return;
    const int64_t now = p->clock(p->clock_user);
    if (!due(p, now))
        return;
    p->last_ns = now;
    p->shown = 1;
    if (p->is_tty)
        fputs("\r\033[K", p->f);
    print_state(p->f, p->what, s, now - p->start_ns);
    if (!p->is_tty)
        fputc('\n', p->f);
    fflush(p->f);
}

void weft_progress_print(struct weft_progress *p, FILE *f, const struct weft_progress_state *s)
{
    weft_progress_finish(p);
    print_state(f, p->what, s, p->clock(p->clock_user) - p->start_ns);
    fputc('\n', f);
    fflush(f);
}

void weft_progress_finish(struct weft_progress *p)
{
    if (!p->f || !p->is_tty || !p->shown)
        return;
    fputs("\r\033[K", p->f);
    fflush(p->f);
    p->shown = 0;
}
