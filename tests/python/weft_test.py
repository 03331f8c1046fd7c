# SPDX-License-Identifier: GPL-2.0-only
"""The package weft: networks by weft serve, and folders of runs."""

import asyncio
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import weft

FABRIC = {"topology.type": "leaf-spine", "leaf-spine.leaves": 2, "leaf-spine.hosts-per-leaf": 4}
LIST = {**FABRIC, "workload.type": "flows"}


class Networks(unittest.TestCase):
    def test_messages_and_times(self):
        with weft.Net(settings=FABRIC) as net:
            self.assertEqual(net.hosts, 8)
            first = net.send(0, 5, 100000, user=2**63 + 1, tag=2**64 - 2)
            second = net.send(5, 0, 1000, after=[first], delay_ps=10)
            timer = net.timer(1000)
            self.assertEqual((first, second, timer), (0, 1, 2))
            stop = net.run(until="any")
            self.assertEqual((stop.why, stop.now_ps), ("event", 1000))
            self.assertEqual(stop.events, [weft.Event("timer", 1000, timer)])
            stop = net.run(until=[second])
            delivered = {e.id: e for e in stop.events if e.kind == "delivered"}
            self.assertEqual(stop.now_ps, delivered[second].time_ps)
            self.assertEqual(delivered[first].user, 2**63 + 1)
            self.assertEqual(delivered[first].tag, 2**64 - 2)
            net.send(1, 2, 10)  # at the very time of a completion
            self.assertEqual(net.run().why, "idle")
            self.assertEqual(net.stats()["acknowledged"], 3)
            self.assertGreater(net.link("h0-s8")["forward"]["packets"], 0)

    def test_receives_and_who_waits(self):
        with weft.Net(settings=FABRIC, receives=True) as net:
            wanted = net.recv(5, src=0, tag=7)
            any_other = net.recv(5)
            net.send(0, 5, 10, tag=8)
            stop = net.run(until=5_000_000_000)
            self.assertEqual([e.id for e in stop.events if e.kind == "matched"], [any_other])
            self.assertEqual(net.run().why, "stalled")
            self.assertEqual(net.explain(), ["h5: receive %d waits for a message of h0, tag 7" % wanted])

    def test_errors(self):
        with self.assertRaises(weft.WeftError) as caught:
            weft.Net(settings={"topology.type": "leaf-spin"})
        self.assertEqual(caught.exception.code, "input")
        self.assertIn("leaf-spine", str(caught.exception))
        with weft.Net(settings=FABRIC) as net:
            net.send(0, 99, 1)
            with self.assertRaises(weft.WeftError):
                net.run()
            self.assertEqual(net.send(0, 1, 1), 0)  # nothing was posted
            self.assertEqual(net.run().why, "idle")

    def test_numbers_of_posts_of_all_kinds(self):
        draw = random.Random(5)
        with weft.Net(settings={**FABRIC, "network.backend": "ideal"}, receives=True) as net:
            kinds = {}
            for turn in range(20):
                for _ in range(draw.randrange(30)):
                    kind = draw.randrange(3)
                    number = (net.timer(5) if kind == 0 else net.recv(1) if kind == 1 else net.send(0, 1, 9))
                    kinds[number] = ("timer", "matched", "delivered")[kind]
                for event in net.run(until=net.now_ps + draw.randrange(10**7)).events:
                    if event.kind != "acknowledged":
                        self.assertEqual(kinds[event.id], event.kind)

    def test_asyncio(self):
        async def session(host):
            net = await weft.AsyncNet.open(settings=FABRIC)
            net.send(host, 7, 1000)
            stop = await net.run()
            await net.close()
            return [e.src for e in stop.events if e.kind == "delivered"]

        async def all_of_them():
            return await asyncio.gather(*(session(host) for host in range(4)))

        self.assertEqual(asyncio.run(all_of_them()), [[0], [1], [2], [3]])

    def test_a_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "weft")
            server = subprocess.Popen([weft.find(), "serve", "--socket", path])
            self.addCleanup(server.kill)
            with socket.socket(socket.AF_UNIX) as first:  # it may be there and not be listened to
                while first.connect_ex(path):
                    time.sleep(0.01)
            with weft.Net(settings=FABRIC, socket=path) as a, weft.Net(settings=FABRIC, socket=path) as b:
                a.send(0, 1, 5)
                b.send(0, 2, 5)
                self.assertEqual(a.run().events[0].dst, 1)
                self.assertEqual(b.run().events[0].dst, 2)
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(), 0)


