/* SPDX-License-Identifier: GPL-2.0-only */
/* NCCL dumps: planes of NVLink, comments that XML does not allow, what dumps leave out. */
#include "readers.h"

#include "base/xml_comments.h"
#include "topologies/topology_keys.h"

#include <set>

namespace
{

using namespace readers;

std::string notes(const Fabric &f)
{
    return f->notes ? f->notes : "";
}

std::string gpu(int i, const std::string &links, const char *width = "16")
{
    return "<pci busid=\"0:0" + std::to_string(i) +
           ":0\" class=\"0x030200\" link_speed=\"32.0 GT/s\"" + " link_width=\"" + width +
           "\"><gpu dev=\"" + std::to_string(i) + "\" sm=\"90\" rank=\"" + std::to_string(i) +
           "\">" + links + "</gpu></pci>\n";
}

std::string link(const char *to, int count, const char *class_ = "0x068000")
{
    return std::string("<nvlink target=\"") + to + "\" count=\"" + std::to_string(count) +
           "\" tclass=\"" + class_ + "\"/>";
}

std::string server(const std::string &gpus)
{
    return "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\">\n" + gpus +
           "</cpu></system>\n";
}

/* Rates of the links of a GPU, without its PCI link. */
std::multiset<uint64_t> nvlinks(const Fabric &f, uint32_t host)
{
    std::multiset<uint64_t> rates;
    for (uint32_t l = 0; l < f->nlinks; l++)
        if ((f->links[l].a == host || f->links[l].b == host) && f->links[l].cost <= 1)
            rates.insert(f->links[l].rate_bps);
    return rates;
}

constexpr uint64_t kLink = 164800000000; // 20.6 GB/s of sm 90

/* Links 5 + 5 + 4 + 4 of an H100, in another order on each GPU: 18 links to one switch. */
TEST(Nccl, PlanesOfNvswitchesAreOneSwitch)
{
    const std::string a = link("1:1a:0", 4), b = link("1:1b:0", 5), c = link("1:1c:0", 5),
                      d = link("1:1d:0", 4);
    const Fabric f =
        read_text(server(gpu(0, a + b + c + d) + gpu(1, d + c + b + a) + gpu(2, b + d + a + c)));
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nswitches, 1u + 1u); // CPU, NVSwitch
    for (uint32_t g = 0; g < 3; g++)
        EXPECT_EQ(nvlinks(f, g), std::multiset<uint64_t>{18 * kLink});
    EXPECT_EQ(notes(f), "");
}

/* The same with planes that can fail one by one. */
TEST(Nccl, PlanesStaySeparateWhenAsked)
{
    const TempDir dir;
    const std::string a = link("1:1a:0", 4), b = link("1:1b:0", 5), path = dir / "h100.xml";
    std::ofstream(path) << server(gpu(0, a + b) + gpu(1, b + a));
    const Fabric f = build("nccl", {{"file", path}, {"separate-planes", "true"}});
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nswitches, 1u + 2u); // CPU, planes
    for (uint32_t g = 0; g < 2; g++)
        EXPECT_EQ(nvlinks(f, g), (std::multiset<uint64_t>{4 * kLink, 5 * kLink}));
}

/* Switches that some GPUs do not reach are no planes of one switch. */
TEST(Nccl, SwitchesOfOtherGpusStay)
{
    const std::string left = link("1:1a:0", 4), right = link("1:1b:0", 5);
    const Fabric f = read_text(server(gpu(0, left) + gpu(1, left + right) + gpu(2, right)));
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nswitches, 1u + 2u);
    EXPECT_EQ(nvlinks(f, 1), (std::multiset<uint64_t>{4 * kLink, 5 * kLink}));
}

/* Two elements for the same pair are one link, as NCCL adds them up. */
TEST(Nccl, LinksOfOnePairAddUp)
{
    const Fabric f =
        read_text(server(gpu(0, link("0:01:0", 1, "0x030200") + link("0:01:0", 2, "0x030200")) +
                         gpu(1, link("0:00:0", 3, "0x030200"))));
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(nvlinks(f, 0), std::multiset<uint64_t>{3 * kLink});
}

