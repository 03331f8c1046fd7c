// SPDX-License-Identifier: GPL-2.0-only
// Topology files: texts to read, what is read from one, what is written, and whether two fabrics
// are the same.
#ifndef WEFT_TESTS_TOPOLOGIES_READERS_H
#define WEFT_TESTS_TOPOLOGIES_READERS_H

#include "topo.h"

#include "tests/base/temp_dir.h"
#include "topologies/read.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace readers
{

using namespace weft_test;

// A server of two sockets: per socket a PCI switch with two GPUs and a NIC; all GPUs on one
// NVSwitch.
const char *const NCCL = R"(<?xml version="1.0"?>
<system version="1">
  <cpu numaid="0" affinity="ffff" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
    <pci busid="0000:01:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:07:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="80" rank="0" gdr="1"><nvlink target="0000:c4:00.0" count="12" tclass="0x068000"/></gpu>
      </pci>
      <pci busid="0000:08:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="80" rank="1" gdr="1"><nvlink target="0000:c4:00.0" count="12" tclass="0x068000"/></gpu>
      </pci>
      <pci busid="0000:0b:00.0" class="0x020700" link_speed="16.0 GT/s PCIe" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="200000" port="1" latency="0.0" guid="0x1" gdr="1"/></nic>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1" affinity="ffff" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
    <pci busid="0000:81:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:87:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="3" sm="80" rank="3" gdr="1"><nvlink target="0000:c4:00.0" count="12" tclass="0x068000"/></gpu>
      </pci>
      <pci busid="0000:88:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="2" sm="80" rank="2" gdr="1"><nvlink target="0000:C4:00.0" count="12" tclass="0x068000"/></gpu>
      </pci>
      <pci busid="0000:8b:00.0" class="0x020700" link_speed="Unknown" link_width="0">
        <nic><net name="mlx5_1" dev="1" speed="200000" port="1"/></nic>
      </pci>
      <fpga model="x"/>
    </pci>
  </cpu>
</system>
)";

// As clouds ship them for their machines: which devices sit behind which bridge, by PCI class.
const char *const NCCL_CLASSES = R"(<!-- two groups of GPUs and a NIC -->
<system version="1">
  <cpu numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="ffff:ff:01.0" class="0x060400" link_speed="8 GT/s" link_width="16">
      <pci busid="0000:10:1c.0" class="0x030200" link_speed="8 GT/s" link_width="16"/> <!-- GPU 0 -->
      <pci busid="0000:10:1d.0" class="0x120000" link_speed="8 GT/s" link_width="16"/>
      <pci busid="0000:10:1b.0" class="0x020000" link_speed="8 GT/s" link_width="16"/>
    </pci>
    <pci busid="ffff:ff:02.0" class="0x060400" link_speed="8 GT/s" link_width="16">
      <pci busid="0000:20:1c.0" class="0x030200" link_speed="8 GT/s" link_width="16"/>
      <pci busid="0000:20:1b.0" class="0x020700" link_speed="8 GT/s" link_width="16"/>
    </pci>
  </cpu>
</system>
)";

// Two machines whose GPUs see an NVSwitch that the machines do not show, on boards of CPU and GPU;
// bus addresses are the same on both.
const char *const NCCL_MACHINES = R"(<system version="1">
  <cpu host_hash="0xa" numaid="0" arch="arm64">
    <pci busid="0008:01:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="100" rank="0" gdr="1">
        <nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/>
        <c2c bw="44712" count="5"/>
      </gpu>
    </pci>
    <nic><net name="mlx5_0" dev="0" speed="400000" port="1" gin="1"/></nic>
  </cpu>
  <cpu host_hash="0xb" numaid="0" arch="arm64">
    <pci busid="0008:01:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="100" rank="1" gdr="1">
        <nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/>
      </gpu>
    </pci>
    <nic><net name="mlx5_0" dev="0" speed="400000" port="1"/><gin/></nic>
  </cpu>
</system>
)";

