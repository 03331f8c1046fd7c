// SPDX-License-Identifier: GPL-2.0-only
// Readers and writers of topology files: what they make, round trips, and that damaged files are
// errors with a place, never crashes.
#include "topo.h"

#include "tests/base/temp_dir.h"
#include "topologies/deadlock.h"
#include "topologies/presets.h"
#include "topologies/read.h"
#include "topologies/write.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

using namespace weft_test;

namespace
{

// A server of two sockets: per socket a PCI switch with two GPUs and a NIC; all GPUs on one NVSwitch.
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

// Two machines whose GPUs see an NVSwitch that the machines do not show, on boards of CPU and GPU; bus
// addresses are the same on both.
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

// Two servers of two GPUs (0 to 3), an NVSwitch each (4, 5), two ToRs (6, 7) and an aggregation switch.
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

Fabric read(const std::string &path, weft_err *err)
{
    weft_fabric *f = nullptr;
    return Fabric(weft_topology_read(path.c_str(), &f, err) == 0 ? f : nullptr);
}

Fabric read_text(const std::string &body)
{
    File file(body);
    weft_err err{};
    Fabric f = read(file.path, &err);
    EXPECT_NE(f, nullptr) << text(err);
    return f;
}

std::string written(const Fabric &f, int (*write)(const weft_fabric *, FILE *, weft_err *))
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

void expect_same(const Fabric &a, const Fabric &b)
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

} // namespace

TEST(TopologyReaders, NcclServerHasItsNvlinksPciAndNics)
{
    Fabric f = read_text(NCCL);
    ASSERT_NE(f, nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
    EXPECT_EQ(f->nhosts, 4u);
    EXPECT_EQ(f->nswitches, 7u);        // 2 CPUs, 2 PCI switches, 2 NICs, 1 NVSwitch
    EXPECT_EQ(f->nlinks, 4u + 8u + 1u); // NVLinks, PCI (4 GPUs, 2 switches, 2 NICs), between CPUs
    std::multiset<uint64_t> rates;
    for (uint32_t i = 0; i < f->nlinks; i++)
        rates.insert(f->links[i].rate_bps);
    EXPECT_EQ(rates.count(12 * 20 * uint64_t{8000000000}), 4u); // 12 NVLinks of 20 GB/s
    EXPECT_EQ(rates.count(16 * uint64_t{8000000000}), 1u);      // between AMD CPUs: 16 GB/s
    EXPECT_EQ(rates.count(252061538462u), 7u);                  // 16 GT/s x 16 x 128/130
    const std::string notes = f->notes ? f->notes : "";
    EXPECT_NE(notes.find("<fpga> is not known here"), std::string::npos) << notes;
    EXPECT_NE(notes.find("taken as 8 GT/s x 16"), std::string::npos) << notes;
    Routes r = routes_of(f);
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++) {
            uint32_t p[8];
            EXPECT_EQ(weft_routes_path(r.get(), a, b, 1, p, 8),
                      a == b ? 0u : 2u); // NVLink, never PCI
            if (a != b) {
                EXPECT_EQ(f->links[f->ports[p[0]].link].rate_bps, 240 * uint64_t{8000000000});
            }
        }
}

TEST(TopologyReaders, ManyRemarksAreCounted)
{
    std::string text = NCCL;
    std::string unknown;
    for (int i = 0; i < 5000; i++)
        unknown += "<unheard-of/>";
    text.insert(text.rfind("</system>"), unknown);
    Fabric f = read_text(text);
    ASSERT_NE(f, nullptr);
    const std::string notes = f->notes;
    EXPECT_LE(std::count(notes.begin(), notes.end(), '\n'), 18) << notes;
    EXPECT_NE(notes.find(" more elements have no effect"), std::string::npos) << notes;
}

