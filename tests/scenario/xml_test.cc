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

} // namespace
