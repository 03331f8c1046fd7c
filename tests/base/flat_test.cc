/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/flat.h"
#include "temp_dir.h"

#include <gtest/gtest.h>

#include <fstream>

namespace
{

class Flat : public ::testing::Test
{
  protected:
    int Read(const std::string &text)
    {
        path = dir / "f";
        std::ofstream(path, std::ios::binary) << text;
        err = {};
        return weft_flat_read(path.c_str(), arena, &flat, &err);
    }
    ~Flat() override
    {
        weft_arena_free(arena);
    }
    TempDir dir;
    std::string path;
    weft_arena *arena = weft_arena_new();
    weft_flat *flat = nullptr;
    weft_err err = {};
};

} // namespace

TEST_F(Flat, YamlAndJsonAreAlike)
{
    for (const char *text : {"a: [1, 2] # two\nb: \"x y\"\n---\nc:\n  - 3\n  - 4.5\ne: []\n",
                             "{\"a\": [1, 2],\n\"b\": \"x y\",\n\n\"c\": [3, 4.5], \"e\": []}"}) {
        ASSERT_EQ(Read(text), 0) << err.msg;
        ASSERT_EQ(flat->nkeys, 4u);
        const weft_flat_key *a = weft_flat_find(flat, "a"), *c = weft_flat_find(flat, "c");
        ASSERT_TRUE(a && c);
        EXPECT_EQ(a->line, 1);
        EXPECT_EQ(c->n, 2u);
        EXPECT_STREQ(weft_flat_find(flat, "b")->values[0], "x y");
        EXPECT_EQ(weft_flat_find(flat, "e")->n, 0u);
        EXPECT_EQ(weft_flat_find(flat, "d"), nullptr);
        double v;
        EXPECT_EQ(weft_flat_number(flat, c, 1, &v, &err), 0);
        EXPECT_EQ(v, 4.5);
        EXPECT_EQ(weft_flat_number(flat, c, 2, &v, &err), WEFT_E_INPUT);
        EXPECT_EQ(weft_flat_number(flat, weft_flat_find(flat, "b"), 0, &v, &err), WEFT_E_INPUT);
    }
}

/* What YAML says beyond words and lists: escapes, folded text, tabs between the parts of JSON,
 * colons inside of words. */
TEST_F(Flat, TextIsReadAsYamlHasIt)
{
    ASSERT_EQ(Read("{\n\t\"a\":\t\"x\\u0041\",\t\"b\":[1,2]}"), 0) << err.msg;
    EXPECT_STREQ(weft_flat_find(flat, "a")->values[0], "xA");
    EXPECT_EQ(weft_flat_find(flat, "b")->n, 2u);
    ASSERT_EQ(Read("a: http://x#y\nb: 'it''s'\nc: >\n  one\n  two\n"), 0) << err.msg;
    EXPECT_STREQ(weft_flat_find(flat, "a")->values[0], "http://x#y");
    EXPECT_STREQ(weft_flat_find(flat, "b")->values[0], "it's");
    EXPECT_STREQ(weft_flat_find(flat, "c")->values[0], "one two\n");
}

/* Maps are there by name, whatever is in them. */
TEST_F(Flat, MapsAreNotRead)
{
    ASSERT_EQ(Read("{\"a\": {\"b\": [1, {\"c\": {}}], \"d\": 2},\n\"e\": 3}"), 0) << err.msg;
    ASSERT_EQ(flat->nkeys, 2u);
    const weft_flat_key *a = weft_flat_find(flat, "a"), *e = weft_flat_find(flat, "e");
    ASSERT_TRUE(a && e);
    EXPECT_TRUE(a->map && a->n == 0 && !e->map);
    EXPECT_EQ(e->line, 2);
    EXPECT_EQ(Read("a: {b: [1, 2}"), WEFT_E_INPUT);
}

TEST_F(Flat, MistakesHaveTheirLine)
{
    const struct {
        const char *text, *what;
        int64_t line;
    } cases[] = {{"a: 1\n---\na: 2", "there twice", 3},
                 {"a: 1\na: 2", "there twice", 2},
                 {"a: 1\nb: {c: 1", "flow mapping", 2},
                 {"a: [1, [2]]", "plain values", 1},
                 {"a: [1", "flow sequence", 1},
                 {"a: \"x", "quoted scalar", 1},
                 {"\n\nword", "expected 'key: value'", 3},
                 {"a: 1\nb:", "is missing", 2},
                 {"a: &x 1\nb: *x", "an alias", 2},
                 {"a: 1\n- 2", "block mapping", 1},
                 {"a: \"\\0\"", "NUL", 1}};
    for (auto &c : cases) {
        EXPECT_EQ(Read(c.text), WEFT_E_INPUT) << c.text;
        EXPECT_NE(std::string(err.msg).find(c.what), std::string::npos)
            << c.text << ": " << err.msg;
        EXPECT_EQ(err.line, c.line) << c.text;
    }
    EXPECT_EQ(Read(std::string("a: 1\0", 5)), WEFT_E_INPUT);
    EXPECT_EQ(weft_flat_read((dir / "absent").c_str(), arena, &flat, &err), WEFT_E_IO);
}
