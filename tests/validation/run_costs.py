#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Estimates of 'weft check' beside what runs took, as CSV: cost.py WEFT [SCENARIO...].

Without scenarios all that are shipped. Runs have one thread and no replay. CPU time is that of this
machine: beside other work it says little."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

FIGURES = [("packet_hops", "packet-hops"), ("cpu_time_s", "CPU s"), ("memory_bytes", "memory MB")]


def find(node, key):
    """The first member of this name, at any depth."""
    if isinstance(node, dict):
        if key in node:
            return node[key]
        for value in node.values():
            if (found := find(value, key)) is not None:
                return found
    return None


def answer(*command):
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


def measure(weft, scenario):
    """Pairs of estimate and measurement, or None where there are no packets."""
    cost = answer(weft, "check", scenario, "--json")["cost"]
    with tempfile.TemporaryDirectory() as folder:
        run = answer(weft, "run", scenario, "--json", "--quiet", "--out", f"{folder}/run",
                     "--set", "run.replay=off", "--set", "run.threads=1")
    if cost is None or not find(run, "packet_hops"):
        return None
    took = {"memory_bytes": find(run, "peak_rss_bytes")}
    pairs = [(cost[key], took.get(key) or find(run, key)) for key, _ in FIGURES]
    pairs[2] = tuple(value / 1e6 for value in pairs[2])
    return cost["transport"], pairs


def main():
    weft, *names = sys.argv[1:]
    root = pathlib.Path(__file__).resolve().parents[2] / "scenarios"
    names = names or sorted(p.parent.name for p in root.glob("*/scenario.xml"))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["scenario", "transport"] +
                 [f"{what}, {of}" for _, what in FIGURES for of in ("estimate", "run")])
    for name in names:
        found = measure(weft, str(root / name))
        if found:
            out.writerow([name, found[0]] + [f"{value:.3g}" for pair in found[1] for value in pair])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
