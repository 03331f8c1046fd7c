// SPDX-License-Identifier: GPL-2.0-only
// What --json prints is as share/weft/output.schema.json says, for every command.
#include "program.h"

#include <jansson.h>

namespace
{

struct Doc {
    json_t *j;
    explicit Doc(const std::string &text) : j(json_loads(text.c_str(), 0, nullptr)) {}
    ~Doc()
    {
        json_decref(j);
    }
};

bool is_type(const json_t *v, const std::string &type)
{
    return (type == "object" && json_is_object(v)) || (type == "array" && json_is_array(v)) ||
           (type == "string" && json_is_string(v)) || (type == "integer" && json_is_integer(v)) ||
           (type == "number" && json_is_number(v)) || (type == "boolean" && json_is_boolean(v)) ||
           (type == "null" && json_is_null(v));
}

/* The part of JSON Schema that the schema is written in; "" or what is wrong, and where. */
std::string wrong(const json_t *root, const json_t *schema, const json_t *v,
                  const std::string &path)
{
    static const char *const known[] = {"$ref",     "type",       "enum",
                                        "required", "items",      "properties",
                                        "const",    "oneOf",      "additionalProperties",
                                        "title",    "$defs",      "$schema",
                                        "$id",      "description"};
    const char *key;
    json_t *part;
    json_object_foreach(const_cast<json_t *>(schema), key, part)
    {
        bool is_known = false;
        for (const char *k : known)
            is_known |= strcmp(k, key) == 0;
        if (!is_known)
            return std::string("the test does not know the keyword ") + key;
    }
    if (const char *ref = json_string_value(json_object_get(schema, "$ref"))) {
        const json_t *at =
            json_object_get(json_object_get(root, "$defs"), ref + strlen("#/$defs/"));
        return at ? wrong(root, at, v, path) : std::string("no ") + ref;
    }
    if (const json_t *type = json_object_get(schema, "type")) {
        bool ok = json_is_string(type) && is_type(v, json_string_value(type));
        size_t i;
        json_t *t;
        json_array_foreach(const_cast<json_t *>(type), i, t) ok |= is_type(v, json_string_value(t));
        if (!ok)
            return path + " is of another type";
    }
    if (const json_t *c = json_object_get(schema, "const"))
        if (!json_equal(const_cast<json_t *>(c), const_cast<json_t *>(v)))
            return path + " is another value";
    size_t i;
    json_t *one;
    if (json_t *any = json_object_get(schema, "enum")) {
        bool ok = false;
        json_array_foreach(any, i, one) ok |= json_equal(one, const_cast<json_t *>(v)) != 0;
        if (!ok)
            return path + " is none of the values";
    }
    if (json_t *any = json_object_get(schema, "oneOf")) {
        int matches = 0;
        std::string last;
        json_array_foreach(any, i, one)
        {
            const std::string w = wrong(root, one, v, path);
            matches += w.empty();
            if (w.find(path + ".command") == w.npos)
                last = w.empty() ? last : w;
        }
        if (matches != 1)
            return path + " matches " + std::to_string(matches) + " of oneOf; " + last;
    }
    if (json_is_array(v)) {
        const json_t *items = json_object_get(schema, "items");
        for (size_t k = 0; items && k < json_array_size(v); k++) {
            const std::string w =
                wrong(root, items, json_array_get(v, k), path + "[" + std::to_string(k) + "]");
            if (!w.empty())
                return w;
        }
    }
    if (!json_is_object(v))
        return "";
    json_array_foreach(json_object_get(schema, "required"), i,
                       one) if (!json_object_get(v, json_string_value(one))) return path +
        " lacks " + json_string_value(one);
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *others = json_object_get(schema, "additionalProperties");
    json_object_foreach(const_cast<json_t *>(v), key, part)
    {
        const json_t *s = json_object_get(properties, key);
        if (!s && json_is_false(others))
            return path + " has " + key;
        s = s ? s : json_is_object(others) ? others : nullptr;
        const std::string w = s ? wrong(root, s, part, path + "." + key) : "";
        if (!w.empty())
            return w;
    }
    return "";
}

class Json : public ::testing::Test
{
  protected:
    Doc schema{slurp(source_dir() + "/frontend/cli/output.schema.json")};
    TempDir dir;

