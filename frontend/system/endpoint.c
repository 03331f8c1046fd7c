/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What messages and computations cost at an NPU.
 *
 * Messages, after LogGP (Alexandrov, Ionescu, Schauser, Scheiman, "LogGP: incorporating long
 * messages into the LogP model", SPAA 1995): sending occupies the NPU for o (send-overhead), then
 * the next message may begin g (message-gap) or bytes / injection-bandwidth (the inverse of G)
 * after it, whichever is longer; receiving occupies it for o (receive-overhead). L is the
 * network's.
 *
 * Computations take their duration times the rank's slowdown (stragglers) times a factor drawn for
 * each operation from 1 - jitter to 1 + jitter.
 */
#include "system/system_internal.h"
#include "system/lists.h"

#include "base/int128.h"
#include "base/units.h"

#include <inttypes.h>

int64_t weft_inject_ps(struct weft_npu *npu, int64_t now_ps, uint64_t bytes)
{
    const struct weft_system_params *p = npu->sys->p;
    if (!p->send_overhead_ps && !p->message_gap_ps && !p->injection_bps)
        return 0;
    int64_t begin = npu->inject_free_ps > now_ps ? npu->inject_free_ps : now_ps;
    int64_t gap = p->message_gap_ps;
    if (p->injection_bps) {
        weft_u128 ps = (weft_u128)bytes * 8 * WEFT_PS_PER_S / p->injection_bps;
        if (ps > (weft_u128)gap)
            gap = ps < WEFT_TOO_LONG_PS ? (int64_t)ps : WEFT_TOO_LONG_PS;
    }
    begin = weft_sum_ps(begin, p->send_overhead_ps);
    npu->inject_free_ps = weft_sum_ps(begin, gap);
    return begin - now_ps;
}

int64_t weft_receive_overhead_ps(struct weft_npu *npu, int64_t now_ps)
{
    int64_t begin = npu->receive_free_ps > now_ps ? npu->receive_free_ps : now_ps;
    npu->receive_free_ps = weft_sum_ps(begin, npu->sys->p->receive_overhead_ps);
    return npu->receive_free_ps - now_ps;
}

int64_t weft_proxy_ps(struct weft_npu *npu, int64_t now_ps, const struct weft_coll_instr *in)
{
    if (npu->proxy_begin_ps > now_ps && npu->proxy_n < in->proxy_round) {
        npu->proxy_n++;
        return npu->proxy_free_ps - now_ps;
    }
    npu->proxy_begin_ps = npu->proxy_free_ps > now_ps ? npu->proxy_free_ps : now_ps;
    npu->proxy_free_ps = weft_sum_ps(npu->proxy_begin_ps, in->proxy_ps);
    npu->proxy_n = 1;
    return npu->proxy_free_ps - now_ps;
}

int64_t weft_npu_duration_ps(const struct weft_npu *npu, uint32_t op)
{
    const struct weft_system *s = npu->sys;
    int64_t ps = weft_op_duration_ps(s->p, &npu->dag->ops[op]);
    double factor = npu->slowdown;
    if (npu->dag->ops[op].kind != WEFT_OP_COMP)
        return ps;
    if (s->p->compute_jitter > 0) {
        struct weft_rng rng =
            weft_rng_stream(s->seed, "compute-jitter", (uint64_t)npu->rank << 32 | op);
        factor *= 1 + s->p->compute_jitter * (2 * weft_rng_f64(&rng) - 1);
    }
    if (factor == 1)
        return ps;
    double scaled = (double)ps * factor;
    return scaled < (double)WEFT_TOO_LONG_PS ? (int64_t)scaled : WEFT_TOO_LONG_PS;
}

int weft_read_stragglers(const struct weft_system_params *p, uint32_t nranks, double *out,
                         struct weft_err *err)
{
    for (uint32_t r = 0; out && r < nranks; r++)
        out[r] = 1;
    struct weft_list map = {.text = p->stragglers, .form = &weft_stragglers_form};
    struct weft_list_item item;
    int rc;
    while ((rc = weft_list_next(&map, &item, err)) > 0) {
        const uint64_t rank = item.field[0].value.u64;
        if (rank >= nranks) {
            rc = weft_err_set(err, WEFT_E_INPUT, "there is no rank %" PRIu64 ", only 0 to %u", rank,
                              nranks - 1);
            break;
        }
        if (out)
            out[rank] = item.field[1].value.f64;
    }
    return rc ? weft_err_prepend(err, "system.stragglers") : 0;
}
