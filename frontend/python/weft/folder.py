# SPDX-License-Identifier: MIT
"""Run folders: run.json and the tables, with whole numbers of 64 bits kept as such.

Tables are pandas.DataFrame where pandas is installed, else Table, a list of rows.
"""

import csv
import glob
import html
import io
import json
import os
import subprocess


class Table(list):
    """Rows as dictionaries; `columns` are their names in order."""

    def __init__(self, columns, rows):
        super().__init__(rows)
        self.columns = columns

    def column(self, name):
        """The values of a column."""
        return [row[name] for row in self]

    def _repr_html_(self):
        head = "".join("<th>%s</th>" % html.escape(name) for name in self.columns)
        rows = ["".join("<td>%s</td>" % html.escape(str(row[name])) for name in self.columns) for row in self[:60]]
        return "<table><tr>%s</tr>%s</table>" % (head, "".join("<tr>%s</tr>" % row for row in rows))


def _value(text):
    """A cell: a whole number, a real one, or text; None where it is empty."""
    if text == "":
        return None
    try:
        return int(text, 16 if text.startswith("0x") else 10)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _unpacked(path):
    """The text of a table, which may be packed."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] == b"\x28\xb5\x2f\xfd":
        data = _unpack(path, data)
    return data.decode("utf-8", "replace")


def _unpack(path, data):
    """What a table has, of many frames, one a MiB."""
    try:
        import zstandard

        return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    except ImportError:
        pass
    try:
        from compression import zstd  # Python 3.14

        return zstd.decompress(data)
    except ImportError:
        pass
    try:
        return subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    except FileNotFoundError:
        raise RuntimeError(path + " is packed: needs zstd (Debian: zstd or python3-zstandard)") from None


def read_table(path, use_pandas=None):
    """Reads a table. use_pandas: True, False, or None: where it is installed."""
    text = _unpacked(path)
    rows = csv.reader(io.StringIO(text))
    columns = next(rows, [])
    return _framed(Table(columns, [dict(zip(columns, map(_value, row))) for row in rows]), use_pandas)


def _framed(table, use_pandas):
    if use_pandas is False:
        return table
    try:
        import pandas
    except ImportError:
        if use_pandas:
            raise
        return table
    columns = table.columns
    return pandas.DataFrame({name: _series(pandas, table.column(name)) for name in columns}, columns=columns)


def _series(pandas, values):
    """A column: whole numbers keep all of their 64 bits, also where cells are empty."""
    if any(isinstance(v, int) for v in values) and all(v is None or isinstance(v, int) for v in values):
        large = any(v is not None and v > 2**63 - 1 for v in values)
        if None in values:
            return pandas.array(values, dtype="UInt64" if large else "Int64")
        return pandas.array(values, dtype="uint64" if large else "int64")
    if all(v is None or isinstance(v, (int, float)) for v in values):
        return pandas.array([float("nan") if v is None else float(v) for v in values], dtype="float64")
    return values


def as_table(rows, use_pandas=None):
    """A table of dictionaries with the same keys: a pandas.DataFrame or a Table."""
    return _framed(Table(list(rows[0]) if rows else [], rows), use_pandas)


class Folder:
    """A run folder. Tables are attributes: `flows`, `links`, `ops`, and those of the folder `series` by series("queue")."""

    def __init__(self, path, use_pandas=None):
        self.path = str(path)
        self._use_pandas = use_pandas
        self._tables = {}
        with open(os.path.join(self.path, "run.json"), encoding="utf-8") as file:
            self.json = json.load(file)

    @property
    def tables(self):
        """Names of the tables that there are."""
        names = [os.path.relpath(p, self.path) for p in glob.glob(os.path.join(self.path, "*.csv*"))]
        return sorted(name.split(".csv")[0] for name in names)

    def table(self, name):
        """A table by its name."""
        if name not in self._tables:
            for ending in (".csv", ".csv.zst"):
                path = os.path.join(self.path, name + ending)
                if os.path.exists(path):
                    self._tables[name] = read_table(path, self._use_pandas)
                    break
            else:
                raise KeyError("%s has no table '%s': it has %s" % (self.path, name, ", ".join(self.tables)))
        return self._tables[name]

    def series(self, name):
        """A table of the folder `series`: "queue", "throughput", ..."""
        return self.table(os.path.join("series", name))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.table(name)
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def flows_with_links(self):
        """Flows, joined with the links of their source hosts (columns source_*): pandas alone."""
        if not hasattr(self.links, "add_prefix"):
            raise ImportError("flows_with_links needs pandas (Debian: python3-pandas)")
        links = self.links.add_prefix("source_")
        source = "h" + self.flows["from"].astype(str)
        return self.flows.assign(source_from=source).merge(links, on="source_from", how="left")

    @property
    def outcome(self):
        """"finished", "stalled", ..."""
        return self.json.get("outcome", self.json.get("summary", {}).get("outcome"))

    def __repr__(self):
        return "<weft run %s: %s>" % (self.path, self.outcome)

    def _repr_html_(self):
        summary = self.json.get("summary", {})
        plain = {key: v for key, v in summary.items() if not isinstance(v, (dict, list))}
        rows = "".join("<tr><th>%s</th><td>%s</td></tr>" % (html.escape(k), html.escape(str(v))) for k, v in plain.items())
        return "<b>%s</b>: %s<table>%s</table>" % (html.escape(self.path), html.escape(str(self.outcome)), rows)


def load(path, use_pandas=None):
    """Reads a run folder."""
    return Folder(path, use_pandas)
