// SPDX-License-Identifier: GPL-2.0-only
#include "base/xml.h"
#include "world.h"

namespace
{

struct Doc {
    weft_arena *a = weft_arena_new();
    weft_xml_elem *root = nullptr;
    weft_err err = {};
    int code;

    explicit Doc(const std::string &text)
    {
        code = weft_xml_parse(text.data(), text.size(), "f.xml", a, &root, &err);
    }
    ~Doc()
    {
        weft_arena_free(a);
    }
};

TEST(Xml, ElementsAndAttributesKnowTheirPlaces)
{
    Doc d("<?xml version=\"1.0\"?>\n"
          "<root a='1'>\n"
          "  <one x=\"1\"\n"
          "       why=\"a &lt; b\"/>\n"
          "  <two>text</two></root>\n");
    ASSERT_EQ(d.code, 0) << d.err.msg;
    EXPECT_STREQ(d.root->name, "root");
    EXPECT_EQ(d.root->line, 2);
    EXPECT_EQ(d.root->col, 1);
    EXPECT_EQ(d.root->attrs->line, 2);
    EXPECT_EQ(d.root->attrs->col, 7);
    const weft_xml_elem *one = d.root->children;
    EXPECT_EQ(one->line, 3);
    EXPECT_EQ(one->col, 3);
    const weft_xml_attr *why = weft_xml_get(one, "why");
    ASSERT_NE(why, nullptr);
    EXPECT_STREQ(why->value, "a < b");
    EXPECT_EQ(why->line, 4);
    EXPECT_EQ(why->col, 8);
    EXPECT_EQ(one->next->line, 5);
    EXPECT_STREQ(one->next->text, "text");
    EXPECT_EQ(weft_xml_get(one, "absent"), nullptr);
}

TEST(Xml, ColumnsCountCharacters)
{
    Doc d("<r \xc3\xa9=\"\xc3\xa9\xc3\xa9\" b=\"2\"/>");
    ASSERT_EQ(d.code, 0) << d.err.msg;
    EXPECT_EQ(weft_xml_get(d.root, "b")->col, 11);
}

TEST(Xml, PlacesHoldBehindALargeComment)
{
    /* libxml2 discards input that it has consumed; places must not depend on it. */
    std::string lines;
    for (int i = 0; i < 20000; i++)
        lines += "<!-- a line that is not short -->\n";
    Doc d("<r>\n" + lines + "<x\n  y=\"1\"/></r>");
    ASSERT_EQ(d.code, 0) << d.err.msg;
    EXPECT_EQ(d.root->children->line, 20002);
    EXPECT_EQ(d.root->children->attrs->line, 20003);
    EXPECT_EQ(d.root->children->attrs->col, 3);
}

TEST(Xml, QuotesOfTheOtherKindInsideAValue)
{
    Doc d("<r a='\"' b=\"'>\" c=\"3\"/>");
    ASSERT_EQ(d.code, 0) << d.err.msg;
    EXPECT_STREQ(weft_xml_get(d.root, "b")->value, "'>");
    EXPECT_EQ(weft_xml_get(d.root, "c")->col, 17);
}

TEST(Xml, IllFormedHasLineAndColumn)
{
    Doc d("<r>\n  <a>\n</r>");
    EXPECT_EQ(d.code, WEFT_E_INPUT);
    EXPECT_EQ(d.err.line, 3);
    EXPECT_CONTAINS(d.err.msg, "mismatch");
}

TEST(Xml, NeitherEntitiesNorDoctypes)
{
    Doc d("<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><r a=\"&x;\"/>");
    EXPECT_EQ(d.code, WEFT_E_INPUT);
    EXPECT_CONTAINS(d.err.msg, "DOCTYPE");
}

TEST(Xml, RefusesNamespacesEmptyAndDeepDocuments)
{
    EXPECT_EQ(Doc("<r xmlns=\"urn:x\"/>").code, WEFT_E_INPUT);
    EXPECT_EQ(Doc("<r xmlns:p=\"urn:x\" p:a=\"1\"/>").code, WEFT_E_INPUT);
    EXPECT_EQ(Doc("").code, WEFT_E_INPUT);
    EXPECT_EQ(Doc("   ").code, WEFT_E_INPUT);
    EXPECT_EQ(Doc("text").code, WEFT_E_INPUT);
    std::string deep;
    for (int i = 0; i < 20; i++)
        deep += "<a>";
    Doc d(deep);
    EXPECT_EQ(d.code, WEFT_E_INPUT);
    EXPECT_CONTAINS(d.err.msg, "deep");
    EXPECT_EQ(Doc("<a>" + std::string(70000, 'x') + "</a>").code, WEFT_E_LIMIT);
}

std::string Repeated(const char *text, int n)
{
    std::string all;
    for (int i = 0; i < n; i++)
        all += text;
    return all;
}

/* libxml2 2.9 refuses values of 10 MB, 2.15 takes them. */
TEST(Xml, ValuesAndCommentsHaveALimitOfTheirOwn)
{
    Doc value("<r>\n <a b='1' c='" + std::string(12000000, 'x') + "'/></r>");
    EXPECT_EQ(value.code, WEFT_E_LIMIT);
    EXPECT_CONTAINS(value.err.msg, "a value of 12000000 bytes; 8388608 is the limit");
    EXPECT_EQ(value.err.line, 2);
    EXPECT_EQ(value.err.col, 14);
    EXPECT_EQ(Doc("<r a='" + std::string(8 << 20, 'x') + "'/>").code, 0);
    Doc comment("<r><!--" + std::string(12000000, 'x') + "--></r>");
    EXPECT_EQ(comment.code, WEFT_E_LIMIT);
    EXPECT_EQ(comment.err.col, 4);
    EXPECT_EQ(Doc("<r><!--" + std::string(8000000, 'x') + "--></r>").code, 0);
}

TEST(Xml, PlacesBehindWhatOnlyLooksLikeATag)
{
    Doc d("<?xml version='1.0' encoding='UTF-8'?>\n<!-- <a> --><r><![CDATA[<b>]]><?p <c?>\n"
          " <d x='>' y='2'></d ><e\n z='3'/></r>");
    ASSERT_EQ(d.code, 0) << d.err.msg;
    EXPECT_EQ(d.root->line, 2);
    EXPECT_EQ(d.root->col, 13);
    const weft_xml_elem *e = d.root->children;
    EXPECT_EQ(e->line, 3);
    EXPECT_EQ(weft_xml_get(e, "y")->col, 11);
    EXPECT_EQ(e->next->col, 22);
    EXPECT_EQ(e->next->attrs->line, 4);
}

TEST(Xml, OtherEncodingsHaveLines)
{
    Doc d("<?xml version='1.0' encoding='ISO-8859-1'?>\n<r a='\xe9'>\n<s b='1'/></r>");
    ASSERT_EQ(d.code, 0) << d.err.msg;
    EXPECT_STREQ(weft_xml_get(d.root, "a")->value, "\xc3\xa9");
    EXPECT_EQ(d.root->children->line, 3);
    EXPECT_EQ(d.root->children->col, 0);
    Doc bom("\xef\xbb\xbf<r a='1'/>");
    ASSERT_EQ(bom.code, 0) << bom.err.msg;
    EXPECT_EQ(bom.root->attrs->col, 4);
    std::string wide("\xff\xfe", 2);
    for (const char c : std::string("<r>\n<s/></r>"))
        wide += {c, '\0'};
    Doc w(wide);
    ASSERT_EQ(w.code, 0) << w.err.msg;
    EXPECT_EQ(w.root->children->line, 2);
    EXPECT_EQ(w.root->children->col, 0);
}

/* Looking for the begin of the line at each tag would take hours. */
TEST(Xml, ADocumentOnOneLine)
{
    const int n = 1 << 20;
    Doc d("<r>" + Repeated("<a/>", n) + "<last x='1'/></r>");
    ASSERT_EQ(d.code, 0) << d.err.msg;
    const weft_xml_elem *e = d.root->children;
    while (e->next)
        e = e->next;
    EXPECT_STREQ(e->name, "last");
    EXPECT_EQ(e->line, 1);
    EXPECT_EQ(e->col, 3 + 4 * n + 1);
    EXPECT_EQ(e->attrs->col, e->col + 6);
    EXPECT_LT(weft_arena_used(d.a), 100u * 4 * n);
}

TEST(Xml, TextThatArrivesInManyPieces)
{
    Doc d("<r>" + Repeated("&amp;", 60000) + "</r>");
    ASSERT_EQ(d.code, 0) << d.err.msg;
    EXPECT_EQ(std::string(d.root->text), std::string(60000, '&'));
    EXPECT_LT(weft_arena_used(d.a), 4u * 60000);
}

TEST(Xml, RefusesElementsOfTooManyAttributes)
{
    std::string many;
    for (unsigned i = 0; i <= WEFT_XML_MAX_ATTRS; i++)
        many += " a" + std::to_string(i) + "='\"'";
    Doc d("<!-- " + many + " -->\n<?x " + many + "?><r>\n  <b c='1'/><e" + many + "/></r>");
    EXPECT_EQ(d.code, WEFT_E_LIMIT);
    EXPECT_EQ(d.err.line, 3);
    EXPECT_EQ(d.err.col, 13);
    EXPECT_CONTAINS(d.err.msg, "an element of 257 attributes; 256 is the limit");
    many.resize(many.rfind(' '));
    EXPECT_EQ(Doc("<r><![CDATA[" + many + many + "]]><e" + many + "/></r>").code, 0);
}

/* A list of elements becomes one text. */
TEST(Xml, ManyEventsTakeMemoryInProportion)
{
    const std::string text = world::scenario(
        "<fault>" + Repeated("<link-down link=\"0\" at=\"1us\"/>\n", 4000) + "</fault>\n");
    const world::Resolved r = world::parse(text);
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_LT(weft_arena_used(r.s->arena), 100 * text.size());
}

} // namespace
