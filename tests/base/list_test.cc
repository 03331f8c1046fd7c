// SPDX-License-Identifier: GPL-2.0-only
#include "base/list.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace
{

const weft_param kText[] = {{nullptr, WEFT_PARAM_STRING}};
const weft_param kSizes[] = {{nullptr, WEFT_PARAM_SIZE, 0, nullptr, "1B", "1KB"}};
const weft_param kMap[] = {{nullptr, WEFT_PARAM_ENUM, 0, nullptr, nullptr, nullptr, "red|green"},
                           {nullptr, WEFT_PARAM_U64, 0, nullptr, nullptr, "7"},
                           {nullptr, WEFT_PARAM_F64}};
const weft_list_form kWords = {"a list", kText, 1, nullptr, nullptr, false};
const weft_list_form kNumbers = {"SIZE,...", kSizes, 1, nullptr, "inner|outer", true};
const weft_list_form kFields = {"COLOUR:N:X or COLOUR:off", kMap, 3, "off", nullptr, true};

/* The items, "first|second|..." each, or the error. */
std::vector<std::string> Items(const weft_list_form &form, const char *text)
{
    std::vector<std::string> found;
    weft_list list = {text, &form, 0};
    weft_list_item item;
    weft_err err = {};
    int rc;
    while ((rc = weft_list_next(&list, &item, &err)) > 0) {
        std::string all;
        for (size_t k = 0; k < (item.rest_is_word ? 1 : form.nfields); k++)
            all += (k ? "|" : "") + std::string(item.field[k].text, item.field[k].len);
        found.push_back(all + (item.rest_is_word ? " off" : ""));
    }
    if (rc)
        found.push_back(err.msg);
    EXPECT_EQ(rc, err.code);
    EXPECT_EQ(weft_list_check(&form, text, nullptr), rc);
    return found;
}

using Found = std::vector<std::string>;

TEST(List, TakesItemsOneAfterTheOther)
{
    EXPECT_EQ(Items(kWords, ""), Found());
    EXPECT_EQ(Items(kWords, "8,16 ,\n x:y"), (Found{"8", "16", "x:y"}));
    EXPECT_EQ(Items(kNumbers, "8B, 1KB"), (Found{"8B", "1KB"}));
    EXPECT_EQ(Items(kFields, "green:3:0.5, red:off"), (Found{"green|3|0.5", "red off"}));
    weft_list list = {"green:3:0.5", &kFields, 0};
    weft_list_item item;
    ASSERT_EQ(weft_list_next(&list, &item, nullptr), 1);
    EXPECT_EQ(item.field[0].value.index, 1);
    EXPECT_EQ(item.field[1].value.u64, 3u);
    EXPECT_EQ(item.field[2].value.f64, 0.5);
}

TEST(List, TakesRanges)
{
    weft_list list = {"3, 8-15,7-7", &weft_ranges_form, 0};
    weft_list_item item;
    std::vector<std::pair<uint64_t, uint64_t>> found;
    while (weft_list_next(&list, &item, nullptr) == 1)
        found.emplace_back(item.field[0].value.u64, item.to);
    EXPECT_EQ(found, (std::vector<std::pair<uint64_t, uint64_t>>{{3, 3}, {8, 15}, {7, 7}}));
    for (const char *text : {"-", "-3", "3-", "3,,4"})
        EXPECT_NE(Items(weft_ranges_form, text).back().find("write numbers and ranges"),
                  std::string::npos)
            << text;
    EXPECT_EQ(Items(weft_ranges_form, "9-8"),
              Found{"'9-8' runs backwards; write numbers and ranges, such as 0,4-7"});
    for (const char *text : {"x", "1-x", "1-2-3", "4294967296", "0-4294967296", "1.5"})
        EXPECT_NE(weft_list_check(&weft_ranges_form, text, nullptr), 0) << text;
    EXPECT_EQ(weft_list_check(&weft_ranges_form, "0-4294967295", nullptr), 0);
}

TEST(List, ItemsAreJoinedByWhatTheFormSays)
{
    weft_list_form shape = kNumbers;
    shape.joint = 'x';
    EXPECT_EQ(Items(shape, "8Bx1KB x2B"), (Found{"8B", "1KB", "2B"}));
    EXPECT_EQ(Items(shape, "8Bx"), Found{"'8Bx' ends in 'x'; write SIZE,..."});
    EXPECT_EQ(Items(shape, "1Bx2Bx1B"), (Found{"1B", "2B", "'1B': 1B is there twice"}));
}

TEST(List, RefusesWhatIsNone)
{
    for (const char *text : {",", ",1", " "})
        EXPECT_EQ(Items(kWords, text),
                  Found{std::string("'") + text + "' has an empty item; write a list"});
    EXPECT_EQ(Items(kWords, "1,,2"), (Found{"1", "'1,,2' has an empty item; write a list"}));
    EXPECT_EQ(Items(kWords, "1,"), Found{"'1,' ends in a comma; write a list"});
    for (const char *text : {"green", "green:3", "green::1", ":3:1", "green:3:1:2", "green:3:1:"})
        EXPECT_EQ(Items(kFields, text),
                  Found{std::string("'") + text + "': write COLOUR:N:X or COLOUR:off"});
    EXPECT_EQ(Items(kFields, std::string(200, 'x').append(":1:1").c_str()).size(), 1u);
}

TEST(List, RefusesWhatIsOfAnotherTypeOrRangeOrTwiceThere)
{
    EXPECT_EQ(Items(kFields, "gren:1:1"),
              Found{"'gren:1:1': 'gren' is not one of red|green; did you mean green?"});
    EXPECT_EQ(Items(kFields, "red:8:1"),
              Found{"'red:8:1': 8 is out of range; it must be at most 7"});
    EXPECT_EQ(Items(kFields, "red:1:1,red:off"),
              (Found{"red|1|1", "'red:off': red is there twice"}));
    EXPECT_EQ(Items(kNumbers, "1KB,1000B"), (Found{"1KB", "'1000B': 1000B is there twice"}));
    EXPECT_EQ(Items(kNumbers, "2KB"), Found{"'2KB': 2KB is out of range; valid is 1B to 1KB"});
}

TEST(List, WordsStandForAWholeList)
{
    EXPECT_EQ(weft_list_is_word(&kNumbers, "inner"), 0);
    EXPECT_EQ(weft_list_is_word(&kNumbers, "outer"), 1);
    EXPECT_EQ(weft_list_is_word(&kNumbers, "out"), -1);
    EXPECT_EQ(weft_list_is_word(&kWords, ""), -1);
    EXPECT_EQ(weft_list_check(&kNumbers, "outer", nullptr), 0);
    EXPECT_EQ(Items(kNumbers, "innr"), Found{"'innr': write SIZE,...; did you mean 'inner'?"});
}

// A parameter with a form refuses text of another when it is set.
TEST(List, AParameterOfAFormIsCheckedWhenItIsSet)
{
    struct Values {
        const char *colours;
    } v = {};
    weft_param p = {"colours", WEFT_PARAM_STRING, 0, ""};
    p.list = &kFields;
    const weft_param_table table = {&p, 1, sizeof v};
    weft_err err = {};
    EXPECT_EQ(weft_params_set(&table, &v, "colours", "red:1:1", &err), 0);
    EXPECT_EQ(weft_params_set(&table, &v, "colours", "", &err), 0);
    EXPECT_EQ(weft_params_set(&table, &v, "colours", "red:1", &err), WEFT_E_INPUT);
    EXPECT_STREQ(err.msg, "parameter 'colours': 'red:1': write COLOUR:N:X or COLOUR:off");
}

} // namespace
