/* SPDX-License-Identifier: GPL-2.0-only */
/* What windows of several threads take, and who waits: window_crew.c. No result follows from it. */
#include "crew.h"
#include "window_crew.h"
#include "window_crew_inside.h"

/** Windows of which one is measured: asking for the time of a thread takes as long as ten packets.
 */
#define MEASURE_EVERY 8u
#define LOOK_EVERY (8 * MEASURE_EVERY) /**< windows between two looks at what threads wait */

/* Where threads wait much for each other, switches are for whoever has time from now on. */
static void even_out(struct window_crew *c)
{
    if (c->figures.windows % LOOK_EVERY)
        return;
    if (!c->uneven && c->seen.busy_ns < (int64_t)c->n * c->seen.critical_ns * 7 / 10)
        c->uneven = c->list_again = true;
    c->seen = (struct thread_times){0};
}

void window_crew_measure(struct window_crew *c)
{
    int64_t most = 0, all = 0;
    for (unsigned i = 0; i < c->n; i++) {
        all += c->busy_ns[i];
        most = c->busy_ns[i] > most ? c->busy_ns[i] : most;
    }
    if (c->measured) {
        thread_times_add(&c->seen, all, most);
        thread_times_add(&c->all, all, most);
        c->measured_ns += c->run_ns;
    }
    c->figures.join_ns += crew_wall_ns() - c->done_ns;
    c->figures.windows++;
    c->measured = c->figures.windows % MEASURE_EVERY == 0;
    even_out(c);
}

void window_crew_measure_posts(struct window_crew *c)
{
    int64_t most = 0, all = 0;
    for (unsigned i = 0; i < c->n; i++) {
        all += c->busy_ns[i];
        most = c->busy_ns[i] > most ? c->busy_ns[i] : most;
    }
    thread_times_add(&c->posting, all, most);
    c->posting_ns += c->run_ns;
    c->figures.join_ns += crew_wall_ns() - c->done_ns;
    c->figures.windows++;
}

void weft_engine_thread_figures(const struct weft_engine *e, struct weft_thread_figures *out)
{
    *out = (struct weft_thread_figures){.threads = 1};
    if (e->crew) {
        const struct window_crew *c = e->crew;
        const double per =
            c->measured_ns ? (double)(c->figures.run_ns - c->posting_ns) / (double)c->measured_ns
                           : 0;
        *out = c->figures;
        out->threads = c->n;
        out->busy_ns = c->posting.busy_ns + (int64_t)((double)c->all.busy_ns * per);
        out->critical_ns = c->posting.critical_ns + (int64_t)((double)c->all.critical_ns * per);
    }
}
