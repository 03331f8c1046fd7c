# SPDX-License-Identifier: MIT
"""The program weft: where it is, and runs and sweeps by it."""

import json
import os
import shutil
import subprocess
import tempfile
import weakref

from .folder import as_table, load, read_table


def find():
    """The command that starts weft: $WEFT, the program beside this package's installation, or that in PATH."""
    given = os.environ.get("WEFT")
    if given:
        return given
    here = os.path.dirname(os.path.abspath(__file__))
    while True:
        beside = os.path.join(here, "bin", "weft")
        if os.access(beside, os.X_OK):
            return beside
        parent = os.path.dirname(here)
        if parent == here:
            break
        here = parent
    found = shutil.which("weft")
    if not found:
        raise FileNotFoundError("weft is not in PATH: set the variable WEFT to the program")
    return found


def setting_list(settings):
    """["KEY=VALUE"] of a mapping or a list."""
    if hasattr(settings, "items"):
        return ["%s=%s" % (key, _text(value)) for key, value in settings.items()]
    return [str(setting) for setting in settings or ()]


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _call(arguments, scenario, settings, codes):
    command = [find()] + arguments[:1] + ([str(scenario)] if scenario is not None else []) + arguments[1:]
    for setting in setting_list(settings):
        command += ["--set", setting]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in codes:
        raise RuntimeError("%s\n%s" % (" ".join(command), done.stderr.strip()))
    return done


class Figure:
    """A picture that shows itself in a notebook; `svg` is its text."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg


def figure(runs, kind, labels=(), settings=()):
    """Draws a figure of `weft plot` (kinds: weft plot --list) of a run or of several; needs gnuplot."""
    runs = runs if isinstance(runs, (list, tuple)) else [runs]
    arguments = ["plot"] + [getattr(run, "path", str(run)) for run in runs] + [kind, "--to", "svg", "--out", "-"]
    for label in labels:
        arguments += ["--label", label]
    return Figure(_call(arguments, None, settings, (0,)).stdout)


def compare(a, b):
    """What differs between two runs: a table with `figure`, `a`, `b` and `change`, what moved furthest first."""
    arguments = ["compare", getattr(a, "path", str(a)), getattr(b, "path", str(b)), "--all", "--json"]
    rows = json.loads(_call(arguments, None, (), (0, 1)).stdout)["figures"]
    return as_table([{"figure": r["key"], "a": r["a"], "b": r["b"], "change": r["change"]} for r in rows])


def diagnose(scenario=None, settings=(), budget="60s"):
    """What makes a run slow: a table with `change`, `ratio` (time with the change over time without), `advice`, in
    the order of `weft diagnose`."""
    text = _call(["diagnose", "--budget", budget, "--json"], scenario, settings, (0, 1)).stdout
    keys = ("change", "ratio", "advice")
    return as_table([{key: r.get(key) for key in keys} for r in json.loads(text)["changes"] if r["state"] == "played"])


def run(scenario=None, settings=(), out=None, check=True):
    """Runs a scenario and returns its folder (weft.Folder).

    `settings` is a mapping or a list of "KEY=VALUE". `out` is the folder; without it, it is a temporary one that
    goes with the result. With check=False a run that does not finish is returned, too.
    """
    temporary = None if out else tempfile.mkdtemp(prefix="weft-")
    folder = str(out) if out else os.path.join(temporary, "run")
    try:
        _call(["run", "--quiet", "--out", folder], scenario, settings, (0,) if check else (0, 1, 5))
        result = load(folder)
    except BaseException:
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)
        raise
    if temporary:
        weakref.finalize(result, shutil.rmtree, temporary, ignore_errors=True)
    return result


def sweep(scenario=None, vary=(), settings=(), metrics=(), seeds=None, jobs=1, out=None):
    """Runs every combination of `vary`, {"KEY": [VALUES]}, and returns the table of sweep.csv."""
    if not out:
        with tempfile.TemporaryDirectory(prefix="weft-") as temporary:
            return sweep(scenario, vary, settings, metrics, seeds, jobs, os.path.join(temporary, "sweep"))
    folder = str(out)
    arguments = ["sweep", "--out", folder, "--jobs", str(jobs), "--progress", "never"]
    for key, values in dict(vary).items():
        arguments += ["--vary", "%s=%s" % (key, "|".join(_text(v) for v in values))]
    for metric in metrics:
        arguments += ["--metric", metric]
    if seeds is not None:
        arguments += ["--seeds", "|".join(str(seed) for seed in seeds)]
    _call(arguments, scenario, settings, (0, 1))
    return read_table(os.path.join(folder, "sweep.csv"))
