// SPDX-License-Identifier: GPL-2.0-only
// InfraGraph documents, flattened: every link against an expansion of the same hosts by hand.
#include "readers.h"

#include "base/rng.h"

#include <algorithm>
#include <tuple>

namespace
{

using namespace readers;

/* Hosts of XPUs around NVSwitches, with PCIe switches and a NIC per XPU; NIC j of each host meets
 * leaf j mod leaves; all leaves meet all spines. */
struct Cluster {
    uint32_t hosts, xpus, nvsw, pcie, leaves, spines;
    bool named_twice; /* the NICs of a leaf as a slice with a step, in place of one by one */
};

std::string n(uint64_t v)
{
    return std::to_string(v);
}

std::string edge(const std::string &a, const std::string &b, const char *scheme, const char *link)
{
    return "  - {ep1: {" + a + "}, ep2: {" + b + "}, scheme: " + scheme + ", link: " + link + "}\n";
}

std::string component(const std::string &c)
{
    return "component: '" + c + "'";
}

std::string in(const std::string &instance, const std::string &c)
{
    return "instance: '" + instance + "', " + component(c);
}

std::string document(const Cluster &c)
{
    const uint32_t per = c.xpus / c.pcie, ports = c.hosts * c.xpus + c.spines;
    std::string s = "name: cluster\ndevices:\n- name: box\n  components:\n";
    for (const auto &[name, count, choice] :
         {std::make_tuple("xpu", c.xpus, "xpu"), std::make_tuple("nvsw", c.nvsw, "switch"),
          std::make_tuple("pcisw", c.pcie, "switch"), std::make_tuple("nic", c.xpus, "nic"),
          std::make_tuple("cpu", 1u, "cpu")})
        s += std::string("  - {name: ") + name + ", count: " + n(count) + ", choice: " + choice +
             "}\n";
    s += "  links:\n"
         "  - {name: nv, physical: {bandwidth: {choice: gigabytes_per_second, "
         "gigabytes_per_second: 450}, latency: {choice: ns, ns: 250}}}\n"
         "  - {name: pci, physical: {bandwidth: {choice: gigabits_per_second, "
         "gigabits_per_second: 256}, latency: {choice: ns, ns: 100}}}\n  edges:\n";
    s += edge(component("xpu"), component("nvsw"), "many2many", "nv");
    for (uint32_t p = 0; p < c.pcie; p++) {
        const std::string some = "[" + n(p * per) + ":" + n((p + 1) * per) + "]";
        const std::string sw = component("pcisw[" + n(p) + "]");
        s += edge(component("xpu" + some), sw, "many2many", "pci");
        s += edge(component("nic" + some), sw, "many2many", "pci");
        s += edge(component("cpu"), sw, "many2many", "pci");
    }
    s += "- name: tor\n  components:\n  - {name: asic, count: 1, choice: cpu}\n"
         "  - {name: port, count: " +
         n(ports) + ", choice: port}\n  links:\n  - name: ic\n  edges:\n" +
         edge(component("asic"), component("port"), "many2many", "ic") +
         "instances:\n- {name: host, device: box, count: " + n(c.hosts) +
         "}\n- {name: leaf, device: tor, count: " + n(c.leaves) +
         "}\n- {name: spine, device: tor, count: " + n(c.spines) +
         "}\nlinks:\n- {name: eth, physical: {bandwidth: {choice: gigabits_per_second, "
         "gigabits_per_second: 400}, latency: {choice: us, us: 0.5}}}\n"
         "- {name: up, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: "
         "800}, latency: {choice: us, us: 1}}}\nedges:\n";
    for (uint32_t l = 0; l < c.leaves; l++)
        if (c.named_twice) { /* all NICs of the leaf at once, host by host */
            s += edge(in("host[:]", "nic[" + n(l) + ":" + n(c.xpus) + ":" + n(c.leaves) + "]"),
                      in("leaf[" + n(l) + "]", "port"), "one2one", "eth");
        } else {
            for (uint32_t j = l, k = 0; j < c.xpus; j += c.leaves, k++)
                s += edge(in("host", "nic[" + n(j) + "]"),
                          in("leaf[" + n(l) + "]",
                             "port[" + n(k * c.hosts) + ":" + n((k + 1) * c.hosts) + "]"),
                          "one2one", "eth");
        }
    for (uint32_t l = 0; l < c.leaves; l++)
        s += edge(in("leaf[" + n(l) + "]", "port[" + n(ports - c.spines) + ":" + n(ports) + "]"),
                  in("spine", "port[" + n(l) + "]"), "one2one", "up");
    return s;
}

using Link = std::tuple<uint32_t, uint32_t, uint64_t, int64_t, uint32_t>;

Link link(uint32_t a, uint32_t b, uint64_t gbps, int64_t ns, uint32_t dim)
{
    return {std::min(a, b), std::max(a, b), gbps * 1000000000, ns * 1000, dim};
}

/* The same by hand: XPUs, then NVSwitches, leaves, spines. */
std::vector<Link> expected(const Cluster &c)
{
    std::vector<Link> all;
    const uint32_t nvsw = c.hosts * c.xpus, leaf = nvsw + c.hosts * c.nvsw, spine = leaf + c.leaves;
    const uint32_t net = c.hosts > 1;
    for (uint32_t h = 0; h < c.hosts; h++)
        for (uint32_t j = 0; j < c.xpus; j++) {
            for (uint32_t s = 0; s < c.nvsw; s++)
                all.push_back(link(h * c.xpus + j, nvsw + h * c.nvsw + s, 3600, 250, 0));
            /* at the slower rate of PCIe, over two links of it */
            all.push_back(link(h * c.xpus + j, leaf + j % c.leaves, 256, 700, net));
        }
    for (uint32_t l = 0; l < c.leaves; l++)
        for (uint32_t s = 0; s < c.spines; s++)
            all.push_back(link(leaf + l, spine + s, 800, 1000, net));
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<Link> found(const Fabric &f)
{
    std::vector<Link> all;
    for (uint32_t l = 0; l < f->nlinks; l++) {
        const weft_fabric_link &k = f->links[l];
        all.emplace_back(std::min(k.a, k.b), std::max(k.a, k.b), k.rate_bps, k.delay_ps, k.dim);
    }
    std::sort(all.begin(), all.end());
    return all;
}

} // namespace

TEST(InfraGraph, EveryLinkIsThatOfTheExpansionByHand)
{
    weft_rng rng = weft_rng_stream(1, "infragraph", 0);
    for (int i = 0; i < 40; i++) {
        Cluster c;
        c.hosts = 1 + uint32_t(weft_rng_below(&rng, 4));
        c.pcie = 1 + uint32_t(weft_rng_below(&rng, 2));
        c.xpus = c.pcie * (1 + uint32_t(weft_rng_below(&rng, 4)));
        c.nvsw = 1 + uint32_t(weft_rng_below(&rng, 3));
        c.leaves = 1 + uint32_t(weft_rng_below(&rng, c.xpus));
        c.spines = 1 + uint32_t(weft_rng_below(&rng, 2));
        c.named_twice = weft_rng_below(&rng, 2);
        if (c.xpus < 2)
            continue;
        TempDir dir;
        const std::string file = dir / "cluster.yaml";
        std::ofstream(file) << document(c);
        SCOPED_TRACE(document(c));
        const Fabric f = build("infragraph", {{"file", file}});
        ASSERT_NE(f, nullptr);
        EXPECT_EQ(f->nhosts, c.hosts * c.xpus);
        EXPECT_EQ(found(f), expected(c));
        ASSERT_EQ(f->ndims, c.hosts > 1 ? 2u : 1u);
        EXPECT_EQ(f->dims[0].size, c.xpus);
        if (f->ndims == 1)
            continue;
        EXPECT_EQ(f->dims[0].links, c.nvsw);
        EXPECT_EQ(f->dims[0].rate_bps, 3600000000000u);
        EXPECT_EQ(f->dims[1].size, c.hosts);
        EXPECT_EQ(f->dims[1].links, 1u);
        EXPECT_EQ(f->dims[1].rate_bps, 256000000000u);
        const Routes r = routes_of(f);
        EXPECT_NE(r, nullptr);
    }
}
