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

/* What the scripts set for NICs of a rate. */
#define SIM(gbps, mode, script, values)                                                            \
    {                                                                                              \
        "sim-" gbps "g",                                                                           \
            "CC_MODE " mode " as the simulator's scripts set it for " gbps " Gbps NICs",           \
            RUN_PY script, values                                                                  \
    }

#define DCQCN_RATES(gbps, ai, hai, kmin, kmax)                                                     \
    "fast-recovery=1 rate-ai=" ai " rate-hai=" hai " min-rate=1Gbps ecn.kmin=" kmin                \
    " ecn.kmax=" kmax " ecn.pmax=0.2 ecn.scale-rate=" gbps "Gbps"
#define DCQCN_SIM(gbps, ai, hai, kmin, kmax)                                                       \
    SIM(gbps, "1", "dcqcn",                                                                        \
        "mode=hpcc gain=1/256 alpha-timer=1us decrease-interval=4us "                              \
        "rate-timer=300us " DCQCN_RATES(gbps, ai, hai, kmin, kmax))
#define DCQCN_SIM_PAPER(gbps, ai, hai, kmin, kmax)                                                 \
    {                                                                                              \
        "sim-paper-" gbps "g",                                                                     \
            "CC_MODE 1 with timers nearer to the paper's, for " gbps " Gbps NICs",                 \
            RUN_PY "dcqcn_paper",                                                                  \
            "mode=hpcc gain=1/256 alpha-timer=50us decrease-interval=50us "                        \
            "rate-timer=55us " DCQCN_RATES(gbps, ai, hai, kmin, kmax)                              \
    }

const struct weft_preset weft_dcqcn_presets[] = {
    {"paper-40g", "the paper's constants, for its 40 Gbps links", "Zhu et al., SIGCOMM 2015",
     "rate-ai=40Mbps rate-hai=400Mbps alpha-timer=55us rate-timer=55us cnp-interval=50us "
     "ecn.kmin=5KB ecn.kmax=200KB ecn.pmax=0.01 "
     "ecn.scale-rate=40Gbps"},
    DCQCN_SIM("25", "5Mbps", "50Mbps", "100KB", "400KB"),
    DCQCN_SIM("50", "10Mbps", "100Mbps", "200KB", "800KB"),
    DCQCN_SIM("100", "20Mbps", "200Mbps", "400KB", "1600KB"),
    DCQCN_SIM("200", "40Mbps", "400Mbps", "800KB", "3200KB"),
    DCQCN_SIM("400", "80Mbps", "800Mbps", "1600KB", "6400KB"),
    DCQCN_SIM_PAPER("25", "5Mbps", "50Mbps", "100KB", "400KB"),
    DCQCN_SIM_PAPER("50", "10Mbps", "100Mbps", "200KB", "800KB"),
    DCQCN_SIM_PAPER("100", "20Mbps", "200Mbps", "400KB", "1600KB"),
    DCQCN_SIM_PAPER("200", "40Mbps", "400Mbps", "800KB", "3200KB"),
    DCQCN_SIM_PAPER("400", "80Mbps", "800Mbps", "1600KB", "6400KB"),
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

#define HPCC_SIM(gbps, ai, multi)                                                                  \
    SIM(gbps, "3", "hp",                                                                           \
        "mode=hpcc target-util=0.95 max-stage=0 rate-ai=" ai " min-rate=1Gbps int-multi=" multi)

const struct weft_preset weft_hpcc_presets[] = {
    W_AI_ROWS,
    HPCC_SIM("25", "10Mbps", "1"),
    HPCC_SIM("50", "20Mbps", "2"),
    HPCC_SIM("100", "40Mbps", "4"),
    HPCC_SIM("200", "80Mbps", "8"),
    HPCC_SIM("400", "160Mbps", "16"),
    {NULL, NULL, NULL, NULL},
};

#define HPCC_PINT_SIM(gbps, ai)                                                                    \
    SIM(gbps, "10", "hpccPint",                                                                    \
        "mode=hpcc target-util=0.95 max-stage=0 log-base=1.01 rate-ai=" ai " min-rate=1Gbps")

const struct weft_preset weft_hpcc_pint_presets[] = {
    W_AI_ROWS,
    HPCC_PINT_SIM("25", "10Mbps"),
    HPCC_PINT_SIM("50", "20Mbps"),
    HPCC_PINT_SIM("100", "40Mbps"),
    HPCC_PINT_SIM("200", "80Mbps"),
    HPCC_PINT_SIM("400", "160Mbps"),
    {NULL, NULL, NULL, NULL},
};

#define TIMELY_SIM(gbps, ai, hai)                                                                  \
    SIM(gbps, "7", "timely",                                                                       \
        "mode=hpcc t-low=50us t-high=500us min-rtt=20us rate-ai=" ai " rate-hai=" hai              \
        " min-rate=1Gbps timestamp-bytes=8B")

const struct weft_preset weft_timely_presets[] = {
    TIMELY_SIM("25", "25Mbps", "125Mbps"),    TIMELY_SIM("50", "50Mbps", "250Mbps"),
    TIMELY_SIM("100", "100Mbps", "500Mbps"),  TIMELY_SIM("200", "200Mbps", "1000Mbps"),
    TIMELY_SIM("400", "400Mbps", "2000Mbps"), {NULL, NULL, NULL, NULL},
};

#define DCTCP_SIM(gbps, k)                                                                         \
    SIM(gbps, "8", "dctcp",                                                                        \
        "mode=hpcc gain=1/16 rate-ai=615Mbps min-rate=1Gbps ecn.kmin=" k " ecn.kmax=" k            \
        " ecn.pmax=1 ecn.scale-rate=" gbps "Gbps")

const struct weft_preset weft_dctcp_presets[] = {
    {"paper-1g", "the paper's threshold for 1 Gbps: 20 packets of 1500 bytes", DCTCP,
     "ecn.kmin=30KB ecn.kmax=30KB ecn.pmax=1 ecn.scale-rate=0"},
    {"paper-10g", "the paper's threshold for 10 Gbps: 65 packets of 1500 bytes", DCTCP,
     "ecn.kmin=97500B ecn.kmax=97500B ecn.pmax=1 ecn.scale-rate=0"},
    DCTCP_SIM("25", "75KB"),
    DCTCP_SIM("50", "150KB"),
    DCTCP_SIM("100", "300KB"),
    DCTCP_SIM("200", "600KB"),
    DCTCP_SIM("400", "1200KB"),
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
