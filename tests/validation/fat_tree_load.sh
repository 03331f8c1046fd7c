#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# HPCC's 320-host fat-tree under load: every congestion control x every flow-size distribution.
#
#   fat_tree_load.sh DATA OUT [DURATION [LOAD [WORKLOADS [CONTROLS]]]]
#
# DATA holds hpcc/fat.txt and cdf/; DURATION (default 10ms) is how long flows start, LOAD (default 0.5) the
# share of each host's link. Runs `weft traffic` and `weft hpcc`, one after the other, and leaves
# OUT/WORKLOAD-CONTROL/fct_slowdown.csv (percentiles per bucket of flow sizes). Prints one line per run: exit code, flows, wall seconds, p50, p95 and
# p99 of the slowdown of all flows. Exit 1 when a run did not finish. WEFT names the program.
#
# Settings as HPCC's run.py chooses them for hosts of 100 Gbps.
set -u
[ $# -ge 2 ] || { sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 2; }
data=$1 out=$2 duration=${3:-10ms} load=${4:-0.5}
workloads=${5:-WebSearch FbHdp AliStorage2019}
controls=${6:-dcqcn hpcc timely dctcp pint none swift powertcp}
weft=${WEFT:-weft}
mkdir -p "$out" || exit 4
fat=$(realpath "$data/hpcc/fat.txt")
failed=0

keys() {
    case $1 in
    dcqcn) echo CC_MODE 1 HAS_WIN 0 ACK_HIGH_PRIO 1 EWMA_GAIN 0.00390625 ALPHA_RESUME_INTERVAL 1 \
        RATE_DECREASE_INTERVAL 4 RP_TIMER 300 FAST_RECOVERY_TIMES 1 RATE_AI 20Mb/s RATE_HAI 200Mb/s \
        MIN_RATE 1000Mb/s CLAMP_TARGET_RATE 0 ;;
    hpcc) echo CC_MODE 3 HAS_WIN 1 VAR_WIN 1 FAST_REACT 1 MULTI_RATE 0 U_TARGET 0.95 MI_THRESH 0 \
        INT_MULTI 4 RATE_AI 40Mb/s MIN_RATE 1000Mb/s ;;
    timely) echo CC_MODE 7 HAS_WIN 0 ACK_HIGH_PRIO 1 RATE_AI 100Mb/s RATE_HAI 500Mb/s \
        MIN_RATE 1000Mb/s ;;
    dctcp) echo CC_MODE 8 HAS_WIN 1 VAR_WIN 1 EWMA_GAIN 0.0625 DCTCP_RATE_AI 615Mb/s \
        MIN_RATE 1000Mb/s ;;
    pint) echo CC_MODE 10 HAS_WIN 1 VAR_WIN 1 FAST_REACT 1 U_TARGET 0.95 MI_THRESH 0 \
        PINT_LOG_BASE 1.01 PINT_PROB 1.0 RATE_AI 40Mb/s MIN_RATE 1000Mb/s ;;
    none) echo CC_MODE 12 HAS_WIN 1 ;; # a window of one bandwidth-delay product, no more
    swift | powertcp) ;; # no CC_MODE stands for them: --control
    *) echo "unknown control $1: dcqcn hpcc timely dctcp pint none swift powertcp" >&2; exit 2 ;;
    esac
}

# Thresholds per 100 Gbps: DCTCP marks from 300 KB on, the others from 400 to 1600 KB.
thresholds() {
    if [ "$1" = dctcp ]; then
        echo KMIN_MAP 2 100000000000 300 400000000000 1200 KMAX_MAP 2 100000000000 300 \
            400000000000 1200 PMAX_MAP 2 100000000000 1.0 400000000000 1.0
    else
        echo KMIN_MAP 2 100000000000 400 400000000000 1600 KMAX_MAP 2 100000000000 1600 \
            400000000000 6400 PMAX_MAP 2 100000000000 0.2 400000000000 0.2
    fi
}

printf '%-24s %4s %7s %8s %7s %7s %7s\n' run exit flows wall_s p50 p95 p99
for workload in $workloads; do
    cdf=$data/cdf/$workload.txt
    [ -f "$cdf" ] || cdf=$data/cdf/${workload}_distribution.txt
    "$weft" traffic --cdf "$cdf" --load "$load" --hosts 320 --rate 100Gbps --duration "$duration" \
        -o "$out/$workload.flow" || exit $?
    for control in $controls; do
        dir=$out/$workload-$control
        mkdir -p "$dir"
        {
            echo "TOPOLOGY_FILE $fat FLOW_FILE $(realpath "$out/$workload.flow")"
            echo "ENABLE_QCN 1 PACKET_PAYLOAD_SIZE 1000 GLOBAL_T 1 BUFFER_SIZE 32 SIMULATOR_STOP_TIME 4"
            keys "$control"
            thresholds "$control"
        } >"$dir/config.txt"
        start=$(date +%s)
        case $control in swift | powertcp) in_place="--control $control" ;; *) in_place= ;; esac
        # shellcheck disable=SC2086
        "$weft" hpcc --config "$dir/config.txt" $in_place --compat --quiet --out "$dir" 2>"$dir/log.txt"
        code=$?
        [ $code -eq 0 ] || failed=1
        # Columns 7 and 8 of fct.txt: the completion time and that of the flow alone.
        awk '{ s = $7 / $8; print s < 1 ? 1 : s }' "$dir/fct.txt" | sort -g | awk \
            -v run="$workload-$control" -v code=$code -v wall=$(($(date +%s) - start)) '
            { s[NR] = $1 }
            function p(q) { i = int(q * NR + 0.999999); return s[i < 1 ? 1 : i] }
            END { printf "%-24s %4d %7d %8d %7.2f %7.2f %7.2f\n", run, code, NR, wall, p(0.5),
                         p(0.95), p(0.99) }'
    done
done
exit $failed
