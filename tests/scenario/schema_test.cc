// SPDX-License-Identifier: GPL-2.0-only
// The schema against the reader: what the reader takes is valid under the schema, and structure
// that it refuses is not.
#include "world.h"
#include "congestion/cc_table.h"

#include <libxml/parser.h>
#include <libxml/relaxng.h>

using world::parse;
using world::scenario;

namespace
{

class Schema : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        const weft_net_backend *backends[] = {world::packet_like(), &weft_net_ideal};
        weft_text_sink sink = {&text, world::append};
        weft_scenario_write_schema(backends, 2, &sink);
        xmlRelaxNGParserCtxtPtr p = xmlRelaxNGNewMemParserCtxt(text.data(), (int)text.size());
        schema = xmlRelaxNGParse(p);
        xmlRelaxNGFreeParserCtxt(p);
        ASSERT_NE(schema, nullptr) << text;
    }
    void TearDown() override
    {
        xmlRelaxNGFree(schema);
    }
    bool valid(const std::string &xml)
    {
        xmlDocPtr doc = xmlReadMemory(xml.data(), (int)xml.size(), "x", nullptr, XML_PARSE_NONET);
        if (!doc)
            return false;
        xmlRelaxNGValidCtxtPtr v = xmlRelaxNGNewValidCtxt(schema);
        xmlRelaxNGSetValidErrors(v, ignore, ignore, nullptr);
        int r = xmlRelaxNGValidateDoc(v, doc);
        xmlRelaxNGFreeValidCtxt(v);
        xmlFreeDoc(doc);
        return r == 0;
    }
    static void ignore(void *, const char *, ...) {}
    std::string text;
    xmlRelaxNGPtr schema = nullptr;
};

TEST_F(Schema, TakesWhatTheReaderTakes)
{
    for (const char *inside :
         {"", "<run seed=\"3\" until=\"1.5 ms\"/>",
          "<transport mtu=\"4096B\"/><network backend=\"packet\"/>",
          "<pfc enabled=\"off\"/><ecn kmin=\"100KB\" kmax=\"400 KiB\" pmax=\"5%\"/>",
          "<congestion-control name=\"dcqcn\" rate-ai=\"40Mb/s\" gain=\"1/256\"/>",
          "<congestion-control/>", "<description>words &amp; more</description>",
          "<system chunks=\"4\" memory-bandwidth=\"2TB/s\"/>", "<system endpoint-delay=\"0\"/>",
          "<sweep metrics=\"drops, end-to-end\" seeds=\"1..3\"><vary "
          "switch.buffer=\"1MiB..8MiB*2\"/>"
          "<vary dcqcn.gain=\"0.1|0.2\" ecn.kmin=\"1KB|2KB\"/></sweep>",
          "<sweep name=\"a\" title=\"A\"><quick a.b=\"1\"/><set c.d=\"1\"/><vary a.b=\"1|2\"/>"
          "<bound metric=\"drops\" where=\"a.b=1\" max=\"0\" quick=\"no\"/></sweep>"
          "<sweep name=\"b\"><vary a.b=\"1|2\"/></sweep>"}) {
        std::string xml = scenario(inside);
        EXPECT_EQ(parse(xml).code, 0) << xml << parse(xml).message();
        EXPECT_TRUE(valid(xml)) << xml;
    }
}

TEST_F(Schema, RefusesStructureThatTheReaderRefuses)
{
    for (const char *inside :
         {"<transprot/>", "<transport mut=\"1KB\"/>", "<transport mtu=\"4096\"/>", "<run/><run/>",
          "text", "<run>5</run>", "<description a=\"1\"/>", "<congestion-control name=\"dcqnc\"/>",
          "<congestion-control name=\"none\" rate-ai=\"1Mbps\"/>", "<pfc enabled=\"maybe\"/>",
          "<run until=\"3\"/>", "<run seed=\"-1\"/>", "<network backend=\"x\"/>",
          "<sweep><vary/></sweep>", "<sweep axis=\"1\"><vary a.b=\"1\"/></sweep>",
          "<sweep><axis a.b=\"1\"/></sweep>",
          "<sweep><vary a.b=\"1\"/><bound metric=\"drops\" max=\"1\" quick=\"perhaps\"/></sweep>",
          "<sweep><vary a.b=\"1\"/><bound max=\"1\"/></sweep>",
          "<sweep><vary a.b=\"1\"/><set/></sweep>"}) {
        std::string xml = scenario(inside);
        EXPECT_NE(parse(xml).code, 0) << xml;
        EXPECT_FALSE(valid(xml)) << xml;
    }
    EXPECT_FALSE(valid("<scenery/>"));
}

