/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Presets: what papers and simulators set for a link rate, and what NICs and switches are shipped
 * with.
 *
 * The HPCC simulator's script run.py scales increases and marking thresholds with the rate of the
 * NICs; here is one preset per rate that it is used with. Its thresholds are for ports of that rate
 * and grow with a port's rate, as ecn.scale-rate has it.
 */
#include "congestion/presets.h"

#define RUN_PY "HPCC simulator, run.py: "
#define W_AI "Li et al., SIGCOMM 2019: 80 bytes at 100 Gbps; linear in the rate"
#define DCTCP "Alizadeh et al., SIGCOMM 2010"

/* The same at every rate. rpg_byte_reset is 32767: read as units of 64 bytes, 2 MB, as traffic
 * generators that emulate such NICs have it; the help of mlxconfig says bytes. */
#define NVIDIA                                                                                     \
    "NVIDIA, DCQCN Parameters: defaults of ConnectX-4 and later, as mlxconfig prints them"
#define CONNECTX                                                                                   \
    "mode=nic gain=5/1024 alpha-timer=1us decrease-interval=4us rate-timer=300us "                 \
    "byte-counter=2097088B fast-recovery=1 rate-ai=5Mbps rate-hai=50Mbps min-rate=1Mbps "          \
    "cnp-interval=4us first-cnp-rate=1 clamp-target=false"

