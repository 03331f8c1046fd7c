// SPDX-License-Identifier: GPL-2.0-only
#include "report/expect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace
{

weft_expect *parse(const std::string &inside, weft_err *err)
{
    const std::string xml = "<expect>\n" + inside + "\n</expect>";
    return weft_expect_parse(xml.data(), xml.size(), "e.xml", err);
}

TEST(Expect, BoundsHoldInclusively)
{
    weft_err err = {};
    weft_expect *e =
        parse("<bound metric=\"end-to-end\" min=\"900us\" max=\"1.1ms\" why=\"by hand\"/>"
              "<bound metric=\"drops\" max=\"0\"/><bound metric=\"all-reduce-bus-bandwidth\" "
              "min=\"300Gbps\"/>"
              "<bound metric=\"slowdown-p50\" max=\"1.5\"/>",
              &err);
    ASSERT_NE(e, nullptr) << err.msg;
    ASSERT_EQ(e->n, 4u);
    EXPECT_STREQ(e->bounds[0].why, "by hand");
    weft_summary s = {};
    double v;
    s.end_ps = INT64_C(900000000);
    EXPECT_TRUE(weft_bound_holds(&e->bounds[0], &s, &v));
    EXPECT_EQ(v, 9e8);
    s.end_ps = INT64_C(1100000000);
    EXPECT_TRUE(weft_bound_holds(&e->bounds[0], &s, nullptr));
    s.end_ps++;
    EXPECT_FALSE(weft_bound_holds(&e->bounds[0], &s, nullptr));
    s.end_ps = INT64_C(899999999);
    EXPECT_FALSE(weft_bound_holds(&e->bounds[0], &s, nullptr));
    EXPECT_TRUE(weft_bound_holds(&e->bounds[1], &s, nullptr));
    s.drops = 1;
    EXPECT_FALSE(weft_bound_holds(&e->bounds[1], &s, nullptr));
    s.coll[WEFT_COLL_ALL_REDUCE].bus_bps = NAN; /* the run had no all-reduce */
    EXPECT_FALSE(weft_bound_holds(&e->bounds[2], &s, nullptr));
    s.coll[WEFT_COLL_ALL_REDUCE].bus_bps = 3e11;
    EXPECT_TRUE(weft_bound_holds(&e->bounds[2], &s, nullptr));
    weft_expect_free(e);
}

TEST(Expect, ErrorsHaveAPlace)
{
    struct {
        const char *inside, *what;
        int64_t col;
    } cases[] = {
        {"<bound metric=\"drop\" max=\"0\"/>", "did you mean 'drops'", 8},
        {"<bound max=\"0\"/>", "needs the attribute 'metric'", 1},
        {"<bound metric=\"drops\"/>", "needs 'min', 'max' or both", 1},
        {"<bound metric=\"end-to-end\" max=\"5\"/>", "unit", 28},
        {"<bound metric=\"drops\" max=\"5us\"/>", "", 23},
        {"<bound metric=\"drops\" min=\"2\" max=\"1\"/>", "min 2 is above max 1", 1},
        {"<bound metric=\"drops\" mx=\"1\"/>", "did you mean 'max'", 23},
        {"<bound metric=\"wall-time-s\" max=\"1\"/>", "depends on the machine", 8},
        {"<bond/>", "not <bond>", 1},
    };
    for (auto &c : cases) {
        weft_err err = {};
        EXPECT_EQ(parse(c.inside, &err), nullptr) << c.inside;
        EXPECT_EQ(err.code, WEFT_E_INPUT) << c.inside;
        EXPECT_EQ(err.line, 2) << c.inside;
        EXPECT_EQ(err.col, c.col) << c.inside << " " << err.msg;
        EXPECT_NE(std::string(err.msg).find(c.what), std::string::npos) << err.msg;
    }
    weft_err err = {};
    EXPECT_EQ(weft_expect_load("/nonexistent/expect.xml", &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_IO);
}

} // namespace