TEST(TopologyReaders, NodesThatNoLinkOfTheFileCanReach)
{
    File file("<topology>\n<nodes kind=\"host\" count=\"4194304\"/>\n</topology>\n");
    weft_err err = {};
    EXPECT_EQ(try_build("xml", {{"file", file.path}}, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_EQ(err.line, 2);
    EXPECT_NE(std::string(err.msg).find("4194304 nodes are more than a file of 60 bytes can link"),
              std::string::npos)
        << err.msg;
}

TEST(TopologyReaders, NcclServersJoinOverTheirNics)
{
    File file(NCCL);
    for (const char *rails : {"false", "true"}) {
        Fabric f = build("nccl", {{"file", file.path}, {"nodes", "3"}, {"rails", rails}});
        ASSERT_NE(f, nullptr);
        EXPECT_EQ(f->nhosts, 12u);
        EXPECT_EQ(f->nswitches, 21u + (rails[0] == 't' ? 2 : 1));
        Routes r = routes_of(f);
        EXPECT_EQ(weft_routes_hops(r.get(), 0, 1), 2u);
        EXPECT_EQ(weft_routes_hops(r.get(), 0, 4), 6u); // PCI, NIC, network, NIC, PCI
        weft_err err{};
        EXPECT_EQ(weft_deadlock_check(f.get(), nullptr, &err), 0) << text(err);
    }
}

TEST(TopologyReaders, NcclDevicesByTheirClass)
{
    Fabric f = read_text(NCCL_CLASSES);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 3u);
    EXPECT_EQ(f->nswitches, 1u + 2u + 2u);
    EXPECT_NE(std::string(f->notes ? f->notes : "").find("3 GPUs and 2 NICs are known by their PCI class alone"),
              std::string::npos);
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 1), 2u); // GPU, bridge, GPU
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 2), 4u); // over the CPU
    File file(NCCL_CLASSES);
    Fabric two = build("nccl", {{"file", file.path}, {"nodes", "2"}});
    ASSERT_NE(two, nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_all_pairs(two, routes_of(two)));
}

TEST(TopologyReaders, NcclMachinesShareAnNvswitchThatNobodyShows)
{
    Fabric f = read_text(NCCL_MACHINES);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 2u);
    EXPECT_EQ(f->nswitches, 2u + 2u + 1u + 1u); // CPUs, NICs, NVSwitch, network
    EXPECT_NE(std::string(f->notes ? f->notes : "").find("<gin> in a NIC is not known"), std::string::npos);
    Routes r = routes_of(f);
    uint32_t p[8];
    ASSERT_EQ(weft_routes_path(r.get(), 0, 1, 3, p, 8), 2u);
    EXPECT_EQ(f->links[f->ports[p[0]].link].rate_bps, 5774400000000u); // 18 x 40.1 GB/s
    uint32_t cpus = 0;
    for (uint32_t l = 0; l < f->nlinks; l++) // no link joins the CPUs of two machines
        cpus += f->links[l].rate_bps == 48000000000u;
    EXPECT_EQ(cpus, 0u);
}

TEST(TopologyReaders, RcclXgmiLinksAndMachines)
{
    Fabric f = read_text(RCCL);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 5u);
    EXPECT_EQ(f->nswitches, 2u + 2u + 1u);
    EXPECT_NE(std::string(f->notes ? f->notes : "").find("<hxgmi> in a GPU is not known"), std::string::npos);
    auto rate = [&](uint32_t a, uint32_t b) {
        for (uint32_t l = 0; l < f->nlinks; l++)
            if (f->links[l].a == a && f->links[l].b == b)
                return f->links[l].rate_bps / 8000000000;
        return uint64_t{0};
    };
    EXPECT_EQ(rate(0, 1), 48u);
    EXPECT_EQ(rate(0, 2), 96u);
    EXPECT_EQ(rate(1, 2), 48u);
    EXPECT_EQ(rate(3, 4), 36u);
    EXPECT_EQ(rate(0, 3) + rate(0, 4), 0u); // the same bus address, another machine
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 1), 1u);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 3), 6u); // over CPU, NIC, network, NIC, CPU
    ASSERT_NO_FATAL_FAILURE(expect_all_pairs(f, r));
}

TEST(TopologyReaders, SimaiServersTalkOverNvswitches)
{
    Fabric f = read_text(SIMAI);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 4u);
    ASSERT_EQ(f->ndims, 2u);
    EXPECT_EQ(f->dims[0].size, 2u);
    EXPECT_EQ(f->dims[0].rate_bps, 2880000000000u);
    EXPECT_EQ(f->dims[1].rate_bps, 400000000000u);
    EXPECT_FALSE(f->transit);
    Routes r = routes_of(f);
    uint32_t p[8];
    ASSERT_EQ(weft_routes_path(r.get(), 0, 1, 7, p, 8), 2u);
    EXPECT_EQ(peer_of(f, p[0]), 4u);
    ASSERT_EQ(weft_routes_path(r.get(), 0, 2, 7, p, 8), 2u);
    EXPECT_EQ(peer_of(f, p[0]), 6u);
    ASSERT_EQ(weft_routes_path(r.get(), 0, 3, 7, p, 8),
              4u); // over the aggregation switch, not NVLink
    EXPECT_EQ(peer_of(f, p[1]), 8u);
}