// AMD GPUs joined by xGMI, each to each, on two machines with a NIC.
const char *const RCCL = R"(<system version="2">
  <cpu host_hash="0x1" numaid="0" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
    <pci busid="0000:43:00.0" class="0x038000" link_speed="16 GT/s" link_width="16">
      <gpu dev="0" sm="98" gcn="gfx942" arch="38911" rank="0" gdr="0">
        <xgmi target="0000:23:00.0" count="1" tclass="0x038000"/>
        <xgmi target="0000:26:00.0" count="2" tclass="0x038000"/>
      </gpu>
    </pci>
    <pci busid="0000:23:00.0" class="0x038000" link_speed="16 GT/s" link_width="16">
      <gpu dev="1" sm="98" gcn="gfx942" arch="38911" rank="1" gdr="0">
        <xgmi target="0000:43:00.0" count="1" tclass="0x038000"/>
        <xgmi target="0000:26:00.0" count="1" tclass="0x038000"/>
      </gpu>
    </pci>
    <pci busid="0000:26:00.0" class="0x038000" link_speed="16 GT/s" link_width="16">
      <gpu dev="2" sm="98" gcn="908" arch="38911" rank="2" gdr="0">
        <xgmi target="0000:43:00.0" count="2" tclass="0x038000"/>
        <xgmi target="0000:23:00.0" count="1" tclass="0x038000"/>
        <hxgmi target="0000:23:00.0"/>
      </gpu>
    </pci>
    <pci busid="0000:e1:00.0" class="0x020700" link_speed="16 GT/s" link_width="16">
      <nic><net name="mlx5_0" dev="0" speed="200000" port="1" guid="0x1" maxconn="262144" gdr="1"/></nic>
    </pci>
  </cpu>
  <cpu host_hash="0x2" numaid="0" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
    <pci busid="0000:43:00.0" class="0x038000" link_speed="16 GT/s" link_width="16">
      <gpu dev="0" sm="98" gcn="gfx90a" arch="38911" rank="3" gdr="0">
        <xgmi target="0000:23:00.0" count="1" tclass="0x038000"/>
      </gpu>
    </pci>
    <pci busid="0000:23:00.0" class="0x038000" link_speed="16 GT/s" link_width="16">
      <gpu dev="1" sm="98" gcn="gfx90a" arch="38911" rank="4" gdr="0"/>
    </pci>
    <pci busid="0000:e1:00.0" class="0x020700" link_speed="16 GT/s" link_width="16">
      <nic><net name="mlx5_0" dev="0" speed="200000" port="1" guid="0x2" maxconn="262144" gdr="1"/></nic>
    </pci>
  </cpu>
</system>
)";

// Two servers of two GPUs (0 to 3), an NVSwitch each (4, 5), two ToRs (6, 7) and an aggregation
// switch.
const char *const SIMAI = "9 2 2 3 10 H100\n4 5 6 7 8\n"
                          "0 4 2880Gbps 0.000025ms 0\n0 6 400Gbps 0.0005ms 0\n"
                          "1 4 2880Gbps 0.000025ms 0\n1 7 400Gbps 0.0005ms 0\n"
                          "2 5 2880Gbps 0.000025ms 0\n2 6 400Gbps 0.0005ms 0\n"
                          "3 5 2880Gbps 0.000025ms 0\n3 7 400Gbps 0.0005ms 0\n"
                          "6 8 400Gbps 0.0005ms 0\n7 8 400Gbps 0.0005ms 0\n";

const char *const YAML =
    "# one comment\ntopology: [ Ring, FullyConnected, Switch ]\n"
    "npus_count: [ 4, 2, 2 ]  # per dimension\nbandwidth: [ 50.0, 25, 12.5 ]\nlatency:\n"
    "  - 500.0\n  - 1000\n  - 2000.5\nextra-key: 7\n";

struct File {
    TempDir dir;
    std::string path;

    explicit File(const std::string &text, const char *name = "t") : path(dir / name)
    {
        std::ofstream(path, std::ios::binary) << text;
    }
};

inline Fabric read(const std::string &path, weft_err *err)
{
    weft_fabric *f = nullptr;
    return Fabric(weft_topology_read(path.c_str(), &f, err) == 0 ? f : nullptr);
}

inline Fabric read_text(const std::string &body)
{
    File file(body);
    weft_err err{};
    Fabric f = read(file.path, &err);
    EXPECT_NE(f, nullptr) << text(err);
    return f;
}

inline std::string written(const Fabric &f, int (*write)(const weft_fabric *, FILE *, weft_err *))
{
    char *p = nullptr;
    size_t n = 0;
    weft_err err{};
    FILE *out = open_memstream(&p, &n);
    EXPECT_EQ(write(f.get(), out, &err), 0) << text(err);
    fclose(out);
    std::string s(p, n);
    free(p);
    return s;
}

inline void expect_same(const Fabric &a, const Fabric &b)
{
    ASSERT_EQ(a->nnodes, b->nnodes);
    ASSERT_EQ(a->nlinks, b->nlinks);
    EXPECT_EQ(a->routing, b->routing);
    EXPECT_EQ(a->transit, b->transit);
    EXPECT_EQ(a->vcs, b->vcs);
    for (uint32_t i = 0; i < a->nnodes; i++) {
        EXPECT_EQ(a->nodes[i].kind, b->nodes[i].kind);
        EXPECT_EQ(a->nodes[i].tier, b->nodes[i].tier);
    }
    for (uint32_t i = 0; i < a->nlinks; i++) {
        const weft_fabric_link &x = a->links[i], &y = b->links[i];
        EXPECT_TRUE(x.a == y.a && x.b == y.b && x.rate_bps == y.rate_bps &&
                    x.delay_ps == y.delay_ps && x.dim == y.dim && x.error_rate == y.error_rate &&
                    x.cost == y.cost && x.order == y.order && x.dateline == y.dateline)
            << i;
    }
    Routes r = routes_of(a), s = routes_of(b);
    uint32_t p[64], q[64];
    for (uint32_t u = 0; u < a->nhosts; u++)
        for (uint32_t v = 0; v < a->nhosts; v += 3) {
            const uint32_t n = weft_routes_path(r.get(), u, v, u * 77 + v, p, 64);
            ASSERT_EQ(n, weft_routes_path(s.get(), u, v, u * 77 + v, q, 64));
            EXPECT_TRUE(std::equal(p, p + n, q));
        }
}

} // namespace readers

#endif
