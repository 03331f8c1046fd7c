# SPDX-License-Identifier: GPL-2.0-only
"""The notebooks of docs/notebooks, cell by cell, with what they display. They need pandas and gnuplot."""

import ast
import glob
import json
import os
import shutil
import sys
import unittest

try:
    import pandas
except ImportError:
    pandas = None

FOLDER = os.path.join(os.environ["WEFT_SOURCE_DIR"], "docs", "notebooks")
MOST_LINES = 15


def code_cells(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return ["".join(cell["source"]) for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]


def played(name):
    """The names of a notebook after its cells, and what each displays."""
    names, displays = {}, []
    for cell in code_cells(name):
        tree = ast.parse(cell)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), names)
        if last is not None:
            displays.append(eval(compile(ast.Expression(last.value), name, "eval"), names))
    return names, displays


class Notebooks(unittest.TestCase):
    def test_they_are_short(self):
        names = [os.path.basename(path) for path in glob.glob(os.path.join(FOLDER, "*.ipynb"))]
        self.assertEqual(sorted(names), ["hpcc.ipynb", "training-step.ipynb"])
        for name in names:
            lines = [line for cell in code_cells(name) for line in cell.split("\n") if line]
            self.assertLessEqual(len(lines), MOST_LINES, name)

    def test_hpcc(self):
        names, (figure, comparison, probes) = played("hpcc.ipynb")
        self.assertIn("<svg", figure._repr_svg_())
        for label in ("DCQCN", "HPCC"):
            self.assertIn(label, figure.svg)
        self.assertIn("<table", comparison._repr_html_())
        marks = comparison[comparison["figure"] == "ecn_marks"].iloc[0]
        self.assertGreater(marks["a"], 0)
        self.assertEqual(marks["b"], 0)
        self.assertLess(probes["HPCC"], probes["DCQCN"])  # the paper: short flows find next to no queue
        self.assertEqual(str(names["hpcc"].flows["tag"].dtype), "int64")

    def test_training_step(self):
        names, (run, figure, times, causes) = played("training-step.ipynb")
        self.assertIn("end_to_end_ns", run._repr_html_())
        self.assertIn("<svg", figure._repr_svg_())
        self.assertEqual(times.index.tolist()[:3], ["all-gather", "all-reduce", "compute"])
        self.assertGreater(times["compute"], times["all-reduce"])
        self.assertIn("<table", causes._repr_html_())
        self.assertEqual(list(causes.columns), ["change", "ratio", "advice"])
        self.assertIn("microbatches", causes["change"].iloc[0])  # the bubble of the pipeline
        self.assertLess(causes["ratio"].iloc[0], 0.6)


if __name__ == "__main__":
    if pandas is None or not shutil.which("gnuplot"):
        print("skipped: pandas or gnuplot is not there")
        sys.exit(0)
    unittest.main()