/* Every default, as its table prints it, passes both; so does a file with every value written out.
 */
TEST_F(Schema, ResolvedFilesAreValidAndResolveToThemselves)
{
    struct Case {
        std::string xml;
        std::vector<const char *> sets;
    } cases[] = {
        {scenario("<description>a &lt;b&gt; \"c\"</description><transport mtu=\"1000B\"/>"), {}},
        {scenario("<network backend=\"ideal\"/>"), {}},
        {scenario("<sweep metrics=\"drops drops-link\" find=\"max a.b where drops&lt;5\">"
                  "<vary a.b=\"1|&quot;\" c.d=\"x|y\"/><vary e.f=\"1..2\"/></sweep>"),
         {}},
        {scenario(
             "<sweep name=\"a\" title=\"&lt;A&gt;\"><quick a.b=\"1\" g.h=\"2\"/><set c.d=\"1\" "
             "g.h=\"3\"/>"
             "<vary a.b=\"1|2\"/><bound metric=\"drops\" where=\"a.b=1\" over=\"a.b=2\" min=\"0\" "
             "max=\"1\" why=\"&amp;\" quick=\"no\"/></sweep>"
             "<sweep name=\"b\" seeds=\"1..2\"/>"),
         {}},
        {scenario(), {"topology.type=fat-tree", "congestion-control.name=static-window"}},
        {scenario(),
         {"topology.type=hpcc", "hpcc.file=/a/\"b\"&<c>", "workload.type=chakra",
          "chakra.path=/p"}},
    };
    for (auto &c : cases) {
        auto first = parse(c.xml, c.sets);
        ASSERT_EQ(first.code, 0) << first.message();
        std::string written, again;
        weft_text_sink to_written = {&written, world::append}, to_again = {&again, world::append};
        weft_scenario_write_xml(first.s, &to_written);
        EXPECT_TRUE(valid(written)) << written;
        auto second = parse(written, {}, "elsewhere/x.xml");
        ASSERT_EQ(second.code, 0) << second.message() << written;
        weft_scenario_write_xml(second.s, &to_again);
        EXPECT_EQ(written, again);
        ASSERT_EQ(first.s->ngroups, second.s->ngroups);
        for (size_t i = 0; i < first.s->ngroups; i++)
            for (size_t k = 0; k < first.s->groups[i].table->n; k++) {
                const char *e = first.s->groups[i].element,
                           *p = first.s->groups[i].table->params[k].name;
                EXPECT_EQ(first.value(e, p), second.value(e, p)) << e << "." << p;
            }
    }
}

TEST_F(Schema, KnowsEveryPlugInAndEveryParameter)
{
    size_t n;
    const weft_cc_ops *const *cc = weft_cc_table(&n);
    for (size_t i = 0; i < n; i++) {
        EXPECT_CONTAINS(text, std::string("<value>") + cc[i]->name + "</value>");
        for (size_t k = 0; k < cc[i]->params.n; k++)
            EXPECT_CONTAINS(text, std::string("<name>") + cc[i]->params.params[k].name + "</name>");
    }
    const weft_fault_kind *const *kinds = weft_fault_kinds(&n);
    for (size_t i = 0; i < n; i++)
        EXPECT_CONTAINS(text, std::string("<element name=\"") + kinds[i]->name + "\">");
    for (int i = 0; i < WEFT_ENGINE_SECTIONS; i++)
        EXPECT_CONTAINS(text,
                        std::string("<element name=\"") + weft_engine_sections[i].name + "\">");
}

} // namespace