const struct weft_preset weft_dcqcn_presets[] = {
    {"paper-40g", "the paper's constants, for its 40 Gbps links", "Zhu et al., SIGCOMM 2015",
     "rate-ai=40Mbps rate-hai=400Mbps alpha-timer=55us rate-timer=55us cnp-interval=50us "
     "ecn.kmin=5KB ecn.kmax=200KB ecn.pmax=0.01 "
     "ecn.scale-rate=40Gbps"},
    {"sim-25g", "CC_MODE 1 as the simulator's scripts set it for 25 Gbps NICs", RUN_PY "dcqcn",
     "mode=hpcc gain=1/256 alpha-timer=1us decrease-interval=4us rate-timer=300us fast-recovery=1 "
     "rate-ai=5Mbps rate-hai=50Mbps min-rate=1Gbps ecn.kmin=100KB ecn.kmax=400KB ecn.pmax=0.2 "
     "ecn.scale-rate=25Gbps"},
    {"sim-50g", "CC_MODE 1 as the simulator's scripts set it for 50 Gbps NICs", RUN_PY "dcqcn",
     "mode=hpcc gain=1/256 alpha-timer=1us decrease-interval=4us rate-timer=300us fast-recovery=1 "
     "rate-ai=10Mbps rate-hai=100Mbps min-rate=1Gbps ecn.kmin=200KB ecn.kmax=800KB ecn.pmax=0.2 "
     "ecn.scale-rate=50Gbps"},
    {"sim-100g", "CC_MODE 1 as the simulator's scripts set it for 100 Gbps NICs", RUN_PY "dcqcn",
     "mode=hpcc gain=1/256 alpha-timer=1us decrease-interval=4us rate-timer=300us fast-recovery=1 "
     "rate-ai=20Mbps rate-hai=200Mbps min-rate=1Gbps ecn.kmin=400KB ecn.kmax=1600KB ecn.pmax=0.2 "
     "ecn.scale-rate=100Gbps"},
    {"sim-200g", "CC_MODE 1 as the simulator's scripts set it for 200 Gbps NICs", RUN_PY "dcqcn",
     "mode=hpcc gain=1/256 alpha-timer=1us decrease-interval=4us rate-timer=300us fast-recovery=1 "
     "rate-ai=40Mbps rate-hai=400Mbps min-rate=1Gbps ecn.kmin=800KB ecn.kmax=3200KB ecn.pmax=0.2 "
     "ecn.scale-rate=200Gbps"},
    {"sim-400g", "CC_MODE 1 as the simulator's scripts set it for 400 Gbps NICs", RUN_PY "dcqcn",
     "mode=hpcc gain=1/256 alpha-timer=1us decrease-interval=4us rate-timer=300us fast-recovery=1 "
     "rate-ai=80Mbps rate-hai=800Mbps min-rate=1Gbps ecn.kmin=1600KB ecn.kmax=6400KB ecn.pmax=0.2 "
     "ecn.scale-rate=400Gbps"},
    {"sim-paper-25g", "CC_MODE 1 with timers nearer to the paper's, for 25 Gbps NICs",
     RUN_PY "dcqcn_paper",
     "mode=hpcc gain=1/256 alpha-timer=50us decrease-interval=50us rate-timer=55us fast-recovery=1 "
     "rate-ai=5Mbps rate-hai=50Mbps min-rate=1Gbps ecn.kmin=100KB ecn.kmax=400KB ecn.pmax=0.2 "
     "ecn.scale-rate=25Gbps"},
    {"sim-paper-50g", "CC_MODE 1 with timers nearer to the paper's, for 50 Gbps NICs",
     RUN_PY "dcqcn_paper",
     "mode=hpcc gain=1/256 alpha-timer=50us decrease-interval=50us rate-timer=55us fast-recovery=1 "
     "rate-ai=10Mbps rate-hai=100Mbps min-rate=1Gbps ecn.kmin=200KB ecn.kmax=800KB ecn.pmax=0.2 "
     "ecn.scale-rate=50Gbps"},
    {"sim-paper-100g", "CC_MODE 1 with timers nearer to the paper's, for 100 Gbps NICs",
     RUN_PY "dcqcn_paper",
     "mode=hpcc gain=1/256 alpha-timer=50us decrease-interval=50us rate-timer=55us fast-recovery=1 "
     "rate-ai=20Mbps rate-hai=200Mbps min-rate=1Gbps ecn.kmin=400KB ecn.kmax=1600KB ecn.pmax=0.2 "
     "ecn.scale-rate=100Gbps"},
    {"sim-paper-200g", "CC_MODE 1 with timers nearer to the paper's, for 200 Gbps NICs",
     RUN_PY "dcqcn_paper",
     "mode=hpcc gain=1/256 alpha-timer=50us decrease-interval=50us rate-timer=55us fast-recovery=1 "
     "rate-ai=40Mbps rate-hai=400Mbps min-rate=1Gbps ecn.kmin=800KB ecn.kmax=3200KB ecn.pmax=0.2 "
     "ecn.scale-rate=200Gbps"},
    {"sim-paper-400g", "CC_MODE 1 with timers nearer to the paper's, for 400 Gbps NICs",
     RUN_PY "dcqcn_paper",
     "mode=hpcc gain=1/256 alpha-timer=50us decrease-interval=50us rate-timer=55us fast-recovery=1 "
     "rate-ai=80Mbps rate-hai=800Mbps min-rate=1Gbps ecn.kmin=1600KB ecn.kmax=6400KB ecn.pmax=0.2 "
     "ecn.scale-rate=400Gbps"},
    {"connectx", "values with which ConnectX NICs are shipped, at every rate", NVIDIA, CONNECTX},
    {"connectx-cumulus", "the same, with the thresholds that Cumulus Linux is shipped with",
     NVIDIA "; Cumulus Linux, Quality of Service: default_ecn_red_conf",
     CONNECTX " ecn.kmin=150KB ecn.kmax=1500KB ecn.pmax=1 ecn.scale-rate=0"},
    {"connectx-sonic", "the same, with the thresholds that SONiC is shipped with",
     NVIDIA "; SONiC, qos_config.j2: AZURE_LOSSLESS",
     CONNECTX " ecn.kmin=1MiB ecn.kmax=2MiB ecn.pmax=0.05 ecn.scale-rate=0"},
    {NULL, NULL, NULL, NULL},
};

/* W_AI of the line rates, for HPCC with and without PINT. */
#define W_AI_ROWS                                                                                  \
    {"25g", "W_AI for 25 Gbps NICs", W_AI, "window-ai=20B"},                                       \
        {"50g", "W_AI for 50 Gbps NICs", W_AI, "window-ai=40B"},                                   \
        {"100g", "W_AI for 100 Gbps NICs", W_AI, "window-ai=80B"},                                 \
        {"200g", "W_AI for 200 Gbps NICs", W_AI, "window-ai=160B"},                                \
    {                                                                                              \
        "400g", "W_AI for 400 Gbps NICs", W_AI, "window-ai=320B"                                   \
    }