// Some files repeat the GPUs per server at the end of the first line.
TEST(TopologyReaders, SimaiHeaderWithASeventhNumber)
{
    std::string seven = SIMAI;
    seven.replace(seven.find("H100\n"), 5, "H100 2\n");
    Fabric f = read_text(SIMAI), g = read_text(seven.c_str());
    ASSERT_NE(f, nullptr);
    ASSERT_NE(g, nullptr);
    EXPECT_EQ(written(f, weft_fabric_write_xml), written(g, weft_fabric_write_xml));
}

TEST(TopologyReaders, AstraDimensionsBecomeAFabric)
{
    Fabric f = read_text(YAML);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 16u);
    ASSERT_EQ(f->ndims, 3u);
    EXPECT_STREQ(f->dims[0].kind, "ring");
    EXPECT_STREQ(f->dims[1].kind, "fully-connected");
    EXPECT_STREQ(f->dims[2].kind, "switch");
    EXPECT_EQ(f->dims[0].rate_bps, 50 * uint64_t{8} * 1073741824); // GB are 2^30 bytes there
    EXPECT_EQ(f->dims[2].delay_ps, 2000500);
    EXPECT_NE(std::string(f->notes ? f->notes : "").find("'extra-key' has no effect"),
              std::string::npos);
    Fabric j = read_text("{\n  \"logical-dims\": [\"8\",\"2\"]\n}\n");
    ASSERT_NE(j, nullptr);
    EXPECT_EQ(j->nhosts, 16u);
    Fabric old = read_text(
        "{\"topology-name\": \"Hierarchical\", \"topologies-per-dim\": [\"Ring\", \"Switch\"],"
        "\"units-count\": [4, 2], \"link-bandwidth\": [100, 25], \"link-latency\": [50, 500]}");
    ASSERT_NE(old, nullptr);
    EXPECT_EQ(old->dims[0].rate_bps, 800000000000u);
    EXPECT_EQ(old->dims[1].delay_ps, 500000);
}

TEST(TopologyReaders, AstraRingOfHostsWorksWhenHostsForward)
{
    const char *ring = "4 0 4\n0 1 25Gbps 0.005ms 0\n1 2 25Gbps 0.005ms 0\n2 3 25Gbps 0.005ms 0\n3 "
                       "0 25Gbps 0.005ms 0\n";
    File file(ring);
    weft_err err{};
    EXPECT_EQ(try_build("hpcc", {{"file", file.path}}, &err), nullptr);
    Fabric f = build("hpcc", {{"file", file.path}, {"hosts-forward", "true"}});
    ASSERT_NE(f, nullptr);
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 2), 2u);
}

TEST(TopologyReaders, XmlSaysEverything)
{
    size_t n;
    const weft_topology_ops *const *t = weft_topology_table(&n);
    for (size_t i = 0; i < n; i++) {
        bool needs_file = false;
        for (size_t k = 0; k < t[i]->params.n; k++)
            needs_file |= !t[i]->params.params[k].def;
        if (needs_file)
            continue;
        SCOPED_TRACE(t[i]->name);
        Fabric f = build(t[i]->name);
        const std::string xml = written(f, weft_fabric_write_xml);
        Fabric g = read_text(xml);
        ASSERT_NE(g, nullptr) << xml;
        ASSERT_NO_FATAL_FAILURE(expect_same(f, g));
        EXPECT_EQ(written(g, weft_fabric_write_xml), xml);
        for (uint32_t d = 0; d < f->ndims; d++)
            EXPECT_STREQ(f->dims[d].kind, g->dims[d].kind);
    }
}

