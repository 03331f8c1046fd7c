/* SPDX-License-Identifier: GPL-2.0-only */
/* What weft bench says of a measurement, as text and as JSON. */
#include "base/json.h"
#include "base/units.h"
#include "bench/bench.h"

#include <inttypes.h>
#include <math.h>

static double per(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* The figures that follow from a result, 0 where they do not apply. */
struct figures {
    double hops_per_s, events_per_hop, ns_per_hop, instructions_per_hop;
    double host_bytes, qp_bytes, packet_bytes, message_bytes, frontend_share;
};

static struct figures figures_of(const struct weft_bench_result *r)
{
    const struct weft_memory_figures *m = &r->memory;
    double hops = (double)r->packet_hops;
    return (struct figures){
        .hops_per_s = per(hops, r->cpu_s),
        .events_per_hop = per((double)r->events, hops),
        .ns_per_hop = per(r->cpu_s * 1e9, hops),
        .instructions_per_hop = per((double)r->instructions, hops),
        .host_bytes = per((double)m->fabric_bytes, r->hosts),
        .qp_bytes = per((double)m->qp_bytes, (double)m->qps),
        .packet_bytes = per((double)m->packet_bytes, (double)m->peak_packets),
        .message_bytes = per((double)m->message_bytes, (double)m->peak_messages),
        .frontend_share = per(r->frontend_s, r->wall_s),
    };
}

/* Of the time of a run with several threads: shares, and what other numbers would give. */
struct sharing {
    double together, waiting; /**< waiting: of the threads' time in windows */
    double alone_s;           /**< CPU time of one thread beside the windows */
    double speed_up[WEFT_THREAD_PROJECTIONS];
};

static const char *const alone_names[WEFT_ALONE_KINDS] = {
    [WEFT_ALONE_EVENTS] = "events", [WEFT_ALONE_SETTLE] = "settling", [WEFT_ALONE_LIST] = "listing",
    [WEFT_ALONE_JOIN] = "joining",  [WEFT_ALONE_TELL] = "telling",
};

/* Fitted to what 18 cases took with 4, 8 and 16 threads on a machine of 16 cores, see
 * tests/cli/speed_ups.csv. */
#define WINDOW_S 36e-6 /**< for a window beside the events of its busiest thread, in mean */
#define MOVED_S 78e-9  /**< for a packet that moves to another thread: as for a line of cache */

double weft_bench_speed_up(const struct weft_bench_costs *c)
{
    return per(c->one_s, c->alone_s + c->critical_s + (double)c->windows * WINDOW_S +
                             (double)c->moved_packets / c->threads * MOVED_S);
}

/* Results of threads are put together in a heap of them, so this grows with its height. */
static double height(unsigned threads)
{
    return 1 + log2(threads);
}

static struct sharing sharing_of(const struct weft_bench_result *r)
{
    const struct weft_thread_figures *t = &r->threads;
    const double run_s = (double)t->run_ns / 1e9, busy_s = (double)t->busy_ns / 1e9,
                 merge_s =
                     (double)(t->alone_ns[WEFT_ALONE_JOIN] + t->alone_ns[WEFT_ALONE_TELL]) / 1e9;
    struct sharing s = {.together = per(run_s, r->wall_s),
                        .waiting = 1 - per(busy_s, t->threads * run_s),
                        .alone_s = r->start_cpu_s};
    for (int i = 0; i < WEFT_ALONE_KINDS; i++)
        s.alone_s += (double)t->alone_ns[i] / 1e9;
    for (int i = 0; i < WEFT_THREAD_PROJECTIONS; i++) {
        const struct weft_thread_projection *p = &t->projected[i];
        const unsigned n = weft_thread_projections[i];
        s.speed_up[i] = weft_bench_speed_up(&(struct weft_bench_costs){
            .threads = n,
            .one_s = r->one_cpu_s > 0 ? r->one_cpu_s : s.alone_s + busy_s,
            .alone_s = s.alone_s + merge_s * (height(n) / height(t->threads) - 1),
            .critical_s = busy_s * per((double)p->critical_events, (double)t->counted_events),
            .windows = p->windows,
            .moved_packets = p->moved_packets,
        });
    }
    return s;
}

static void print_threads(FILE *out, const struct weft_bench_result *r)
{
    const struct weft_thread_figures *t = &r->threads;
    const struct sharing s = sharing_of(r);
    if (t->threads > 1 || r->one_wall_s > 0)
        fprintf(out, "  threads                %u", t->threads);
    if (r->one_wall_s > 0)
        fprintf(out, ", %.2f times as fast as the first run", per(r->one_wall_s, r->wall_s));
    if (t->threads > 1 || r->one_wall_s > 0)
        fprintf(out, "\n");
    if (!t->windows)
        return;
    fprintf(
        out,
        "                         together %.0f %% of the run, waiting %.0f %% of that; %" PRIu64
        " windows, %" PRIu64 " barriers",
        100 * s.together, 100 * s.waiting, t->windows, t->barriers);
    if (t->dealt)
        fprintf(out, ", nodes dealt anew %" PRIu64 " times", t->dealt);
    fprintf(out, "\n");
    fprintf(out,
            "                         CPU time: together %.3f s, one thread alone %.3f s (posting "
            "%.1f ms",
            (double)t->busy_ns / 1e9, s.alone_s, r->start_cpu_s * 1e3);
    for (int i = 0; i < WEFT_ALONE_KINDS; i++)
        fprintf(out, ", %s %.1f", alone_names[i], (double)t->alone_ns[i] / 1e6);
    fprintf(out, ")\n");
    if (t->held)
        fprintf(out,
                "                         hosts waited %" PRIu64
                " times for the frontend, and went on together after %.0f %% of them\n",
                t->held, 100 * per((double)t->ahead, (double)t->held));
    if (!t->counted_events)
        return;
    fprintf(out, "                         projected:");
    for (int i = 0; i < WEFT_THREAD_PROJECTIONS; i++)
        fprintf(out, "%s %u threads %.2fx", i ? "," : "", weft_thread_projections[i],
                s.speed_up[i]);
    fprintf(out, "\n");
}

/* Of the time of a run by several processes, and of their memory, the shares of one. */
struct part {
    double computing, exchange, waiting, of_one;
};

static struct part part_of(const struct weft_bench_result *r, const struct weft_bench_share *s)
{
    const struct part p = {.exchange = per(s->exchange_s, s->wall_s),
                           .waiting = per(s->waiting_s, s->wall_s),
                           .of_one = per((double)s->peak_rss_bytes, (double)r->one_rss_bytes)};
    return (struct part){1 - p.exchange - p.waiting, p.exchange, p.waiting, p.of_one};
}

static void print_processes(FILE *out, const struct weft_bench_spec *spec,
                            const struct weft_bench_result *r)
{
    char peak[WEFT_UNIT_TEXT_MAX], own[WEFT_UNIT_TEXT_MAX], bytes[WEFT_UNIT_TEXT_MAX];
    if (r->alone[0]) {
        fprintf(out, "  processes              1 of %u: %s\n", spec->processes, r->alone);
        return;
    }
    if (!r->processes)
        return;
    fprintf(out, "  processes              %u", r->processes);
    if (r->one_wall_s > 0)
        fprintf(out, ", %.2f times as fast as the first run", per(r->one_wall_s, r->wall_s));
    fprintf(out, "; %" PRIu64 " exchanges\n", r->shares[0].exchanges);
    for (unsigned k = 0; k < r->processes; k++) {
        const struct weft_bench_share *s = &r->shares[k];
        const struct part p = part_of(r, s);
        fprintf(out, "                         %u: peak memory %s", k,
                weft_human_size(s->peak_rss_bytes, peak));
        if (p.of_one > 0)
            fprintf(out, " (%.0f %% of the first run)", 100 * p.of_one);
        fprintf(out,
                ", %s with its part of shared pages; gave %s; windows %.0f %% of the run, exchange "
                "%.0f %%, waiting %.0f %%\n",
                weft_human_size(s->pss_bytes, own), weft_human_size(s->bytes, bytes),
                100 * p.computing, 100 * p.exchange, 100 * p.waiting);
    }
}

static void print_processes_json(struct weft_json *j, const struct weft_bench_spec *spec,
                                 const struct weft_bench_result *r)
{
    weft_json_kv_object(j, "processes");
    weft_json_kv_u64(j, "started", spec->processes);
    weft_json_kv_u64(j, "simulating", r->processes ? r->processes : 1);
    weft_json_kv_str(j, "reason", r->alone[0] ? r->alone : NULL);
    if (r->one_wall_s > 0)
        weft_json_kv_f64(j, "speed_up", per(r->one_wall_s, r->wall_s));
    weft_json_kv_array(j, "each");
    for (unsigned k = 0; k < r->processes; k++) {
        const struct weft_bench_share *s = &r->shares[k];
        const struct part p = part_of(r, s);
        weft_json_object(j);
        weft_json_kv_u64(j, "exchanges", s->exchanges);
        weft_json_kv_u64(j, "bytes_given", s->bytes);
        weft_json_kv_f64(j, "windows_share", p.computing);
        weft_json_kv_f64(j, "exchange_share", p.exchange);
        weft_json_kv_f64(j, "waiting_share", p.waiting);
        weft_json_kv_u64(j, "peak_rss_bytes", s->peak_rss_bytes);
        if (p.of_one > 0)
            weft_json_kv_f64(j, "peak_rss_share", p.of_one);
        weft_json_kv_u64(j, "pss_bytes", s->pss_bytes);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
    weft_json_end_object(j);
}

static void print_threads_json(struct weft_json *j, const struct weft_bench_result *r)
{
    const struct sharing s = sharing_of(r);
    weft_json_kv_object(j, "threads");
    weft_json_kv_u64(j, "number", r->threads.threads);
    if (r->one_wall_s > 0)
        weft_json_kv_f64(j, "speed_up", per(r->one_wall_s, r->wall_s));
    if (r->threads.windows) {
        weft_json_kv_u64(j, "windows", r->threads.windows);
        weft_json_kv_f64(j, "together_share", s.together);
        weft_json_kv_f64(j, "waiting_share", s.waiting);
        weft_json_kv_u64(j, "barriers", r->threads.barriers);
        weft_json_kv_u64(j, "held", r->threads.held);
        weft_json_kv_u64(j, "ahead", r->threads.ahead);
        weft_json_kv_u64(j, "dealt", r->threads.dealt);
        weft_json_kv_f64(j, "together_cpu_time_s", (double)r->threads.busy_ns / 1e9);
        weft_json_kv_object(j, "alone_cpu_time_s");
        weft_json_kv_f64(j, "posting", r->start_cpu_s);
        for (int i = 0; i < WEFT_ALONE_KINDS; i++)
            weft_json_kv_f64(j, alone_names[i], (double)r->threads.alone_ns[i] / 1e9);
        weft_json_end_object(j);
    }
    if (r->threads.counted_events) {
        weft_json_kv_object(j, "projected_speed_up");
        for (int i = 0; i < WEFT_THREAD_PROJECTIONS; i++) {
            char n[16];
            snprintf(n, sizeof n, "%u", weft_thread_projections[i]);
            weft_json_kv_f64(j, n, s.speed_up[i]);
        }
        weft_json_end_object(j);
    }
    weft_json_end_object(j);
}

void weft_bench_print(FILE *out, const struct weft_bench_spec *spec,
                      const struct weft_bench_result *r)
{
    char time[WEFT_UNIT_TEXT_MAX], size[WEFT_UNIT_TEXT_MAX];
    const struct figures f = figures_of(r);
    fprintf(out, "%s%s%s%s: %s%s\n", spec->c->name, r->control[0] ? ", " : "", r->control,
            spec->quick ? ", quick size" : "", spec->c->help,
            spec->quick ? " (at the full size)" : "");
    fprintf(out, "  packet-hops            %" PRIu64 " in %" PRIu64 " messages\n", r->packet_hops,
            r->messages);
    fprintf(out, "  rate                   %.3f million packet-hops per CPU second\n",
            f.hops_per_s / 1e6);
    fprintf(out, "  cost                   %.1f ns", f.ns_per_hop);
    if (r->instructions)
        fprintf(out, ", %.0f instructions", f.instructions_per_hop);
    fprintf(out, ", %.3f events per packet-hop\n", f.events_per_hop);
    if (r->through_frontend)
        fprintf(out, "  frontend               %.1f %% of the run\n", 100 * f.frontend_share);
    if (r->has_memory) {
        fprintf(out, "  state                  %.0f B per host (%u hosts, idle fabric included)\n",
                f.host_bytes, r->hosts);
        fprintf(out, "                         %.0f B per QP (%" PRIu64 " QPs)\n", f.qp_bytes,
                r->memory.qps);
        fprintf(out, "                         %.0f B per packet in flight (at most %" PRIu64 ")\n",
                f.packet_bytes, r->memory.peak_packets);
        fprintf(out,
                "                         %.0f B per message in flight (at most %" PRIu64 ")\n",
                f.message_bytes, r->memory.peak_messages);
    }
    fprintf(out, "  set-up                 %.3f s (CPU %.3f s)\n", r->setup_wall_s, r->setup_cpu_s);
    fprintf(out, "  run                    %.3f s (CPU %.3f s) for %s of simulated time\n",
            r->wall_s, r->cpu_s, weft_human_time(r->simulated_ps, time));
    if (spec->processes > 1)
        print_processes(out, spec, r);
    else
        print_threads(out, r);
    fprintf(out, "  peak memory            %s\n", weft_human_size(r->peak_rss_bytes, size));
    fflush(out);
}

void weft_bench_print_json(struct weft_json *j, const struct weft_bench_spec *spec,
                           const struct weft_bench_result *r)
{
    const struct figures f = figures_of(r);
    weft_json_object(j);
    weft_json_kv_str(j, "case", spec->c->name);
    weft_json_kv_str(j, "congestion_control", r->control[0] ? r->control : NULL);
    weft_json_kv_bool(j, "quick", spec->quick);
    weft_json_kv_u64(j, "hosts", r->hosts);
    weft_json_kv_u64(j, "messages", r->messages);
    weft_json_kv_u64(j, "message_bytes", r->bytes);
    weft_json_kv_u64(j, "packet_hops", r->packet_hops);
    weft_json_kv_u64(j, "events", r->events);
    weft_json_kv_f64(j, "events_per_packet_hop", f.events_per_hop);
    weft_json_kv_f64(j, "simulated_ns", (double)r->simulated_ps / 1000);
    if (r->has_memory) {
        weft_json_kv_object(j, "state");
        weft_json_kv_u64(j, "fabric_bytes", r->memory.fabric_bytes);
        weft_json_kv_f64(j, "bytes_per_host", f.host_bytes);
        weft_json_kv_u64(j, "qps", r->memory.qps);
        weft_json_kv_f64(j, "bytes_per_qp", f.qp_bytes);
        weft_json_kv_u64(j, "peak_packets_in_flight", r->memory.peak_packets);
        weft_json_kv_f64(j, "bytes_per_packet_in_flight", f.packet_bytes);
        weft_json_kv_u64(j, "peak_messages_in_flight", r->memory.peak_messages);
        weft_json_kv_f64(j, "bytes_per_message_in_flight", f.message_bytes);
        weft_json_end_object(j);
    }
    /* what depends on the machine */
    weft_json_kv_object(j, "host");
    weft_json_kv_f64(j, "packet_hops_per_s", f.hops_per_s);
    weft_json_kv_f64(j, "ns_per_packet_hop", f.ns_per_hop);
    if (r->instructions)
        weft_json_kv_f64(j, "instructions_per_packet_hop", f.instructions_per_hop);
    if (spec->processes > 1)
        print_processes_json(j, spec, r);
    else if (r->threads.threads > 1 || r->one_wall_s > 0)
        print_threads_json(j, r);
    if (r->through_frontend)
        weft_json_kv_f64(j, "frontend_share", f.frontend_share);
    weft_json_kv_f64(j, "setup_wall_time_s", r->setup_wall_s);
    weft_json_kv_f64(j, "setup_cpu_time_s", r->setup_cpu_s);
    weft_json_kv_f64(j, "wall_time_s", r->wall_s);
    weft_json_kv_f64(j, "cpu_time_s", r->cpu_s);
    weft_json_kv_u64(j, "peak_rss_bytes", r->peak_rss_bytes);
    weft_json_end_object(j);
    weft_json_end_object(j);
}
