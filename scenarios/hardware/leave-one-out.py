#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Refits the constants of NCCL's model on all clusters but one, and judges them on that one.

    scenarios/hardware/leave-one-out.py DATA [--weft PROGRAM] [--out FOLDER] [-j N] [--update]

Each group of constants is played with all values of a grid, on the points that it concerns; the
values with the least error, mean over clusters of the mean |log(simulated / measured)|, are taken.
Only files that serve to fit take part (trust.py). Writes leave-one-out.csv into FOLDER, default
out/hardware: per cluster the error with the constants as shipped, with those refitted without the
cluster, and refitted with the cluster's own settings replaced by those of its nearest relative
besides. --update copies it beside this script.
"""
import argparse
import concurrent.futures
import csv
import itertools
import math
import os
import re
import shutil
import statistics

import trust

KIB, MIB = 1 << 10, 1 << 20
# Constants that concern the same points, their values, and the points: clusters, protocol's choices, sizes.
GROUPS = [
    ({"sync-ll-us": (0.7, 0.9, 1.1, 1.3, 1.5)}, "ampere", ("Ring LL",), (0, MIB)),
    ({"sync-ll128-us": (1.8, 2.2, 2.6, 3.0, 3.4), "ll128-share": (0.45, 0.5, 0.56, 0.63, 0.7)},
     "ampere", ("Ring LL128",), (32 * KIB, 64 * MIB)),
    ({"sync-simple-us": (3.5, 4.2, 5, 5.8, 6.6)}, "ampere", ("Ring Simple",), (256 * KIB, 1 << 40)),
    ({"sync-ll-us": (0.25, 0.34, 0.43, 0.52, 0.65)}, "hopper", ("Ring LL",), (0, MIB)),
    ({"nvls-copy-GBps": (30, 34, 38.5, 43, 48), "nvls-copy-us": (2, 3, 4)}, "hopper", ("NVLS Simple",),
     (MIB, 1 << 40)),
    ({"proxy-merged": (1.4, 1.8, 2.2, 2.6, 3.2)}, "nodes", ("NVLSTree Simple", ""), (MIB, 1 << 40)),
]
# Settings that describe one cluster's software and NICs, and those of its nearest relative.
OWN = {
    "p4de": ("library.net-latency=20us", "library.ll128=true", "rate=50Gbps"),
    "p5": ("library.net-latency=70us",),
    "a3-mega": ("library.net-latency=52us", "library.proxy=0"),
    "a3-high": ("library.net-latency=24us", "rate=100Gbps"),
    "nebius-h100": ("library.ll128=true",),
}
KIND = {"nd-a100-v4": "ampere", "nd-h100-v5": "hopper", "dgx-h100": "hopper", "p5": "nodes", "nebius-h100": "nodes"}


def dgx(out):
    """The all-reduces of a DGX H100 that scenarios/nccl-tests has, as a file of measurements."""
    with open(os.path.join(trust.HERE, "..", "nccl-tests", "scenario.xml")) as f:
        sweep = re.search(r'<sweep name="dgx".*?<vary generate.size="(.*?)"\s*reference.end-to-end="(.*?)"', f.read(), re.S)
    unit = {"B": 1, "KiB": KIB, "MiB": MIB, "GiB": KIB * MIB}
    path = os.path.join(out, "dgx-h100.csv")
    with open(path, "w") as f:
        f.write("collective,nodes,gpus,bytes,type,in_place,time_us,algbw_GBps,busbw_GBps,note\n")
        for size, us in zip(sweep.group(1).split("|"), sweep.group(2).split("|")):
            n = re.match(r"(\d+)(\w+)", size)
            f.write("all_reduce,1,8,%d,float,0,%s,,,\n" % (int(n.group(1)) * unit[n.group(2)], us[:-2]))
    return {"file": "dgx-h100", "only": "", "cluster": "dgx-h100", "collective": "all_reduce", "nodes": "1", "gpus": "8",
            "set": "", "options": "", "what": "8 H100 (DGX)", "name": "dgx-h100", "data": out}


def own_settings(cluster):
    """Settings of the cluster's nearest relative; a rate is that of the NICs."""
    sets = []
    for s in OWN.get(cluster, ()):
        if s.startswith("rate="):
            with open(os.path.join(trust.HERE, "..", "clusters", cluster + ".xml")) as f:
                dims = re.search(r'dimensions="(.*?)"', f.read()).group(1)
            node, net = dims.split("; ")
            s = "multi.dimensions=" + node + "; " + re.sub(r"rate=\d+Gbps", s, net)
        sets.append(s)
    return sets


