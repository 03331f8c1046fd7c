#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""All-reduces of 2 to 6 nodes whose flows are hashed to uplinks, beside NVIDIA/nccl-tests issue 169.

    scenarios/hardware/ecmp.py [--weft PROGRAM] [--out FOLDER] [-j N] > scenarios/hardware/ecmp.csv

Bus bandwidth in GB/s over hash seeds: median, lowest and highest, with one QP per connection, with
eight that share each message, and with packets sprayed over the uplinks. The protocol is Simple, as
the issue's sizes, above those played, take it.
"""
import argparse
import csv
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MEASURED = {2: 100, 3: 70, 4: 58, 5: 58, 6: 40}
WAYS = {"one QP": [],
        "eight QPs": ["library.ib-qps-per-connection=8", "library.ib-split-data-on-qps=true"],
        "spray": ["switch.balance=spray", "transport.recovery=out-of-order"]}


def sweep(o, way):
    """Bus bandwidths by number of nodes: of six alone where the hash does not decide."""
    hashed = way == "one QP"
    folder = os.path.join(o.out, "ecmp-" + way.replace(" ", "-"))
    command = [o.weft, "sweep", os.path.join(HERE, "..", "clusters", "a100-roce-ecmp.xml"), "--out", folder, "-j", str(o.jobs),
               "-m", "all-reduce-bus-bandwidth", "--set", "library.proto=simple",
               "--vary", "generate.ranks=" + "|".join(str(8 * n) for n in MEASURED if hashed or n == 6),
               "--vary", "run.seed=1..20" if hashed else "run.seed=1..3"]
    for s in WAYS[way]:
        command += ["--set", s]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    busbw = {}
    with open(os.path.join(folder, "sweep.csv"), newline="") as f:
        for r in csv.DictReader(f):
            busbw.setdefault(int(r["generate.ranks"]) // 8, []).append(float(r["all_reduce_bus_bandwidth_bps"]) / 8e9)
    return busbw


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--weft", default="weft")
    p.add_argument("--out", default=os.path.join("out", "hardware"))
    p.add_argument("-j", "--jobs", type=int, default=1)
    o = p.parse_args()
    os.makedirs(o.out, exist_ok=True)
    w = csv.writer(sys.stdout, lineterminator="\n")
    w.writerow(["balance", "nodes", "measured_GBps", "median_GBps", "lowest_GBps", "highest_GBps", "seeds", "error_pct"])
    for way in WAYS:
        for nodes, b in sweep(o, way).items():
            m = statistics.median(b)
            w.writerow([way, nodes, MEASURED[nodes] if way == "one QP" else ""]
                       + ["%.1f" % v for v in (m, min(b), max(b))] + [len(b)]
                       + ["%.1f" % (100 * (m / MEASURED[nodes] - 1)) if way == "one QP" else ""])


if __name__ == "__main__":
    main()
