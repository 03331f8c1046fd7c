# SPDX-License-Identifier: MIT
"""Tables of collective times, as Vidur and simulators that stem from it read them:

    python3 -m weft.tables SCENARIO --out data/profiling/network/mine

writes all_reduce.csv and send_recv.csv: milliseconds by size and number of workers. A simulation has no noise, so that
min, max, mean and median are the same and the deviation is 0.
"""

import argparse
import csv
import os

from .net import Net
from .program import run

_STATISTICS = ("min", "max", "mean", "median", "std")


def sizes(most):
    """2 KiB, 4 KiB, ... to `most` bytes."""
    size, found = 2048, []
    while size <= most:
        found.append(size)
        size *= 2
    return found


def all_reduce_ms(scenario, settings, workers, size):
    """The time of an all-reduce of `size` bytes among the first `workers` hosts."""
    more = {"workload.type": "generate", "generate.kind": "all-reduce", "generate.ranks": workers, "generate.size": "%dB" % size}
    return run(scenario, {**dict(settings), **more}).json["summary"]["end_to_end_ns"] / 1e6


def send_recv_ms(scenario, settings, size, distance):
    """The time of a message from host 0 to host `distance`."""
    with Net(scenario, settings) as net:
        net.send(0, distance, size)
        return next(e.time_ps for e in net.run().events if e.kind == "delivered") / 1e9


def write(path, collective, rows):
    """Writes rows of (ms, workers, size, devices per node, most devices per node)."""
    names = ["time_stats.%s.%s" % (collective, s) for s in _STATISTICS]
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([""] + names + ["rank", "num_workers", "size", "collective", "devices_per_node", "max_devices_per_node"])
        for number, (ms, workers, size, devices, most) in enumerate(rows):
            out.writerow([number, ms, ms, ms, ms, 0.0, 0, workers, size, collective, devices, most])


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python3 -m weft.tables", description=__doc__.split("\n")[0])
    parser.add_argument("scenario", nargs="?", help="a scenario, whose fabric counts; its workload is replaced")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting; repeatable")
    parser.add_argument("--out", required=True, help="folder for all_reduce.csv and send_recv.csv")
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4, 8], help="groups of the all-reduce")
    parser.add_argument("--node", type=int, default=8, help="hosts of weft that are devices of one node")
    parser.add_argument("--most", type=int, default=64 << 20, help="largest size, bytes")
    o = parser.parse_args(arguments)
    settings = dict(setting.split("=", 1) for setting in o.set)
    os.makedirs(o.out, exist_ok=True)
    rows = [(all_reduce_ms(o.scenario, settings, n, size), n, size, min(n, o.node), o.node) for n in o.workers for size in sizes(o.most)]
    write(os.path.join(o.out, "all_reduce.csv"), "all_reduce", rows)
    with Net(o.scenario, settings) as net:
        apart = o.node if net.hosts > o.node else None  # a host of the next node
    rows = [(send_recv_ms(o.scenario, settings, size, 1), 2, size, 2, o.node) for size in sizes(o.most)]
    if apart:
        rows += [(send_recv_ms(o.scenario, settings, size, apart), 2, size, 1, o.node) for size in sizes(o.most)]
    write(os.path.join(o.out, "send_recv.csv"), "send_recv", rows)


if __name__ == "__main__":
    main()