const struct weft_preset weft_hpcc_presets[] = {
    W_AI_ROWS,
    {"sim-25g", "CC_MODE 3 as the simulator's scripts set it for 25 Gbps NICs", RUN_PY "hp",
     "mode=hpcc target-util=0.95 max-stage=0 rate-ai=10Mbps min-rate=1Gbps int-multi=1"},
    {"sim-50g", "CC_MODE 3 as the simulator's scripts set it for 50 Gbps NICs", RUN_PY "hp",
     "mode=hpcc target-util=0.95 max-stage=0 rate-ai=20Mbps min-rate=1Gbps int-multi=2"},
    {"sim-100g", "CC_MODE 3 as the simulator's scripts set it for 100 Gbps NICs", RUN_PY "hp",
     "mode=hpcc target-util=0.95 max-stage=0 rate-ai=40Mbps min-rate=1Gbps int-multi=4"},
    {"sim-200g", "CC_MODE 3 as the simulator's scripts set it for 200 Gbps NICs", RUN_PY "hp",
     "mode=hpcc target-util=0.95 max-stage=0 rate-ai=80Mbps min-rate=1Gbps int-multi=8"},
    {"sim-400g", "CC_MODE 3 as the simulator's scripts set it for 400 Gbps NICs", RUN_PY "hp",
     "mode=hpcc target-util=0.95 max-stage=0 rate-ai=160Mbps min-rate=1Gbps int-multi=16"},
    {NULL, NULL, NULL, NULL},
};

const struct weft_preset weft_hpcc_pint_presets[] = {
    W_AI_ROWS,
    {"sim-25g", "CC_MODE 10 as the simulator's scripts set it for 25 Gbps NICs", RUN_PY "hpccPint",
     "mode=hpcc target-util=0.95 max-stage=0 log-base=1.01 rate-ai=10Mbps min-rate=1Gbps"},
    {"sim-50g", "CC_MODE 10 as the simulator's scripts set it for 50 Gbps NICs", RUN_PY "hpccPint",
     "mode=hpcc target-util=0.95 max-stage=0 log-base=1.01 rate-ai=20Mbps min-rate=1Gbps"},
    {"sim-100g", "CC_MODE 10 as the simulator's scripts set it for 100 Gbps NICs",
     RUN_PY "hpccPint",
     "mode=hpcc target-util=0.95 max-stage=0 log-base=1.01 rate-ai=40Mbps min-rate=1Gbps"},
    {"sim-200g", "CC_MODE 10 as the simulator's scripts set it for 200 Gbps NICs",
     RUN_PY "hpccPint",
     "mode=hpcc target-util=0.95 max-stage=0 log-base=1.01 rate-ai=80Mbps min-rate=1Gbps"},
    {"sim-400g", "CC_MODE 10 as the simulator's scripts set it for 400 Gbps NICs",
     RUN_PY "hpccPint",
     "mode=hpcc target-util=0.95 max-stage=0 log-base=1.01 rate-ai=160Mbps min-rate=1Gbps"},
    {NULL, NULL, NULL, NULL},
};

const struct weft_preset weft_timely_presets[] = {
    {"sim-25g", "CC_MODE 7 as the simulator's scripts set it for 25 Gbps NICs", RUN_PY "timely",
     "mode=hpcc t-low=50us t-high=500us min-rtt=20us rate-ai=25Mbps rate-hai=125Mbps "
     "min-rate=1Gbps "
     "timestamp-bytes=8B"},
    {"sim-50g", "CC_MODE 7 as the simulator's scripts set it for 50 Gbps NICs", RUN_PY "timely",
     "mode=hpcc t-low=50us t-high=500us min-rtt=20us rate-ai=50Mbps rate-hai=250Mbps "
     "min-rate=1Gbps "
     "timestamp-bytes=8B"},
    {"sim-100g", "CC_MODE 7 as the simulator's scripts set it for 100 Gbps NICs", RUN_PY "timely",
     "mode=hpcc t-low=50us t-high=500us min-rtt=20us rate-ai=100Mbps rate-hai=500Mbps "
     "min-rate=1Gbps "
     "timestamp-bytes=8B"},
    {"sim-200g", "CC_MODE 7 as the simulator's scripts set it for 200 Gbps NICs", RUN_PY "timely",
     "mode=hpcc t-low=50us t-high=500us min-rtt=20us rate-ai=200Mbps rate-hai=1000Mbps "
     "min-rate=1Gbps "
     "timestamp-bytes=8B"},
    {"sim-400g", "CC_MODE 7 as the simulator's scripts set it for 400 Gbps NICs", RUN_PY "timely",
     "mode=hpcc t-low=50us t-high=500us min-rtt=20us rate-ai=400Mbps rate-hai=2000Mbps "
     "min-rate=1Gbps "
     "timestamp-bytes=8B"},
    {NULL, NULL, NULL, NULL},
};

