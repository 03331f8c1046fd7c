#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Training steps beside weft in one table:

    weft sweep scenarios/training-steps -j 2 --out out/steps
    scenarios/hardware/steps.py out/steps > scenarios/hardware/steps.csv

A row for each job: the source of its measured time, the time of weft, the error of that, and whether
a constant was fitted on it. `without_network` marks jobs that weft played without a network.
"""
import csv
import os
import sys

SOURCES = {"gpt3": "mlperf41-eos-dell", "lora": "mlperf41-eos-dell", "qwen3": "aws-moe-steps-qwen3-30b-p5",
           "opt": "sailor-opt350-alps"}
UNITS = {"ms": 1e-3, "s": 1}


def seconds(text):
    for unit, factor in UNITS.items():
        if text.endswith(unit):
            return float(text[:-len(unit)]) * factor
    sys.exit(f"steps.py: no time: {text}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: steps.py FOLDER")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("file", "job", "measured_s", "weft_s", "error", "fitted", "without_network"))
    for sweep, source in SOURCES.items():
        with open(os.path.join(sys.argv[1], sweep, "sweep.csv"), newline="") as f:
            for row in csv.DictReader(f):
                measured, weft = seconds(row["reference.step"]), float(row["step_ns"]) * 1e-9
                out.writerow((source, f"{sweep}: {row['job']}", f"{measured:g}", f"{weft:.5g}",
                              f"{weft / measured - 1:+.4f}", int("fitted" in row["job"]),
                              int("no network" in row["job"])))


if __name__ == "__main__":
    main()