/* A width of 0 is NCCL's for "not known": 16. */
TEST(Nccl, WidthOfZero)
{
    const Fabric f = read_text(server(gpu(0, "", "0") + gpu(1, "", "16") + gpu(2, "", "")));
    ASSERT_NE(f, nullptr);
    for (uint32_t l = 0; l < f->nlinks; l++)
        EXPECT_EQ(f->links[l].rate_bps, f->links[0].rate_bps);
    EXPECT_EQ(notes(f).find("link_width; taken as 16"), notes(f).rfind("link_width; taken as 16"));
    EXPECT_NE(notes(f).find("has no PCI link_width; taken as 16"), std::string::npos) << notes(f);
}

TEST(Nccl, CommentsWithHyphensAreRead)
{
    const std::string header = "<!------------------\n - (c) somebody -- and others\n "
                               "------------------>\n";
    const Fabric f = read_text(header + server(gpu(0, "") + "<!-- -- -->" + gpu(1, "")));
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 2u);
    EXPECT_NE(notes(f).find(":1: -- within a comment is not well-formed XML; read as NCCL does, as "
                            "are others"),
              std::string::npos)
        << notes(f);
    EXPECT_EQ(notes(read_text("<!-- fine - -->" + server(gpu(0, "")))), "");
}

/* What else is wrong keeps its place. */
TEST(Nccl, OtherErrorsKeepTheirPlace)
{
    weft_err err{};
    File bad("<!-- a -- b --><system version=\"1\">\n <!----- x --><cpu numaid=0>");
    EXPECT_EQ(try_build("nccl", {{"file", bad.path}}, &err), nullptr);
    EXPECT_EQ(err.line, 2);
    EXPECT_GE(err.col, 16);
    File open("<system version=\"1\">\n<!-- -- never ends");
    EXPECT_EQ(try_build("nccl", {{"file", open.path}}, &err), nullptr);
    EXPECT_EQ(err.line, 2);
}

TEST(Nccl, MendsNothingButComments)
{
    const std::string same = "<?x <!-- -- ?><a><![CDATA[<!-- -- -->]]></a><!-- - -->";
    std::string text = same;
    int64_t line = 0;
    EXPECT_EQ(weft_xml_mend_comments(&text[0], text.size(), &line), 0u);
    EXPECT_EQ(text, same);
    text = "\n<a/>\n<!-- a--b --->\n<!---->";
    EXPECT_EQ(weft_xml_mend_comments(&text[0], text.size(), &line), 1u);
    EXPECT_EQ(text, "\n<a/>\n<!-- a -b  -->\n<!---->");
    EXPECT_EQ(line, 3);
}

TEST(Nccl, FilesWithoutGpusSayWhatToDo)
{
    weft_err err{};
    File file("<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0:4f:0\" class=\"0x060400\" "
              "link_speed=\"32 GT/s\" link_width=\"16\"/></cpu></system>");
    EXPECT_EQ(try_build("nccl", {{"file", file.path}}, &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("the dump has no GPU, only 2 other devices"),
              std::string::npos)
        << err.msg;
    EXPECT_NE(std::string(err.msg).find("NCCL_TOPO_DUMP_FILE"), std::string::npos);
}

/* Advice names keys only of topologies that have them. */
TEST(Nccl, KeysOfAFabric)
{
    EXPECT_FALSE(weft_topology_has_key(read_text(server(gpu(0, "") + gpu(1, ""))).get(), "vcs"));
    const Fabric ring = build("ring", {{"size", "4"}});
    EXPECT_TRUE(weft_topology_has_key(ring.get(), "vcs"));
    EXPECT_FALSE(weft_topology_has_key(ring.get(), "file"));
}

} // namespace
