# SPDX-License-Identifier: MIT
"""weft from Python: a network for a simulator of your own, and the results of runs.

    import weft

    with weft.Net("scenario.xml") as net:          # weft serve, in a process of its own
        net.send(0, 5, 1 << 20)
        for event in net.run(until="any").events:
            print(event.kind, event.time_ps)

    run = weft.run("scenarios/allreduce-clos16", {"run.seed": 2})
    run.flows                                      # pandas.DataFrame where there is pandas

This package is pure Python and calls the program weft; it links nothing of it.
"""

from .folder import Folder, Table, load
from .net import AsyncNet, Event, Net, Stop, WeftError
from .program import Figure, compare, diagnose, figure, find, run, sweep

__all__ = ["AsyncNet", "Event", "Figure", "Folder", "Net", "Stop", "Table", "WeftError", "compare", "diagnose", "figure"]
__all__ += ["find", "load", "run", "sweep"]
