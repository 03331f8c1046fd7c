#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures weft against hardware, point by point.

    scenarios/hardware/trust.py DATA [--weft PROGRAM] [--case TEXT] [--out FOLDER] [--update]

DATA holds the files of measurements that cases.csv names. Each case is played by `weft nccl-tests
--against`; --case takes those whose description contains TEXT. Writes errors.csv (a row for each
point), summary.md (the tables of README.md) and busbw.svg (a panel for each case) into FOLDER,
default out/hardware. --update puts the tables into README.md and the picture beside it.

Programs of MSCCL are made by this script: ring-PROTOCOL-CHANNELS-INSTANCES.xml, an all-gather in which the data of
rank r takes channel r % CHANNELS, each cut into INSTANCES. Those of one machine are many, so that they stand in a
class of their own, which is no part of "all"; three of them are drawn.

Half of the files serve to fit constants, the other half to judge them: those whose name has an odd
FNV-1a hash judge.
"""
import argparse
import csv
import math
import os
import statistics
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20
PROGRAMS = "MI300X, programs"
SIZES = [("to 256 KiB", 0, MIB // 4), ("to 64 MiB", MIB // 4, 64 * MIB), ("from 64 MiB", 64 * MIB, 1 << 60)]


def judges(name):
    """Whether a file judges: its FNV-1a hash is odd."""
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = (h ^ byte) * 0x100000001B3 % (1 << 64)
    return h % 2 == 1


def read_cases():
    with open(os.path.join(HERE, "cases.csv"), newline="") as f:
        return list(csv.DictReader(f))


def ring_program(folder, proto, channels, instances, n=8):
    """Writes the all-gather of MSCCL's allgather_ring: rank r sends its data, then passes on the others'."""
    rows = ['<algo name="ring" proto="%s" nchannels="%d" nchunksperloop="%d" ngpus="%d" coll="allgather" inplace="1">'
            % (proto, channels * instances, n * instances, n)]
    for rank in range(n):
        rows.append('<gpu id="%d" i_chunks="0" o_chunks="%d" s_chunks="0">' % (rank, n * instances))
        for tb in range(channels * instances):
            steps = []
            for k in range(n):
                origin = (rank - k) % n
                if origin % channels == tb // instances:
                    steps += [(kind, origin * instances + tb % instances) for kind in
                              (["r"] if k else []) + (["s"] if k + 1 < n else [])]
            rows.append('<tb id="%d" send="%d" recv="%d" chan="%d">' % (tb, (rank + 1) % n, (rank - 1) % n, tb))
            rows += ['<step s="%d" type="%s" srcbuf="o" srcoff="%d" dstbuf="o" dstoff="%d" cnt="1" depid="-1" deps="-1"'
                     ' hasdep="0"/>' % (i, kind, chunk, chunk) for i, (kind, chunk) in enumerate(steps)]
            rows.append("</tb>")
        rows.append("</gpu>")
    with open(os.path.join(folder, "ring-%s-%d-%d.xml" % (proto, channels, instances)), "w") as f:
        f.write("\n".join(rows + ["</algo>"]) + "\n")


def play(weft, data, case, folder, sets=(), sizes=None):
    """Rows of a case: bytes, simulated us, measured us, choice; none in sizes (from, to): no rows."""
    out = os.path.join(folder, "case-%d.csv" % threading.get_ident())
    command = [weft, "nccl-tests", case["cluster"], case["collective"], "-n", case["nodes"], "-g", case["gpus"],
               "--against", os.path.join(data, case["file"] + ".csv"), "--csv", out]
    if case["only"]:
        command += ["--only", case["only"]]
    command += case["options"].split()
    if case.get("class") == PROGRAMS:
        program = case["what"].split()[-1]
        proto, channels, instances = program.split("-")
        ring_program(folder, proto, int(channels), int(instances))
        command += ["--set", "system.algorithm-dir=" + folder,
                    "--set", "system.all-gather=msccl:file=ring-%s.xml:gpu=mi300x" % program]
    for setting in [s for s in case["set"].split("&") if s] + list(sets):
        command += ["--set", setting]
    if sizes:
        command += ["-b", str(max(sizes[0], 1)), "-e", str(min(sizes[1], 1 << 40))]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode and sizes and "in this range" in done.stderr:
        return []
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join(command), done.stderr))
    with open(out, newline="") as f:
        rows = [(int(r["bytes"]), float(r["time_us"]), float(r["measured_us"]), r["choice"],
                 float(r["busbw_GBps"])) for r in csv.DictReader(f)]
    os.remove(out)
    return rows


def percentile(values, share):
    """The smallest value that at least this share of them does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def spread(rows):
    off = [abs(r[1] / r[2] - 1) * 100 for r in rows]
    return "%d | %.1f | %.1f" % (len(off), statistics.median(off), percentile(off, 0.9)) if off else "0 | |"


