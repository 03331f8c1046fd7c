# SPDX-License-Identifier: GPL-2.0-only
# Read by ns-3's test.py: (program with arguments, whether to run it, whether to run it under valgrind).
cpp_examples = [
    ("weft-first", "True", "True"),
    ("weft-leaf-spine", "True", "False"),
    ("weft-ranks", "True", "False"),
    ("weft-incast", "True", "False"),
    ("weft-pfc-storm", "True", "False"),
    ("weft-buffer-sweep", "True", "False"),
    ("weft-dcqcn-vs-tcp", "True", "False"),
    ("weft-custom-cc", "True", "False"),
]
python_examples = []