    void valid(const std::vector<std::string> &args, const std::string &command, int code = 0)
    {
        const Said s = weft(args, dir / "");
        EXPECT_EQ(s.code, code) << command << s.err;
        const Doc doc(s.out);
        ASSERT_NE(doc.j, nullptr) << command << ": no JSON: " << s.out;
        EXPECT_STREQ(json_string_value(json_object_get(doc.j, "command")), command.c_str());
        EXPECT_EQ(wrong(schema.j, schema.j, doc.j, "$"), "") << s.out.substr(0, 2000);
    }
    static std::vector<std::string> with(std::vector<std::string> a,
                                         const std::vector<std::string> &b)
    {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    }
};

TEST_F(Json, TheSchemaFindsWhatIsWrong)
{
    ASSERT_NE(schema.j, nullptr);
    for (const char *text :
         {"{}", "{\"schema_version\": 1, \"command\": \"dance\"}",
          "{\"schema_version\": 1, \"command\": \"list\", \"cc\": [{\"name\": \"a\"}]}",
          "{\"schema_version\": 2, \"command\": \"list\"}",
          "{\"schema_version\": 1, \"command\": \"sweep\", \"outcome\": \"done\", \"reason\": "
          "null, "
          "\"partial\": false, \"rows\": []}"}) {
        const Doc doc(text);
        EXPECT_NE(wrong(schema.j, schema.j, doc.j, "$"), "") << text;
    }
}

TEST_F(Json, OfRunsAndSweeps)
{
    valid(small({"--json", "--no-out"}), "run");
    valid(small({"--json", "--no-out", "--set", "run.until=1us"}), "run", 1);
    valid(small({"--json", "--out", "a", "--metric", "drops"}), "run");
    valid(small({"--json", "--out", "b", "--set", "generate.size=2MiB"}), "run");
    valid({"compare", "a", "b", "--json"}, "compare");
    auto sweep = small({"--json", "--vary", "generate.size=1MiB|x|2MiB", "--seeds", "1..2"});
    sweep[0] = "sweep";
    valid(sweep, "sweep", 3);
    sweep = small({"--json", "--vary", "generate.size=1MiB..8MiB*2", "--find",
                   "min generate.size where end-to-end>60us"});
    sweep[0] = "sweep";
    valid(sweep, "sweep");
}

TEST_F(Json, OfWhatThereIs)
{
    valid({"list", "--json"}, "list");
    for (const char *what :
         {"cc", "topologies", "collectives", "workloads", "transforms", "backends", "sections",
          "faults", "presets", "scenarios", "clusters", "metrics"})
        valid({"list", what, "--json"}, "list");
    valid({"show", "cc", "dcqcn", "--json"}, "show");
    valid({"show", "workload", "generate", "--json"}, "show");
    valid({"show", "output", "--json"}, "show");
    valid({"explain", "generate.size", "--json"}, "explain");
    valid({"doctor", "--json"}, "doctor");
    auto check = small({"--json"});
    check[0] = "check";
    valid(check, "check");
    check[0] = "explain";
    check.insert(check.begin() + 1, "run.seed");
    valid(check, "explain");
    valid({"topology", "show", "dgx-h100-pod", "--json"}, "topology show");
    if (has_packet())
        valid({"bench", "permutation-k8", "--quick", "--controls", "none", "--json"}, "bench");
}

TEST_F(Json, OfTraces)
{
    for (const char *to : {"a/x", "b/x"})
        EXPECT_EQ(weft({"trace", "generate", to, "--set", "ranks=4", "--set",
                        to[0] == 'a' ? "size=64KiB" : "size=128KiB"},
                       dir / "")
                      .code,
                  0);
    valid({"trace", "info", "a/x", "--json"}, "trace info");
    valid({"trace", "check", "a/x", "--json"}, "trace check");
    valid({"trace", "dump", "a/x", "--json"}, "trace dump");
    valid({"trace", "diff", "a/x", "b/x", "--json"}, "trace diff", 1);
    valid({"trace", "compare", "a/x", "b/x", "--json"}, "trace compare");
}

TEST_F(Json, OfConfigurationsOfHpcc)
{
    if (!has_packet())
        GTEST_SKIP() << "the program has no packet backend";
    write_file(dir / "t", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
    write_file(dir / "f", "1\n0 1 3 100 40000 2\n");
    write_file(dir / "config.txt", "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\nKMIN_MAP 1 "
                                   "100000000000 400\nKMAX_MAP 1 100000000000 1600\nPMAX_MAP 1 "
                                   "100000000000 0.2\n");
    valid({"hpcc", "--config", "config.txt", "--no-out", "--json"}, "hpcc");
}

} // namespace