class Player:
    def __init__(self, o):
        self.o, self.rows = o, {}

    def wanted(self, case, constants, low, high, own=False):
        return (case["what"], case["collective"], constants, low, high, own), case

    def play(self, wanted):
        """Plays all that is wanted and not there yet."""
        todo = {k: c for k, c in wanted if k not in self.rows}

        def one(item):
            key, case = item
            sets = own_settings(case["cluster"]) if key[5] else []
            if key[2]:
                sets = sets + ["library.constants=" + ",".join("%s=%g" % c for c in key[2])]
            return key, trust.play(self.o.weft, case["data"], case, self.o.out, sets, key[3:5])
        with concurrent.futures.ThreadPoolExecutor(self.o.jobs) as pool:
            for i, (key, rows) in enumerate(pool.map(one, todo.items())):
                self.rows[key] = rows
                print("%d of %d: %s, %s %s" % (i + 1, len(todo), key[0], key[1], key[2]), flush=True)
        return [r for k, _ in wanted for r in self.rows[k]]


def off(rows):
    return [abs(math.log(r[1] / r[2])) for r in rows]


def grid(constants):
    return [tuple(zip(constants, v)) for v in itertools.product(*constants.values())]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("data")
    p.add_argument("--weft", default="weft")
    p.add_argument("--out", default=os.path.join("out", "hardware"))
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("--update", action="store_true")
    o = p.parse_args()
    os.makedirs(o.out, exist_ok=True)
    cases = [dict(c, name="mesh-a100" if "mesh" in c["what"] else c["cluster"], data=o.data)
             for c in trust.read_cases() if not trust.judges(c["file"])] + [dgx(o.out)]
    clusters = sorted({c["name"] for c in cases})
    player = Player(o)

    # errors of every point of a group by the values of its constants
    errors = []
    for constants, kind, choices, (low, high) in GROUPS:
        of = [c for c in cases if KIND.get(c["cluster"]) == kind and (kind != "ampere" or c["nodes"] == "1")]
        player.play([player.wanted(c, v, low, high) for v in grid(constants) for c in of])
        errors.append({(c["name"], v): [] for v in grid(constants) for c in of})
        for v in grid(constants):
            for c in of:
                rows = player.rows[player.wanted(c, v, low, high)[0]]
                errors[-1][c["name"], v] += off([r for r in rows if r[3] in choices])

    def refit(without):
        """Constants of each kind that fit the clusters but one."""
        best = {}
        for (constants, kind, _, _), errs in zip(GROUPS, errors):
            names = sorted({n for n, v in errs if errs[n, v] and n != without})
            if names:
                best[kind] = best.get(kind, ()) + min(
                    grid(constants), key=lambda v: sum(statistics.mean(errs[n, v]) for n in names))
        return best

    everything = refit(None)
    print("fitted on all:", everything)
    lines, totals = [], ([], [], [])
    for name in clusters:
        own = [c for c in cases if c["name"] == name]
        left = refit(name)
        values = left.get(KIND.get(own[0]["cluster"]), ())
        parts = []
        for constants, relative in (((), False), (values, False), (values, True)):
            relative = relative and bool(OWN.get(name))
            rows = player.play([player.wanted(c, constants, 0, 1 << 40, relative) for c in own])
            parts.append([100 * abs(r[1] / r[2] - 1) for r in rows])
        for t, part in zip(totals, parts):
            t.extend(part)
        lines.append([name, len(parts[0])] + ["%.1f" % f for part in parts
                                              for f in (statistics.median(part), trust.percentile(part, 0.9))]
                     + [" ".join("%s=%g" % v for v in values), " ".join(OWN.get(name, ()))])
        print(lines[-1], flush=True)
    lines.append(["all", len(totals[0])] + ["%.1f" % f for t in totals for f in (statistics.median(t), trust.percentile(t, 0.9))]
                 + ["", ""])
    path = os.path.join(o.out, "leave-one-out.csv")
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["cluster", "points", "fitted_median_pct", "fitted_p90_pct", "left_out_median_pct", "left_out_p90_pct",
                    "relative_median_pct", "relative_p90_pct", "refitted", "of_relative"])
        w.writerows(lines)
    if o.update:
        shutil.copy(path, trust.HERE)
    print(open(path).read())


if __name__ == "__main__":
    main()