const struct weft_preset weft_dctcp_presets[] = {
    {"paper-1g", "the paper's threshold for 1 Gbps: 20 packets of 1500 bytes", DCTCP,
     "ecn.kmin=30KB ecn.kmax=30KB ecn.pmax=1 ecn.scale-rate=0"},
    {"paper-10g", "the paper's threshold for 10 Gbps: 65 packets of 1500 bytes", DCTCP,
     "ecn.kmin=97500B ecn.kmax=97500B ecn.pmax=1 ecn.scale-rate=0"},
    {"sim-25g", "CC_MODE 8 as the simulator's scripts set it for 25 Gbps NICs", RUN_PY "dctcp",
     "mode=hpcc gain=1/16 rate-ai=615Mbps min-rate=1Gbps ecn.kmin=75KB ecn.kmax=75KB ecn.pmax=1 "
     "ecn.scale-rate=25Gbps"},
    {"sim-50g", "CC_MODE 8 as the simulator's scripts set it for 50 Gbps NICs", RUN_PY "dctcp",
     "mode=hpcc gain=1/16 rate-ai=615Mbps min-rate=1Gbps ecn.kmin=150KB ecn.kmax=150KB ecn.pmax=1 "
     "ecn.scale-rate=50Gbps"},
    {"sim-100g", "CC_MODE 8 as the simulator's scripts set it for 100 Gbps NICs", RUN_PY "dctcp",
     "mode=hpcc gain=1/16 rate-ai=615Mbps min-rate=1Gbps ecn.kmin=300KB ecn.kmax=300KB ecn.pmax=1 "
     "ecn.scale-rate=100Gbps"},
    {"sim-200g", "CC_MODE 8 as the simulator's scripts set it for 200 Gbps NICs", RUN_PY "dctcp",
     "mode=hpcc gain=1/16 rate-ai=615Mbps min-rate=1Gbps ecn.kmin=600KB ecn.kmax=600KB ecn.pmax=1 "
     "ecn.scale-rate=200Gbps"},
    {"sim-400g", "CC_MODE 8 as the simulator's scripts set it for 400 Gbps NICs", RUN_PY "dctcp",
     "mode=hpcc gain=1/16 rate-ai=615Mbps min-rate=1Gbps ecn.kmin=1200KB ecn.kmax=1200KB "
     "ecn.pmax=1 ecn.scale-rate=400Gbps"},
    {NULL, NULL, NULL, NULL},
};

const struct weft_preset weft_rccc_presets[] = {
    {"eqds", "EQDS: a packet's payload of credit at a time, one bandwidth-delay product ahead",
     "Olteanu et al., NSDI 2022, as csg-htsim has it: eqds.cpp, 4096 bytes of credit in 0.99 times "
     "the time of a packet of 4160",
     "max-credit=1 grant=4KiB grant-rate=0.995 idle-credit=1"},
    {"ndp", "NDP: each packet that arrives pulls one, at line rate, after a first window",
     "Handley et al., SIGCOMM 2017; the first window, one bandwidth-delay product: weft",
     "max-credit=1 grant=0B grant-rate=1 idle-credit=0"},
    {NULL, NULL, NULL, NULL},
};

#define ARTIFACT "tommasobo/REPS_EuroSys_Artifact: uec.h, uec.cpp"

const struct weft_preset weft_smartt_presets[] = {
    {"htsim", "the constants of the first author's htsim", ARTIFACT,
     "max-window=1.5 increase=2 fair-increase=0.02 fast-increase=1 no-delay=1us decrease=1 "
     "fair-decrease=0.5 mark-weight=0.05 mark-threshold=0.3 qa-scale=1 ignore=marks"},
    {NULL, NULL, NULL, NULL},
};

const struct weft_preset weft_mprdma_presets[] = {
    {"htsim", "the constants of the REPS paper's htsim", ARTIFACT,
     "first-window=1.5 max-window=1.5 decrease=0.25 trim-decrease=1"},
    {"htsim-dctcp", "what uet-htsim calls DCTCP: no share of marks, each costs a third of a packet",
     "ultraethernet/uet-htsim, uec.cpp",
     "first-window=1.5 max-window=100000 decrease=1/3 trim-decrease=1"},
    {NULL, NULL, NULL, NULL},
};
