/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/json.h"

#include "temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace
{

std::string written(int indent, const std::function<void(weft_json *)> &body)
{
    MemoryFile out;
    weft_json j;
    weft_err e = {};
    weft_json_init(&j, out.f, "t.json", indent);
    body(&j);
    EXPECT_EQ(weft_json_finish(&j, &e), 0) << e.msg;
    return out.text();
}

std::string misuse(const std::function<void(weft_json *)> &body)
{
    MemoryFile out;
    weft_json j;
    weft_err e = {};
    weft_json_init(&j, out.f, "t.json", 2);
    body(&j);
    EXPECT_EQ(weft_json_finish(&j, &e), WEFT_E_INTERNAL);
    EXPECT_STREQ(e.file, "t.json");
    return e.msg;
}

void document(weft_json *j)
{
    weft_json_object(j);
    weft_json_kv_str(j, "name", "demo");
    weft_json_kv_u64(j, "big", UINT64_MAX);
    weft_json_kv_i64(j, "small", INT64_MIN);
    weft_json_key(j, "list");
    weft_json_array(j);
    weft_json_f64(j, 0.1);
    weft_json_bool(j, 7);
    weft_json_null(j);
    weft_json_object(j);
    weft_json_end_object(j);
    weft_json_array(j);
    weft_json_end_array(j);
    weft_json_end_array(j);
    weft_json_kv_bool(j, "ok", 0);
    weft_json_kv_f64(j, "ratio", 1);
    weft_json_end_object(j);
}

TEST(Json, Indented)
{
    EXPECT_EQ(written(2, document), R"({
  "name": "demo",
  "big": 18446744073709551615,
  "small": -9223372036854775808,
  "list": [
    0.1,
    true,
    null,
    {},
    []
  ],
  "ok": false,
  "ratio": 1
}
)");
}

TEST(Json, OneLine)
{
    EXPECT_EQ(written(0, document),
              "{\"name\":\"demo\",\"big\":18446744073709551615,\"small\":-9223372036854775808,"
              "\"list\":[0.1,true,null,{},[]],\"ok\":false,\"ratio\":1}\n");
}

TEST(Json, TopLevelScalar)
{
    EXPECT_EQ(written(2, [](weft_json *j) { weft_json_str(j, "x"); }), "\"x\"\n");
}

TEST(Json, Strings)
{
    const struct {
        const char *in, *out;
    } cases[] = {
        {"", "\"\""},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\""},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xff", "\"\xef\xbf\xbd\""},                                   /* no UTF-8 at all */
        {"\xc3", "\"\xef\xbf\xbd\""},                                   /* cut */
        {"\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                   /* overlong zero */
        {"\xe0\x80\x80x", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\""}, /* overlong */
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},   /* surrogate */
        {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {nullptr, "null"},
    };
    for (const auto &c : cases)
        EXPECT_EQ(written(0, [&](weft_json *j) { weft_json_str(j, c.in); }),
                  std::string(c.out) + "\n");
    EXPECT_EQ(written(0,
                      [](weft_json *j) {
                          weft_json_object(j);
                          weft_json_kv_str(j, "a\"b", "c");
                          weft_json_end_object(j);
                      }),
              "{\"a\\\"b\":\"c\"}\n");
}

TEST(Json, NumbersThatJsonDoesNotHaveAreNull)
{
    EXPECT_EQ(written(0, [](weft_json *j) { weft_json_f64(j, NAN); }), "null\n");
    EXPECT_EQ(written(0, [](weft_json *j) { weft_json_f64(j, -INFINITY); }), "null\n");
}

TEST(Json, Misuse)
{
    EXPECT_EQ(misuse([](weft_json *) {}), "JSON writer: an empty document");
    EXPECT_EQ(misuse([](weft_json *j) { weft_json_object(j); }),
              "JSON writer: an object or array that is still open at the end");
    EXPECT_EQ(misuse([](weft_json *j) {
                  weft_json_object(j);
                  weft_json_u64(j, 1);
              }),
              "JSON writer: a value without key in an object");
    EXPECT_EQ(misuse([](weft_json *j) {
                  weft_json_array(j);
                  weft_json_key(j, "k");
              }),
              "JSON writer: a key outside of an object");
    EXPECT_EQ(misuse([](weft_json *j) { weft_json_key(j, "k"); }),
              "JSON writer: a key outside of an object");
    EXPECT_EQ(misuse([](weft_json *j) {
                  weft_json_object(j);
                  weft_json_key(j, "k");
                  weft_json_end_object(j);
              }),
              "JSON writer: a key without value");
    EXPECT_EQ(misuse([](weft_json *j) {
                  weft_json_object(j);
                  weft_json_key(j, "k");
                  weft_json_key(j, "l");
              }),
              "JSON writer: a key without value");
    EXPECT_EQ(misuse([](weft_json *j) {
                  weft_json_array(j);
                  weft_json_end_object(j);
              }),
              "JSON writer: the end of an object that is not open");
    EXPECT_EQ(misuse([](weft_json *j) { weft_json_end_array(j); }),
              "JSON writer: the end of an array that is not open");
    EXPECT_EQ(misuse([](weft_json *j) {
                  weft_json_u64(j, 1);
                  weft_json_u64(j, 2);
              }),
              "JSON writer: a second top-level value");
    EXPECT_EQ(misuse([](weft_json *j) {
                  for (int i = 0; i <= WEFT_JSON_DEPTH_MAX; i++)
                      weft_json_array(j);
              }),
              "JSON writer: too many nested objects and arrays");
}

TEST(Json, DeepestNestingWorks)
{
    const std::string text = written(0, [](weft_json *j) {
        for (int i = 0; i < WEFT_JSON_DEPTH_MAX; i++)
            weft_json_array(j);
        for (int i = 0; i < WEFT_JSON_DEPTH_MAX; i++)
            weft_json_end_array(j);
    });
    EXPECT_EQ(text,
              std::string(WEFT_JSON_DEPTH_MAX, '[') + std::string(WEFT_JSON_DEPTH_MAX, ']') + "\n");
}

TEST(Json, AFullDiskIsReported)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        GTEST_SKIP() << "no /dev/full here";
    weft_json j;
    weft_err e = {};
    weft_json_init(&j, full, "run.json", 2);
    document(&j);
    EXPECT_EQ(weft_json_finish(&j, &e), WEFT_E_IO);
    EXPECT_STREQ(e.msg, "cannot write: No space left on device");
    fclose(full);
}

} // namespace
