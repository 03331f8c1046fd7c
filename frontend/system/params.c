/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters of the system layer, and the costs that follow from them alone.
 */
#include "system/internal.h"

#include "base/units.h"

#define AT(field) offsetof(struct weft_system_params, field)

static const struct weft_param params[] = {
    {"all-reduce", WEFT_PARAM_STRING, AT(all_reduce), "ring", NULL, NULL, NULL,
     "algorithm of all-reduces and barriers", NULL},
    {"all-gather", WEFT_PARAM_STRING, AT(all_gather), "ring", NULL, NULL, NULL,
     "algorithm of all-gathers", NULL},
    {"reduce-scatter", WEFT_PARAM_STRING, AT(reduce_scatter), "ring", NULL, NULL, NULL,
     "algorithm of reduce-scatters", NULL},
    {"all-to-all", WEFT_PARAM_STRING, AT(all_to_all), "direct", NULL, NULL, NULL,
     "algorithm of all-to-alls", NULL},
    {"chunks", WEFT_PARAM_U64, AT(chunks), "1", "1", "1000000", NULL,
     "pieces that a collective is cut into", NULL},
    {"active-chunks", WEFT_PARAM_U64, AT(active_chunks), "1", "1", "1000000", NULL,
     "pieces of one collective in flight at once on each NPU", NULL, "chunks!=1"},
    {"endpoint-delay", WEFT_PARAM_TIME, AT(endpoint_delay_ps), "0", NULL, "1s", NULL,
     "cost of a collective's software path: before a chunk's first message and after each receive",
     NULL},
    {"reduce-bandwidth", WEFT_PARAM_RATE, AT(reduce_bw_bps), "0", NULL, NULL, NULL,
     "memory bandwidth that adding up received data gets; 0: reductions cost nothing", NULL},
    {"reduce-passes", WEFT_PARAM_U64, AT(reduce_passes), "3", "0", "16", NULL,
     "passes over the received bytes per reduction (read, read, write)", NULL,
     "reduce-bandwidth!=0"},
    {"quantum", WEFT_PARAM_TIME, AT(quantum_ps), "1ps", "1ps", "1s", NULL,
     "computed costs are floored to a multiple of this (ASTRA-sim: 1ns)", NULL},
    {"peak-flops", WEFT_PARAM_F64, AT(peak_flops), "0", "0", NULL, NULL,
     "roofline: operations per second of one accelerator; 0: not given", NULL, "roofline=true"},
    {"memory-bandwidth", WEFT_PARAM_RATE, AT(memory_bw_bps), "0", NULL, NULL, NULL,
     "roofline and MEM nodes: memory bandwidth of one NPU; 0: not given", NULL},
    {"roofline", WEFT_PARAM_BOOL, AT(roofline), "false", NULL, NULL, NULL,
     "accelerator durations from num_ops and tensor_size instead of recorded ones", NULL},
};

const struct weft_param_table weft_system_param_table =
    WEFT_PARAM_TABLE(params, struct weft_system_params);

static int64_t clamped_ps(unsigned __int128 ps)
{
    return ps > WEFT_NEVER / 8 ? WEFT_NEVER / 8 : (int64_t)ps;
}

static int64_t floored(const struct weft_system_params *p, int64_t ps)
{
    return ps - ps % p->quantum_ps;
}

static int64_t memory_ps(uint64_t bytes, uint64_t bw_bps)
{
    return clamped_ps((unsigned __int128)bytes * 8 * WEFT_PS_PER_S / bw_bps);
}

int64_t weft_reduce_ps(const struct weft_system_params *p, uint64_t bytes)
{
    if (p->reduce_bw_bps == 0)
        return 0;
    return clamped_ps((unsigned __int128)p->reduce_passes *
                      (uint64_t)floored(p, memory_ps(bytes, p->reduce_bw_bps)));
}

/* flops / peak in picoseconds: exact when both are whole numbers below 2^63. */
static int64_t flops_ps(double flops, double peak)
{
    if (flops < 0x1p63 && peak < 0x1p63 && flops == (double)(uint64_t)flops &&
        peak == (double)(uint64_t)peak)
        return clamped_ps((unsigned __int128)(uint64_t)flops * WEFT_PS_PER_S / (uint64_t)peak);
    double ps = flops / peak * (double)WEFT_PS_PER_S;
    return ps < (double)(WEFT_NEVER / 8) ? (int64_t)ps : WEFT_NEVER / 8;
}

int weft_uses_roofline(const struct weft_system_params *p, const struct weft_op *op)
{
    return op->kind == WEFT_OP_COMP && !op->cpu && op->has_flops &&
           (p->roofline || op->duration_ps == 0);
}

int64_t weft_op_duration_ps(const struct weft_system_params *p, const struct weft_op *op)
{
    if (weft_uses_roofline(p, op)) {
        int64_t compute = op->flops > 0 ? flops_ps(op->flops, p->peak_flops) : 0;
        int64_t memory = op->tensor_bytes ? memory_ps(op->tensor_bytes, p->memory_bw_bps) : 0;
        return floored(p, compute > memory ? compute : memory);
    }
    if (op->kind == WEFT_OP_MEM && op->duration_ps == 0 && op->tensor_bytes)
        return floored(p, memory_ps(op->tensor_bytes, p->memory_bw_bps));
    return op->duration_ps;
}
