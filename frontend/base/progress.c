/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of a run. The time left assumes that the rest takes as long per item as what is done.
 */
#include "base/progress.h"

#include "base/units.h"

#include <inttypes.h>
#include <time.h>

int64_t weft_clock_monotonic_ns(void *user)
{
    (void)user;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void weft_progress_init(struct weft_progress *p, FILE *f, int is_tty, const char *what,
                        weft_clock_ns clock, void *clock_user)
{
    *p = (struct weft_progress){.f = f,
                                .is_tty = is_tty,
                                .what = what,
                                .clock = clock ? clock : weft_clock_monotonic_ns,
                                .clock_user = clock_user};
    if (f)
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

void weft_progress_update(struct weft_progress *p, int64_t sim_ps, uint64_t done, uint64_t total)
{
    if (!p->f)
        return;
    const int64_t now = p->clock(p->clock_user);
    /* The first line on a terminal shows at once: the user sees that something runs. */
    if (!(p->is_tty && !p->shown) &&
        now - p->last_ns < (p->is_tty ? WEFT_PROGRESS_TTY_NS : WEFT_PROGRESS_FILE_NS))
        return;
    p->last_ns = now;
    p->shown = 1;

    char sim[WEFT_UNIT_TEXT_MAX], wall[48], left[48];
    const int64_t wall_ns = now - p->start_ns;
    format_wall(wall_ns, wall, sizeof wall);
    fprintf(p->f, "%ssim %s", p->is_tty ? "\r\033[K" : "", weft_human_time(sim_ps, sim));
    if (total > 0) {
        fprintf(p->f, "  %.1f %%  %" PRIu64 "/%" PRIu64 " %s  wall %s",
                100.0 * (double)done / (double)total, done, total, p->what, wall);
        const double left_ns =
            done == 0 ? 1e30 : (double)wall_ns * ((double)total - (double)done) / (double)done;
        if (done <= total && left_ns < 1e17) {
            format_wall((int64_t)left_ns, left, sizeof left);
            fprintf(p->f, "  left %s", left);
        }
    } else {
        fprintf(p->f, "  %" PRIu64 " %s  wall %s", done, p->what, wall);
    }
    if (!p->is_tty)
        fputc('\n', p->f);
    fflush(p->f);
}

void weft_progress_finish(struct weft_progress *p)
{
    if (!p->f || !p->is_tty || !p->shown)
        return;
    fputs("\r\033[K", p->f);
    fflush(p->f);
    p->shown = 0;
}