TEST(TopologyReaders, XmlKeepsWhatDimensionsSetForThemselves)
{
    Fabric f = build(
        "multi", {{"dimensions", "torus shape=2x3 mtu=8KiB static-window.window=64KiB "
                                 "congestion-control=static-window; switch size=2 buffer=1MiB"}});
    const std::string xml = written(f, weft_fabric_write_xml);
    Fabric g = read_text(xml);
    ASSERT_NE(g, nullptr) << xml;
    EXPECT_EQ(written(g, weft_fabric_write_xml), xml);
    ASSERT_EQ(g->ndims, 3u);
    for (uint32_t d = 0; d < 2; d++) {
        EXPECT_EQ(g->dims[d].set.mtu_bytes, 8192u);
        EXPECT_STREQ(g->dims[d].set.control, "static-window window=64KiB");
    }
    EXPECT_EQ(g->dims[2].set.mtu_bytes, 0u);
    EXPECT_EQ(g->dims[2].set.buffer_bytes, 1048576u);
    Fabric h = read_text(
        "<topology type=\"multi\"><dimension type=\"ring\" size=\"4\" mtu=\"2KiB\"/></topology>");
    ASSERT_NE(h, nullptr);
    EXPECT_EQ(h->dims[0].set.mtu_bytes, 2048u);
}

TEST(TopologyReaders, HpccTextRoundTripsWhatItCanSay)
{
    for (const char *name : {"fat-tree", "leaf-spine", "dumbbell", "dual-plane"}) {
        SCOPED_TRACE(name);
        Fabric f = build(name), g = read_text(written(f, weft_fabric_write_hpcc));
        ASSERT_NE(g, nullptr);
        EXPECT_EQ(written(g, weft_fabric_write_hpcc), written(f, weft_fabric_write_hpcc));
    }
    weft_err err{};
    FILE *out = tmpfile();
    EXPECT_EQ(weft_fabric_write_hpcc(build("torus").get(), out, &err), WEFT_E_INPUT);
    fclose(out);
}

TEST(TopologyReaders, PicturesNameEveryNode)
{
    for (const char *name : {"fat-tree", "torus", "ring", "multi"}) {
        Fabric f = build(name);
        const std::string svg = written(f, weft_fabric_write_svg),
                          dot = written(f, weft_fabric_write_dot);
        for (uint32_t i = 0; i < f->nnodes; i++) {
            char buf[WEFT_NODE_NAME_MAX];
            const std::string node = weft_fabric_node_name(f.get(), i, buf);
            EXPECT_NE(svg.find(">" + node + "</text>"), std::string::npos) << name << " " << node;
            EXPECT_NE(dot.find("  " + node + " [shape"), std::string::npos) << name << " " << node;
        }
        EXPECT_EQ(svg.find("nan"), std::string::npos);
    }
}

