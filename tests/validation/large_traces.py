#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Chakra traces of any size, to see that memory follows the number of nodes and not the bytes.

    large_traces.py PREFIX RANKS BYTES

Writes PREFIX.0.et .. of at least BYTES each: nodes of 636 bytes with the shapes, types and attributes that
PyTorch's traces have, each waiting for the one before it, 3 us of compute, and an all-reduce of 64 KiB over all
ranks in every 10,000. docs/explanation/performance.md has what came out with 8 ranks of 1.3 GB:

    large_traces.py /var/tmp/ten 8 1300000000
    weft run --no-out --set topology.type=single-switch --set single-switch.hosts=8 \\
        --set workload.type=chakra --set chakra.path=/var/tmp/ten --set chakra.memory=256MiB
"""
import sys

FIRST = 1 << 21  # numbers of nodes: so that each takes four bytes
BLOCK = 10000
COMP, COLLECTIVE = 4, 7  # NodeType
BOOL, INT64, UINT64, STRING = 27, 9, 13, 29  # members of AttributeProto


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def four(n):
    return bytes([n & 127 | 128, n >> 7 & 127 | 128, n >> 14 & 127 | 128, n >> 21 & 127])


def text(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def number(field, n):
    return varint(field << 3) + varint(n)


def attribute(name, member, value):
    return text(10, text(1, name) + (text if member == STRING else number)(member, value))


def framed(message):
    return varint(len(message)) + message


def tensors(field, values, shapes, types):
    return text(field, text(1, values) + text(2, shapes) + text(3, types))


def template(kind, name, micros, more):
    """A framed node, and where its number and that of the node before it go."""
    head = varint(1 << 3)
    body = head + four(0) + text(4, four(0)) + text(2, name) + number(3, kind) + number(7, micros) + more
    frame = len(varint(len(body)))
    return framed(body), frame + len(head), frame + len(head) + 4 + 2


ATTRIBUTES = (
    attribute(b"is_cpu_op", BOOL, 0) + attribute(b"rf_id", INT64, 4711) + attribute(b"fw_parent", INT64, 0)
    + attribute(b"seq_id", INT64, 1234) + attribute(b"scope", INT64, 7) + attribute(b"tid", INT64, 1)
    + attribute(b"fw_tid", INT64, 0)
    + attribute(b"op_schema", STRING,
                b"aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
    + attribute(b"num_ops", INT64, 1000000) + attribute(b"tensor_size", UINT64, 65536))
SHAPES = (
    tensors(8, b"[[3081, 3082, 0, 8388608, 2, 'cuda:0'], [3090, 3091, 0, 16777216, 2, 'cuda:0'], 1.0, False]",
            b"[[4096, 2048], [2048, 4096], [], []]",
            b"['Tensor(c10::Half)', 'Tensor(c10::Half)', 'Double', 'Bool']")
    + tensors(9, b"[[3101, 3102, 0, 16777216, 2, 'cuda:0']]", b"[[4096, 4096]]", b"['Tensor(c10::Half)']"))
KERNEL = template(COMP, b"void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_nn_align8>"
                        b"(cutlass_80_wmma)", 3, SHAPES + ATTRIBUTES)
REDUCE = template(COLLECTIVE, b"ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 3,
                  ATTRIBUTES + attribute(b"comm_type", INT64, 0) + attribute(b"comm_size", INT64, 65536))


def block(first):
    """BLOCK nodes in a chain, the last of them a collective."""
    node, own, before = KERNEL
    out = bytearray(node * (BLOCK - 1))
    for k in range(BLOCK - 1):
        at = k * len(node)
        out[at + own:at + own + 4] = four(first + k)
        out[at + before:at + before + 4] = four(first + k - 1)
    node, own, before = REDUCE
    last = bytearray(node)
    last[own:own + 4] = four(first + BLOCK - 1)
    last[before:before + 4] = four(first + BLOCK - 2)
    return bytes(out + last)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    prefix, ranks, least = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for rank in range(ranks):
        with open(f"{prefix}.{rank}.et", "wb") as f:
            f.write(framed(text(1, b"0.0.4")))
            f.write(framed(varint(1 << 3) + four(FIRST) + text(2, b"start") + number(3, COMP) + number(7, 1)
                           + attribute(b"is_cpu_op", BOOL, 0)))
            node = FIRST + 1
            while f.tell() < least:
                f.write(block(node))
                node += BLOCK


main()