def tables(played):
    lines = ["| class | size | fitted: points | median % | 90th % | judged: points | median % | 90th % |",
             "|---|---|---|---|---|---|---|---|"]
    for kind in sorted({c["class"] for c, _ in played}) + ["all"]:
        for name, low, high in SIZES + [("all", 0, 1 << 60)]:
            parts = []
            for judged in (False, True):
                rows = [r for c, rs in played for r in rs
                        if (kind == c["class"] or (kind == "all" and c["class"] != PROGRAMS))
                        and judges(c["file"]) == judged and (low <= r[0] < high)]
                parts.append(spread(rows))
            lines.append("| %s | %s | %s |" % (kind, name, " | ".join(parts)))
    lines += ["", "| case | file | role | points | median % | 90th % | largest: bytes | measured GB/s | simulated GB/s |",
              "|---|---|---|---|---|---|---|---|---|"]
    for case, rows in played:
        last = max(rows)
        lines.append("| %s | %s | %s | %s | %d | %.1f | %.1f |" % (
            case["what"] + ", " + case["collective"], case["file"], "judged" if judges(case["file"]) else "fitted",
            spread(rows), last[0], last[4] * last[1] / last[2], last[4]))
    return "\n".join(lines) + "\n"


def picture(played):
    """Bus bandwidth by size, measured (dots) and simulated (line), a panel for each case."""
    wide, high, columns = 370, 220, 4
    cases = [(c, r) for c, r in played if len({x[0] for x in r}) > 3
             and (c["class"] != PROGRAMS or c["what"].endswith("-4-1"))]
    lines = (len(cases) + columns - 1) // columns
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">'
           % (wide * columns, high * lines + 24), '<rect width="100%" height="100%" fill="white"/>',
           '<text x="8" y="15">Bus bandwidth in GB/s against size. Dots: measured. Line: simulated.</text>']
    for i, (case, rows) in enumerate(cases):
        x0, y0 = i % columns * wide + 42, i // columns * high + 44
        w, h = wide - 56, high - 62
        bus = [r[4] * r[1] / r[2] for r in rows] + [r[4] for r in rows]
        lx = [math.log10(r[0]) for r in rows]
        ly = [math.log10(max(b, 1e-3)) for b in bus]
        ax, bx, ay, by = min(lx), max(max(lx), min(lx) + 1), math.floor(max(min(ly), -3)), math.ceil(max(ly))

        def at(size, value):
            x = x0 + (math.log10(size) - ax) / (bx - ax) * w
            y = y0 + h - (math.log10(max(value, 10 ** ay)) - ay) / (by - ay) * h
            return x, y
        out.append('<text x="%d" y="%d">%s</text>' % (x0, y0 - 5, case["what"]))
        out.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (x0 + w, y0 - 5, case["collective"]))
        out.append('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#888"/>' % (x0, y0, w, h))
        for e in range(ay, by + 1):
            y = at(10 ** ax, 10 ** e)[1]
            out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>' % (x0, x0 + w, y, y))
            out.append('<text x="%d" y="%.1f" text-anchor="end">%g</text>' % (x0 - 4, y + 4, 10 ** e))
        for size, name in ((1 << 10, "1K"), (1 << 15, "32K"), (MIB, "1M"), (MIB << 5, "32M"), (MIB << 10, "1G")):
            if ax <= math.log10(size) <= bx:
                x = at(size, 1)[0]
                out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/>' % (x, x, y0, y0 + h))
                out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % (x, y0 + h + 12, name))
        points = sorted({(r[0], r[4]) for r in rows})
        out.append('<polyline fill="none" stroke="#0072b2" stroke-width="1.5" points="%s"/>'
                   % " ".join("%.1f,%.1f" % at(*p) for p in points))
        for r in rows:
            out.append('<circle cx="%.1f" cy="%.1f" r="2" fill="#d55e00"/>' % at(r[0], r[4] * r[1] / r[2]))
    return "\n".join(out + ["</svg>"]) + "\n"


def update(text, svg):
    path = os.path.join(HERE, "README.md")
    with open(path) as f:
        page = f.read()
    begin, end = "<!-- trust -->\n", "<!-- end -->"
    head, rest = page.split(begin, 1)
    with open(path, "w") as f:
        f.write(head + begin + text + rest[rest.index(end):])
    with open(os.path.join(HERE, "busbw.svg"), "w") as f:
        f.write(svg)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("data")
    p.add_argument("--weft", default="weft")
    p.add_argument("--case", default="")
    p.add_argument("--out", default=os.path.join("out", "hardware"))
    p.add_argument("--update", action="store_true")
    o = p.parse_args()
    os.makedirs(o.out, exist_ok=True)
    played = []
    for case in read_cases():
        if o.case in case["what"]:
            played.append((case, play(o.weft, o.data, case, o.out)))
            print("%s, %s: %s" % (case["what"], case["collective"], spread(played[-1][1])), flush=True)
    text, svg = tables(played), picture(played)
    with open(os.path.join(o.out, "errors.csv"), "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["file", "case", "collective", "role", "bytes", "measured_us", "simulated_us", "error_pct", "choice"])
        for case, rows in played:
            for r in rows:
                w.writerow([case["file"], case["what"], case["collective"],
                            "judged" if judges(case["file"]) else "fitted", r[0], "%.2f" % r[2], "%.2f" % r[1],
                            "%.1f" % (100 * (r[1] / r[2] - 1)), r[3]])
    with open(os.path.join(o.out, "summary.md"), "w") as f:
        f.write(text)
    with open(os.path.join(o.out, "busbw.svg"), "w") as f:
        f.write(svg)
    if o.update:
        update(text, svg)
    print(text)


if __name__ == "__main__":
    main()