TEST(TopologyReaders, EveryPresetBuildsAndCannotDeadlock)
{
    struct Seen {
        int n = 0;
        static void look(void *ctx, const char *name, const char *file)
        {
            SCOPED_TRACE(name);
            static_cast<Seen *>(ctx)->n++;
            weft_err err{};
            Fabric f = read(file, &err);
            ASSERT_NE(f, nullptr) << text(err);
            EXPECT_EQ(weft_deadlock_check(f.get(), nullptr, &err), 0) << text(err);
            Fabric g = build("preset", {{"name", name}});
            EXPECT_EQ(g->nlinks, f->nlinks);
        }
    } seen;
    weft_err err{};
    ASSERT_EQ(weft_preset_each(Seen::look, &seen, &err), 0) << text(err);
    EXPECT_GE(seen.n, 8);
    EXPECT_EQ(try_build("preset", {{"name", "dgx-h100-pot"}}, &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("'dgx-h100-pod'"), std::string::npos) << err.msg;
}

TEST(TopologyReaders, HpccPresetIsTheFileOfThatSimulator)
{
    const char *shared = getenv("WEFT_SHARED");
    const std::string file = std::string(shared ? shared : "") + "/data/hpcc/fat.txt";
    if (!std::ifstream(file))
        GTEST_SKIP() << "no " << file;
    weft_err err{};
    Fabric f = build("preset", {{"name", "hpcc-fat-tree-320"}}), g = read(file, &err);
    ASSERT_NE(g, nullptr) << text(err);
    ASSERT_EQ(f->nnodes, g->nnodes);
    auto edges = [](const Fabric &x) {
        std::multiset<std::tuple<uint32_t, uint32_t, uint64_t, int64_t>> s;
        for (uint32_t i = 0; i < x->nlinks; i++)
            s.insert({x->links[i].a, x->links[i].b, x->links[i].rate_bps, x->links[i].delay_ps});
        return s;
    };
    EXPECT_EQ(edges(f), edges(g));
}

// Cuts, flipped bytes, doubled and dropped pieces: an error with a message, or a fabric in order.
TEST(TopologyReaders, DamagedFilesAreErrorsNeverCrashes)
{
    std::mt19937 rng(7);
    const std::string xml = written(build("torus"), weft_fabric_write_xml);
    const std::vector<std::string> bodies = {
        NCCL,
        NCCL_CLASSES,
        NCCL_MACHINES,
        RCCL,
        SIMAI,
        YAML,
        xml,
        "<topology type=\"multi\"><dimension type=\"ring\" size=\"4\"/></topology>",
        "5 1 4\n4\n0 4 1Gbps 1us 0\n1 4 1Gbps 1us 0\n2 4 1Gbps 1us 0\n3 4 1Gbps 1us 0\n"};
    uint32_t good = 0, bad = 0;
    for (const std::string &body : bodies) {
        for (int round = 0; round < 250; round++) {
            std::string s = body;
            const size_t at = rng() % s.size();
            switch (round % 4) {
            case 0:
                s.resize(at);
                break;
            case 1:
                s[at] = static_cast<char>(rng() % 127 + 1);
                break;
            case 2:
                s.insert(at, s.substr(rng() % s.size(), rng() % 40));
                break;
            default:
                s.erase(at, rng() % 40 + 1);
            }
            File file(s);
            weft_err err{};
            Fabric f = read(file.path, &err);
            if (f) {
                good++;
                ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
            } else {
                bad++;
                ASSERT_TRUE(err.code == WEFT_E_INPUT || err.code == WEFT_E_LIMIT)
                    << text(err) << "\n"
                    << s;
                ASSERT_GT(std::string(err.msg).size(), 5u);
            }
        }
    }
    EXPECT_GT(good, 100u);
    EXPECT_GT(bad, 100u);
}

TEST(TopologyReaders, ErrorsNameThePlaceAndTheRemedy)
{
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"<topology type=\"rign\"/>", ":1:11: unknown topology 'rign'; did you mean 'ring'?"},
        {"<topology type=\"ring\"\n size=\"many\"/>", ":2:2: "},
        {"<topology type=\"ring\"><dimension type=\"ring\"/></topology>", "only type multi"},
        {"<topology type=\"multi\"><dimension size=\"4\"/></topology>",
         "needs the attribute 'type'"},
        {"<topology type=\"multi\"><dimension type=\"dumbbell\"/></topology>",
         "cannot be a dimension"},
        {"<topology type=\"hpcc\" file=\"x\"/>", "cannot refer to another"},
        {"<topology><nodes kind=\"host\" count=\"2\"/><lnk a=\"0\" b=\"1\"/></topology>",
         "did you mean 'link'?"},
        {"<topology><nodes kind=\"host\" count=\"2\"/><link a=\"0\" b=\"1\" "
         "rate=\"1Gbps\"/></topology>",
         "'delay' must be given"},
        {"<topology><nodes kind=\"host\" count=\"2\"/><link a=\"0\" b=\"9\" rate=\"1Gbps\" "
         "delay=\"1us\"/></topology>",
         "there is no node 9"},
        {"<system><cpu/></system>", "the dump has no GPU"},
        {"3 2 0 1 3 H100\n", "the file ends"},
        {"topology: [ Ring ]\nnpus_count: [ x ]\n", "'npus_count'"},
        {"topology: [ Hexagon ]\nnpus_count: [ 4 ]\n", "unknown dimension 'Hexagon'"},
        {"colour: red\n", "npus_count"},
    };
    for (const auto &[body, want] : cases) {
        File file(body);
        weft_err err{};
        EXPECT_EQ(read(file.path, &err), nullptr) << body;
        EXPECT_NE(text(err).find(want), std::string::npos) << body << "\n" << text(err);
    }
    weft_err err{};
    EXPECT_EQ(try_build("multi", {{"dimensions", "switch size=4; rail-optimised rails=8"}}, &err),
              nullptr);
    EXPECT_NE(std::string(err.msg).find("as many rails (8) as NPUs in the dimensions inside (4)"),
              std::string::npos)
        << err.msg;
    EXPECT_EQ(try_build("dragonfly", {{"groups", "6"}}, &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("nearest is 9 groups"), std::string::npos) << err.msg;
    EXPECT_EQ(try_build("torus", {{"shape", "4x"}}, &err), nullptr);
    EXPECT_EQ(try_build("rail-optimised", {{"rail-only", "true"}}, &err), nullptr);
}
