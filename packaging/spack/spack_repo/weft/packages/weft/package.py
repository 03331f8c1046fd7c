# SPDX-License-Identifier: GPL-2.0-only
"""weft from the source tree that this recipe lies in. Spack's own ns-3 is 3.34, older than weft needs: an ns-3 that was
installed by hand is an external package ns-3-dev of 3.37 or later (packages.yaml)."""

import os

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 6))


class Weft(CMakePackage):
    """Packet-level simulator of distributed ML training on RoCE fabrics."""

    license("GPL-2.0-only")

    version("main", git="file://" + SOURCE, branch="main")

    variant("ns3", default=False, description="ns-3's TCP, capture files, and the module for scripts of ns-3")
    variant("mpi", default=False, description="one run by several processes")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("protobuf-c")
    depends_on("jansson")
    depends_on("libxml2")
    depends_on("libyaml")
    depends_on("uthash", type="build")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("zstd@1.4:")
    depends_on("ns-3-dev@3.37:", when="+ns3")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("CCACHE_PROGRAM", "OFF"),
            self.define("WEFT_TESTS", False),
            self.define_from_variant("WEFT_NS3", "ns3"),
            self.define_from_variant("WEFT_MPI", "mpi"),
        ]
        if self.spec.satisfies("+ns3"):
            args.append(self.define("NS3_ROOT", self.spec["ns-3-dev"].prefix))
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.weft)("run", "allreduce-clos16", "--no-out")
