#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures how long the kernels of transformer training take on a GPU, and writes the file that
weft's `training.kernels` reads:

    measure-kernels.py -o my-gpu.csv
    weft run ... --set workload.type=training --set training.kernels=my-gpu.csv

Needs PyTorch. Each kernel is called three times, then nine times between two CUDA events, after a
buffer larger than the L2 cache was cleared. The median counts. `launch` is the time between the two
events with nothing between them, which all other times include.
"""

import argparse
import csv
import statistics
import sys

# hidden, heads, key-value heads, feed-forward width, gated, rows of the embedding
MODELS = {
    "llama3-8b": (4096, 32, 8, 14336, True, 128256),
    "llama3-70b": (8192, 64, 8, 28672, True, 128256),
    "llama3-405b": (16384, 128, 8, 53248, True, 128256),
    "mixtral-8x7b": (4096, 32, 8, 14336, True, 32000),
    "gpt3-13b": (5120, 40, 40, 20480, False, 51200),
    "gpt3-175b": (12288, 96, 96, 49152, False, 51200),
}
HEAD_WIDTH = 128


def products(model, tp, tokens):
    """(m, n, k) of the products of a block and of the head, forward and both gradients."""
    hidden, heads, kv_heads, ffn, gated, vocab = MODELS[model]
    qkv = (heads + 2 * max(kv_heads, tp)) * HEAD_WIDTH // tp
    forward = [(tokens, qkv, hidden), (tokens, hidden, heads * HEAD_WIDTH // tp),
               (tokens, ffn * (2 if gated else 1) // tp, hidden), (tokens, hidden, ffn // tp)]
    if tokens <= 8192:
        forward.append((tokens, vocab // tp, hidden))
    return [s for m, n, k in forward for s in ((m, n, k), (m, k, n), (k, n, m))]


def shapes(args):
    """All kernels to measure, each once: (kind, m, n, k)."""
    found = dict.fromkeys([("launch", 1, 1, 1)])
    for model in args.models:
        for tp in args.tp:
            for tokens in args.tokens:
                for shape in products(model, tp, tokens):
                    found[("gemm", *shape)] = None
                    if args.fp8:
                        found[("gemm-fp8", *shape)] = None
    for sequence in (2048, 4096, 8192, 16384):
        for heads in (1, 2, 4, 8, 16, 32, 64):
            if sequence * heads <= 524288:
                found[("attention", sequence, heads, HEAD_WIDTH)] = None
                found[("attention-backward", sequence, heads, HEAD_WIDTH)] = None
    for rows in (512, 2048, 4096, 8192):
        for width in (4096, 8192, 16384):
            found[("norm", rows, width, 1)] = None
            found[("elementwise", 6 * rows * width, 1, 1)] = None
    for parameters in (1 << 20, 1 << 24, 1 << 27):
        found[("optimizer", parameters, 1, 1)] = None
    return list(found)


class Roofline:
    """A timer without a GPU: 4 us and the roofline of a GPU that does what it promises."""

    def __init__(self, tflops):
        self.name = f"roofline of {tflops:g} TFLOP/s"
        self.per_us = tflops * 1e6

    def us(self, kind, m, n, k):
        work = {"gemm": 2 * m * n * k, "gemm-fp8": m * n * k, "attention": 2 * m * m * n * k,
                "attention-backward": 5 * m * m * n * k, "norm": 1200 * m * n,
                "elementwise": 300 * m, "optimizer": 9000 * m, "launch": 0}
        return 4 + work[kind] / self.per_us


class Cuda:
    """Times on a GPU."""

    def __init__(self, device, calls, warm_up):
        try:
            import torch  # here: all else works without
        except ImportError:
            sys.exit("measure-kernels.py: PyTorch is not installed (pip install torch)")
        if not torch.cuda.is_available():
            sys.exit("measure-kernels.py: PyTorch sees no GPU")
        self.torch, self.device, self.calls, self.warm_up = torch, device, calls, warm_up
        self.name = torch.cuda.get_device_name(device)
        self.flush = torch.empty(1 << 28, dtype=torch.uint8, device=device)

    def tensor(self, *shape, dtype=None, grad=False):
        t = self.torch.randn(*shape, device=self.device, dtype=self.torch.float32)
        return t.to(dtype or self.torch.bfloat16).requires_grad_(grad)

    def kernel(self, kind, m, n, k):
        """The call to time."""
        torch, fused = self.torch, self.torch.nn.functional
        if kind == "launch":
            return lambda: None
        if kind == "gemm":
            a, b = self.tensor(m, k), self.tensor(k, n)
            return lambda: a @ b
        if kind == "gemm-fp8":
            a, b = (self.tensor(*s, dtype=torch.float8_e4m3fn) for s in ((m, k), (n, k)))
            one = torch.ones((), device=self.device)
            return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one,
                                            out_dtype=torch.bfloat16)
        if kind in ("attention", "attention-backward"):
            backward = kind != "attention"
            q, key, v = (self.tensor(1, n, m, k, grad=backward) for _ in range(3))
            if not backward:
                return lambda: fused.scaled_dot_product_attention(q, key, v, is_causal=True)
            out = fused.scaled_dot_product_attention(q, key, v, is_causal=True)
            gradient = torch.randn_like(out)
            return lambda: torch.autograd.grad(out, (q, key, v), gradient, retain_graph=True)
        if kind == "norm":
            a, w = self.tensor(m, n), self.tensor(n)
            return lambda: fused.rms_norm(a, (n,), w)
        if kind == "elementwise":
            a, b = self.tensor(m // 6), self.tensor(m // 6)
            c = torch.empty_like(a)
            return lambda: torch.add(a, b, out=c)
        p = self.tensor(m, dtype=torch.float32, grad=True)
        p.grad = torch.zeros_like(p)
        return torch.optim.AdamW([p], fused=True).step

    def us(self, kind, m, n, k):
        call, event = self.kernel(kind, m, n, k), self.torch.cuda.Event
        for _ in range(self.warm_up):
            call()
        times = []
        for _ in range(self.calls):
            before, after = event(enable_timing=True), event(enable_timing=True)
            self.flush.zero_()
            before.record()
            call()
            after.record()
            self.torch.cuda.synchronize(self.device)
            times.append(before.elapsed_time(after) * 1e3)
        return statistics.median(times)


def words(text):
    names = text.split(",")
    for name in names:
        if name not in MODELS:
            raise argparse.ArgumentTypeError(f"no model '{name}'; there are {', '.join(MODELS)}")
    return names


def numbers(text):
    try:
        values = [int(v) for v in text.split(",")]
    except ValueError:
        values = [0]
    if min(values) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be whole numbers from 1 on, joined by commas")
    return values


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("-o", "--output", required=True, help="file to write")
    p.add_argument("--models", type=words, default=list(MODELS), metavar="NAME,...",
                   help="shapes of these models; all: " + ", ".join(MODELS))
    p.add_argument("--tp", type=numbers, default=[1, 2, 4, 8], metavar="N,...",
                   help="degrees of tensor parallelism")
    p.add_argument("--tokens", type=numbers, default=[128, 512, 1024, 2048, 4096, 8192, 16384],
                   metavar="N,...", help="tokens of a microbatch on a rank")
    p.add_argument("--fp8", action="store_true", help="products in FP8 as well")
    p.add_argument("--device", default="cuda:0")
    p.add_argument("--calls", type=int, default=9, help="timed calls of each kernel")
    p.add_argument("--warm-up", type=int, default=3, help="calls before them")
    p.add_argument("--roofline", type=float, metavar="TFLOPS",
                   help="no GPU: times of an ideal one of so many TFLOP/s, to try the file with")
    args = p.parse_args()
    kernels = shapes(args)
    if len(kernels) > 2048:
        p.error(f"{len(kernels)} kernels, but weft reads 2048 at most: fewer models, tp or tokens")
    timer = Roofline(args.roofline) if args.roofline else Cuda(args.device, args.calls, args.warm_up)
    with open(args.output, "w", newline="") as f:
        f.write(f"# kernel times of {timer.name}\n")
        out = csv.writer(f, lineterminator="\n")
        out.writerow(("kind", "m", "n", "k", "us"))
        for i, kernel in enumerate(kernels):
            try:
                out.writerow((*kernel, f"{timer.us(*kernel):.2f}"))
            except RuntimeError as e:  # out of memory, no such kernel on this GPU
                print(f"left out {kernel}: {str(e).splitlines()[0]}", file=sys.stderr)
            if (i + 1) % 100 == 0:
                print(f"{i + 1} of {len(kernels)}", file=sys.stderr)
    print(f"{args.output}: {timer.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