class Folders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.list = os.path.join(cls.dir.name, "flows.csv")
        with open(cls.list, "w", encoding="utf-8") as file:
            file.write("src,dst,size_bytes,start_ns\n0,5,100000,0\n1,6,2000,10.5\n")

    @classmethod
    def tearDownClass(cls):
        cls.dir.cleanup()

    def test_a_run_is_what_the_network_says(self):
        run = weft.run(settings={**LIST, "flows.file": self.list})
        self.assertEqual(run.outcome, "finished")
        flows = weft.load(run.path, use_pandas=False).flows
        with weft.Net(settings=FABRIC) as net:
            net.send(0, 5, 100000, qp=0)
            net.send(1, 6, 2000, at_ps=10500, qp=1)
            ends = {e.id: e.time_ps for e in net.run().events if e.kind == "delivered"}
        for row in flows:
            self.assertEqual(round(1000 * (row["start_ns"] + row["fct_ns"])), ends[row["tag"]])
        self.assertIn("links", run.tables)
        self.assertIn("finished", run._repr_html_())
        with self.assertRaises(AttributeError) as caught:
            run.flow
        self.assertIn("it has", str(caught.exception))

    def test_a_sweep(self):
        table = weft.sweep(settings={**LIST, "flows.file": self.list}, vary={"run.seed": [1, 2]}, metrics=["end-to-end"])
        self.assertEqual(len(table), 2)

    def test_tables_of_vidur(self):
        from weft import tables

        folder = os.path.join(self.dir.name, "tables")
        sets = [text for key, value in FABRIC.items() for text in ("--set", "%s=%s" % (key, value))]
        tables.main(sets + ["--out", folder, "--workers", "2", "4", "--node", "4", "--most", "8192"])
        reduce = weft.folder.read_table(os.path.join(folder, "all_reduce.csv"), use_pandas=False)
        self.assertEqual(reduce.columns[1:6], ["time_stats.all_reduce.%s" % s for s in ("min", "max", "mean", "median", "std")])
        self.assertEqual([(row["num_workers"], row["size"]) for row in reduce], [(n, s) for n in (2, 4) for s in (2048, 4096, 8192)])
        send = weft.folder.read_table(os.path.join(folder, "send_recv.csv"), use_pandas=False)
        self.assertEqual([row["devices_per_node"] for row in send], [2, 2, 2, 1, 1, 1])
        for near, far in zip(send[:3], send[3:]):
            self.assertLess(0, near["time_stats.send_recv.median"])
            self.assertLess(near["time_stats.send_recv.median"], far["time_stats.send_recv.median"])

    def test_types(self):
        path = os.path.join(self.dir.name, "table.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write('tag,name,x,n\n18446744073709551615,"a, b",1.5,\n9007199254740993,c,,3\n')
        table = weft.folder.read_table(path, use_pandas=False)
        self.assertEqual(table.column("tag"), [2**64 - 1, 2**53 + 1])
        self.assertEqual(table[0], {"tag": 2**64 - 1, "name": "a, b", "x": 1.5, "n": None})
        self.assertIn("<td>c</td>", table._repr_html_())

    def test_packed_tables_have_many_frames(self):
        if not shutil.which("zstd"):
            self.skipTest("zstd is not installed (zstd)")
        plain, packed = (os.path.join(self.dir.name, "t.csv" + e) for e in ("", ".zst"))
        with open(packed, "wb") as out:
            for part in ("n,x\n1,2\n", "3,4\n"):
                with open(plain, "w", encoding="utf-8") as file:
                    file.write(part)
                out.write(subprocess.run(["zstd", "-cq", plain], stdout=subprocess.PIPE, check=True).stdout)
        rows = [{"n": 1, "x": 2}, {"n": 3, "x": 4}]
        self.assertEqual(list(weft.folder.read_table(packed, use_pandas=False)), rows)
        with unittest.mock.patch.dict(sys.modules, {"zstandard": None}):  # by Python from 3.14 on
            self.assertEqual(list(weft.folder.read_table(packed, use_pandas=False)), rows)
        with unittest.mock.patch.dict(sys.modules, {"zstandard": None, "compression": None}):  # by the program zstd
            self.assertEqual(list(weft.folder.read_table(packed, use_pandas=False)), rows)
            with unittest.mock.patch.dict(os.environ, {"PATH": ""}), self.assertRaisesRegex(RuntimeError, "needs zstd"):
                weft.folder.read_table(packed, use_pandas=False)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed (python3-pandas)")
        path = os.path.join(self.dir.name, "table.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write('tag,name,x,n\n18446744073709551615,"a, b",1.5,\n9007199254740993,c,,3\n')
        frame = weft.folder.read_table(path)
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual([int(v) for v in frame["tag"]], [2**64 - 1, 2**53 + 1])
        self.assertEqual(int(frame["n"][1]), 3)
        run = weft.run(settings={**LIST, "flows.file": self.list})
        self.assertEqual(len(run.flows_with_links()), 2)


if __name__ == "__main__":
    unittest.main()
