// SPDX-License-Identifier: GPL-2.0-only
// Damaged topology files are errors with a place and a remedy, never crashes.
#include "readers.h"

#include "topologies/write.h"

#include <random>

using namespace readers;

// Cuts, flipped bytes, doubled and dropped pieces: an error with a message, or a fabric in order.
TEST(TopologyReaders, DamagedFilesAreErrorsNeverCrashes)
{
    std::mt19937 rng(7);
    const std::string xml = written(build("torus"), weft_fabric_write_xml);
    const std::vector<std::string> bodies = {
        NCCL,
        NCCL_CLASSES,
        NCCL_MACHINES,
        RCCL,
        SIMAI,
        YAML,
        xml,
        "<topology type=\"multi\"><dimension type=\"ring\" size=\"4\"/></topology>",
        "5 1 4\n4\n0 4 1Gbps 1us 0\n1 4 1Gbps 1us 0\n2 4 1Gbps 1us 0\n3 4 1Gbps 1us 0\n"};
    uint32_t good = 0, bad = 0;
    for (const std::string &body : bodies) {
        for (int round = 0; round < 250; round++) {
            std::string s = body;
            const size_t at = rng() % s.size();
            switch (round % 4) {
            case 0:
                s.resize(at);
                break;
            case 1:
                s[at] = static_cast<char>(rng() % 127 + 1);
                break;
            case 2:
                s.insert(at, s.substr(rng() % s.size(), rng() % 40));
                break;
            default:
                s.erase(at, rng() % 40 + 1);
            }
            File file(s);
            weft_err err{};
            Fabric f = read(file.path, &err);
            if (f) {
                good++;
                ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
            } else {
                bad++;
                ASSERT_TRUE(err.code == WEFT_E_INPUT || err.code == WEFT_E_LIMIT)
                    << text(err) << "\n"
                    << s;
                ASSERT_GT(std::string(err.msg).size(), 5u);
            }
        }
    }
    EXPECT_GT(good, 100u);
    EXPECT_GT(bad, 100u);
}

TEST(TopologyReaders, ErrorsNameThePlaceAndTheRemedy)
{
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"<topology type=\"rign\"/>", ":1:11: unknown topology 'rign'; did you mean 'ring'?"},
        {"<topology type=\"ring\"\n size=\"many\"/>", ":2:2: "},
        {"<topology type=\"ring\"><dimension type=\"ring\"/></topology>", "only type multi"},
        {"<topology type=\"multi\"><dimension size=\"4\"/></topology>",
         "needs the attribute 'type'"},
        {"<topology type=\"multi\"><dimension type=\"dumbbell\"/></topology>",
         "cannot be a dimension"},
        {"<topology type=\"hpcc\" file=\"x\"/>", "cannot refer to another"},
        {"<topology><nodes kind=\"host\" count=\"2\"/><lnk a=\"0\" b=\"1\"/></topology>",
         "did you mean 'link'?"},
        {"<topology><nodes kind=\"host\" count=\"2\"/><link a=\"0\" b=\"1\" "
         "rate=\"1Gbps\"/></topology>",
         "'delay' must be given"},
        {"<topology><nodes kind=\"host\" count=\"2\"/><link a=\"0\" b=\"9\" rate=\"1Gbps\" "
         "delay=\"1us\"/></topology>",
         "there is no node 9"},
        {"<system><cpu/></system>", "the dump has no GPU"},
        {"3 2 0 1 3 H100\n", "the file ends"},
        {"topology: [ Ring ]\nnpus_count: [ x ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n",
         "'npus_count'"},
        {"topology: [ Hexagon ]\nnpus_count: [ 4 ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n",
         "unknown dimension 'Hexagon'"},
        {"colour: red\n", "npus_count"},
    };
    for (const auto &[body, want] : cases) {
        File file(body);
        weft_err err{};
        EXPECT_EQ(read(file.path, &err), nullptr) << body;
        EXPECT_NE(text(err).find(want), std::string::npos) << body << "\n" << text(err);
    }
    weft_err err{};
    EXPECT_EQ(try_build("multi", {{"dimensions", "switch size=4; rail-optimised rails=8"}}, &err),
              nullptr);
    EXPECT_NE(std::string(err.msg).find("as many rails (8) as NPUs in the dimensions inside (4)"),
              std::string::npos)
        << err.msg;
    EXPECT_EQ(try_build("dragonfly", {{"groups", "6"}}, &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("nearest is 9 groups"), std::string::npos) << err.msg;
    for (const char *shape : {"4x", "x4", "4xx4", "4x1", "4,4", "4x4x2097152", "4*4"}) {
        EXPECT_EQ(try_build("torus", {{"shape", shape}}, &err), nullptr) << shape;
        EXPECT_EQ(std::string(err.msg).find("parameter 'shape'"), 0u) << err.msg;
    }
    EXPECT_EQ(try_build("mesh", {{"shape", ""}}, &err), nullptr);
    EXPECT_EQ(try_build("rail-optimised", {{"rail-only", "true"}}, &err), nullptr);
}
