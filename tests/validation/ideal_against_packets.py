#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plays 50 drawn training jobs on the ideal backend and with packets: ideal-against-packets.csv.

usage: ideal_against_packets.py WEFT > ideal-against-packets.csv
"""
import json
import random
import subprocess
import sys

FABRICS = {
    "leaf-spine 1:1": (16, ["topology.type=leaf-spine"]),
    "leaf-spine 3:1": (16, ["topology.type=leaf-spine", "leaf-spine.uplink-rate=133Gbps"]),
    "rails": (32, ["topology.type=rail-optimised"]),
    "fat tree": (16, ["topology.type=fat-tree", "fat-tree.k=4"]),
    "nvlink+rails": (32, ["topology.type=multi",
                          "multi.dimensions=switch size=8 rate=3600Gbps delay=250ns; "
                          "rail-optimised rails=8 nodes=4 spines=2 rate=400Gbps delay=500ns"]),
}
WAYS = [["network.backend=ideal", "ideal.contention=" + c] for c in ("none", "source", "links")] + [[]]


def draw(seed):
    """The settings of a job, with its fabric and degrees; None: they do not fit."""
    r = random.Random(seed)
    fabric = r.choice(list(FABRICS))
    ranks, settings = FABRICS[fabric]
    tp, pp = r.choice([1, 2, 4, 8]), r.choice([1, 1, 2, 4])
    if tp * pp > ranks:
        return None
    dp = ranks // (tp * pp)
    experts = r.random() < 0.3 and dp >= 4
    hidden = r.choice([256, 512, 1024])
    values = {"ranks": ranks, "model": "mixtral-8x7b" if experts else "gpt3-13b", "layers": 4,
              "hidden": hidden, "heads": 8, "kv-heads": 8, "head-dim": hidden // 8,
              "ffn": 4 * hidden, "vocab": 4096, "sequence": r.choice([256, 512]), "tp": tp,
              "pp": pp, "microbatches": r.choice([2, 4])}
    if experts:
        values.update({"experts": 4, "ep": r.choice([2, 4]), "expert-ffn": 2 * hidden})
    job = ["workload.type=training"] + ["training.%s=%s" % x for x in values.items()]
    return fabric, pp, tp, dp, int(experts), settings + job


def play(weft, settings):
    """End-to-end time and mean exposed communication in ns; None: it does not run."""
    command = [weft, "run", "--json", "--no-out"]
    for s in settings:
        command += ["--set", s]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    summary = json.loads(run.stdout or "{}").get("summary", {})
    if summary.get("outcome") != "finished":
        return None
    return summary["end_to_end_ns"], summary["exposed_communication_mean_ns"]


def main():
    print("n,fabric,pp,tp,dp,ep,none_t,none_e,source_t,source_e,links_t,links_e,packet_t,packet_e")
    n = 0
    for seed in range(1000):
        job = draw(seed)
        results = [play(sys.argv[1], job[5] + way) for way in WAYS] if job else [None]
        if None not in results:
            print(n, *job[:5], *(v for r in results for v in r), sep=",", flush=True)
            n += 1
        if n == 50:
            return


main()
