// SPDX-License-Identifier: GPL-2.0-only
#include "base/list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

/* The items as "key=value", or the error. */
std::vector<std::string> Items(const char *text, bool map)
{
    std::vector<std::string> found;
    weft_list list = {text, "1,2", 0};
    weft_list_item item;
    weft_err err = {};
    int rc;
    while ((rc = (map ? weft_map_next : weft_list_next)(&list, &item, &err)) > 0)
        found.push_back(std::string(item.key) + "=" + item.value);
    if (rc)
        found.push_back(err.msg);
    EXPECT_EQ(rc, err.code);
    return found;
}

using Found = std::vector<std::string>;

TEST(List, TakesItemsOneAfterTheOther)
{
    EXPECT_EQ(Items("", false), Found());
    EXPECT_EQ(Items("8,16 ,x:y", false), (Found{"8=", "16 =", "x:y="}));
    EXPECT_EQ(Items("a:1,b:2:3", true), (Found{"a=1", "b=2:3"}));
}

TEST(List, RefusesWhatIsNone)
{
    for (const char *text : {",", ",1", "1,"})
        EXPECT_EQ(Items(text, false), Found{std::string("'") + text + "' is no list such as 1,2"});
    EXPECT_EQ(Items("1,,2", false), (Found{"1=", "'1,,2' is no list such as 1,2"}));
    for (const char *text : {"a", ":1", "a:", "a:1,"})
        EXPECT_EQ(Items(text, true), Found{std::string("'") + text + "' is no list such as 1,2"});
    EXPECT_EQ(Items(std::string(63, 'x').c_str(), false), Found{std::string(63, 'x') + "="});
    EXPECT_EQ(Items(std::string(64, 'x').c_str(), false).size(), 1u);
    EXPECT_EQ(Items(std::string(64, 'x').c_str(), false)[0].substr(0, 2), "'x");
}

} // namespace
