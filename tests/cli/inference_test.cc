// SPDX-License-Identifier: GPL-2.0-only
// Requests of inference: sizes of caches, and times on the ideal backend, where messages do not
// meet.
#include "jobs.h"

#include <sstream>
#include <vector>

namespace
{

const char kIdeal[] = "<network backend=\"ideal\"/><ideal contention=\"none\"/>\n";

Said play(const TempDir &dir, const std::string &attributes)
{
    return run(dir, kIdeal + ("<workload type=\"inference\" name=\"i\" " + attributes + "/>\n"),
               "o");
}

double number(const TempDir &dir, const char *file, const std::string &row, const char *column)
{
    return std::stod(cell(dir / ("o/" + std::string(file)), row, column));
}

/* What a message takes from one host to the next. */
double alone_ns(const TempDir &dir, uint64_t bytes)
{
    write_file(dir / "one.csv",
               "src,dst,size_bytes,start_ns\n0,1," + std::to_string(bytes) + ",0\n");
    const Said s =
        run(dir, kIdeal + std::string("<workload type=\"flows\" file=\"one.csv\" ranks=\"2\"/>\n"),
            "one");
    EXPECT_EQ(s.code, 0) << s.err;
    return std::stod(cell(dir / "one/flows.csv", "0", "fct_ns"));
}

/* Published: 8,192 tokens of Llama 3 405B have 4.2 GB of cache, of 70B 2.7 GB, of DeepSeek-V3 0.58
 * GB. */
TEST(Inference, CachesAreThoseOfTheModels)
{
    TempDir dir;
    const struct {
        const char *model;
        uint64_t bytes;
    } cases[] = {
        {"llama3-405b", UINT64_C(8192) * 2 * 126 * 8 * 128 * 2},
        {"llama3-70b", UINT64_C(8192) * 2 * 80 * 8 * 128 * 2},
        {"deepseek-v3", UINT64_C(8192) * 61 * (512 + 64) * 2},
    };
    for (const auto &c : cases) {
        const Said s =
            play(dir, std::string("count=\"1\" prompt-tokens=\"8192\" model=\"") + c.model + "\"");
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(cell(dir / "o/jobs.csv", "i", "bytes"), std::to_string(c.bytes));
        EXPECT_EQ(cell(dir / "o/requests.csv", "prompt", "bytes"), std::to_string(c.bytes));
    }
}

/* A prompt of 1,000 tokens at 10,000 per second takes 100 ms, then 10 MB in two halves go to two
 * ranks: 1 / 2 of the time of all of them on one. */
TEST(Inference, PrefillThenTransfer)
{
    TempDir dir;
    const double ns = alone_ns(dir, 5000000);
    Said s = play(dir, "tp=\"2\" ranks=\"4\" kv-bytes=\"10KB\" prompt-tokens=\"1000\" count=\"1\"");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "o/jobs.csv", "i", "messages"), "2");
    EXPECT_NEAR(number(dir, "requests.csv", "prompt", "service_ns"), 1e8, 0.01);
    EXPECT_NEAR(number(dir, "requests.csv", "prompt", "network_ns"), ns,
                100); /* leaf to leaf or not */
    EXPECT_EQ(number(dir, "requests.csv", "prompt", "wait_ns"), 0);
    /* Layer by layer only the last of 80 is behind the prefill. */
    s = play(dir, "tp=\"2\" ranks=\"4\" kv-bytes=\"10KB\" prompt-tokens=\"1000\" count=\"1\" "
                  "transfer=\"layers\"");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "o/jobs.csv", "i", "messages"), "160");
    EXPECT_EQ(cell(dir / "o/jobs.csv", "i", "bytes"), "10000000");
    EXPECT_LT(number(dir, "requests.csv", "prompt", "network_ns"), ns / 20);
}

/* One prefill instance of constant times is an M/D/1 queue: rho / (2 (1 - rho)) services of
 * waiting. */
TEST(Inference, PromptsWaitAsInAQueue)
{
    TempDir dir;
    const Said s = play(dir, "ranks=\"2\" kv-bytes=\"1B\" prompt-tokens=\"1000\" rate=\"5\" "
                             "count=\"40000\"");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "o/jobs.csv", "i", "requests"), "40000");
    EXPECT_NEAR(number(dir, "jobs.csv", "i", "request_mean_ns") / 1e8, 1.5, 0.04);
}

/* Log-normal lengths keep their mean; a file's are those of the file. */
TEST(Inference, LengthsOfPrompts)
{
    TempDir dir;
    Said s = play(dir, "ranks=\"2\" kv-bytes=\"1B\" prompt-tokens=\"1000\" prompt-sigma=\"1\" "
                       "count=\"40000\" rate=\"1000000\"");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_NEAR(number(dir, "jobs.csv", "i", "bytes") / 40000, 1000, 25);
    write_file(dir / "tokens.txt", "0 0\n100 50\n300 100\n");
    s = play(dir, "ranks=\"2\" kv-bytes=\"1B\" tokens-file=\"tokens.txt\" count=\"40000\" "
                  "rate=\"1000000\"");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_NEAR(number(dir, "jobs.csv", "i", "bytes") / 40000, 125, 2); /* (50 + 200) / 2 */
}

/* A column of the rows of one kind of request, in the order of their ends. */
std::vector<double> column(const TempDir &dir, const std::string &what, const std::string &name)
{
    std::istringstream in(slurp(dir / "o/requests.csv"));
    std::vector<double> out;
    std::string line, field;
    size_t at = 0, kind = 0;
    for (size_t row = 0; std::getline(in, line); row++) {
        std::vector<std::string> fields;
        for (std::istringstream cut(line); std::getline(cut, field, ',');)
            fields.push_back(field);
        for (size_t k = 0; row == 0 && k < fields.size(); k++) {
            at = fields[k] == name ? k : at;
            kind = fields[k] == "request" ? k : kind;
        }
        if (row && fields[kind] == what)
            out.push_back(std::stod(fields[at]));
    }
    return out;
}

/* The first of 11 tokens comes from the prefill, the others from iterations of 20 ms. */
TEST(Inference, TokensComeOnePerIteration)
{
    TempDir dir;
    const Said s = play(dir, "ranks=\"2\" kv-bytes=\"1B\" prompt-tokens=\"1000\" count=\"1\" "
                             "output-tokens=\"11\" decode-time=\"20ms\"");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(column(dir, "decode", "latency_ns"), std::vector<double>({2e8}));
    EXPECT_EQ(column(dir, "decode", "network_ns"), std::vector<double>({0}));
    const double prompt = column(dir, "prompt", "latency_ns").at(0);
    EXPECT_DOUBLE_EQ(column(dir, "request", "latency_ns").at(0), prompt + 2e8);
    EXPECT_DOUBLE_EQ(column(dir, "request", "service_ns").at(0), 1e8 + 2e8);
    EXPECT_EQ(cell(dir / "o/jobs.csv", "i", "requests"), "1"); /* its parts are not counted */
    EXPECT_DOUBLE_EQ(number(dir, "jobs.csv", "i", "request_mean_ns"), prompt + 2e8);
}

/* Llama 3 70B has 80 layers with two all-reduces each of 8,192 elements of 16 bits: one iteration
 * between two ranks are 320 messages of 16 KiB, 160 one after the other. */
TEST(Inference, IterationsHaveTheAllReducesOfTheModel)
{
    TempDir dir;
    const double ns = alone_ns(dir, 16384);
    const Said s = play(dir, "tp=\"2\" ranks=\"4\" kv-bytes=\"1B\" prompt-tokens=\"2\" count=\"1\" "
                             "output-tokens=\"2\" model=\"llama3-70b\"");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "o/jobs.csv", "i", "messages"), "322");
    EXPECT_EQ(cell(dir / "o/jobs.csv", "i", "bytes"), std::to_string(320 * 16384 + 2));
    EXPECT_NEAR(column(dir, "decode", "network_ns").at(0), 160 * ns, 0.01);
}

/* Three requests at once, two more tokens each, at most two in a batch: the first begins alone, the
 * second joins at its second iteration, the third when the first is over. */
TEST(Inference, RequestsJoinAndLeaveBetweenIterations)
{
    TempDir dir;
    const char *all = "ranks=\"2\" kv-bytes=\"1B\" prompt-tokens=\"1\" prefill-rate=\"1e9\" "
                      "rate=\"1000000\" count=\"3\" output-tokens=\"3\" decode-time=\"20ms\" ";
    Said s = play(dir, std::string(all) + "batch=\"2\"");
    ASSERT_EQ(s.code, 0) << s.err;
    std::vector<double> waits = column(dir, "decode", "wait_ns");
    ASSERT_EQ(waits.size(), 3u);
    EXPECT_EQ(waits[0], 0);
    EXPECT_NEAR(waits[1], 2e7, 2e4);
    EXPECT_NEAR(waits[2], 4e7, 2e4);
    s = play(dir, all);
    ASSERT_EQ(s.code, 0) << s.err;
    waits = column(dir, "decode", "wait_ns");
    ASSERT_EQ(waits.size(), 3u);
    EXPECT_NEAR(waits[2], 2e7, 2e4);
    for (double service : column(dir, "decode", "service_ns"))
        EXPECT_EQ(service, 4e7);
}

/* Lengths keep their mean: m tokens are m - 1 iterations. */
TEST(Inference, LengthsOfOutputs)
{
    TempDir dir;
    const Said s = play(dir, "ranks=\"2\" kv-bytes=\"1B\" prompt-tokens=\"1\" count=\"2000\" "
                             "rate=\"100\" output-tokens=\"100\" output-sigma=\"0.5\" "
                             "decode-time=\"1ms\"");
    ASSERT_EQ(s.code, 0) << s.err;
    double sum = 0;
    for (double service : column(dir, "decode", "service_ns"))
        sum += service / 1e6;
    EXPECT_NEAR(sum / 2000, 99, 3);
}

TEST(Inference, WrongSettingsAreErrors)
{
    TempDir dir;
    const struct {
        const char *inside, *says;
    } cases[] = {
        {"prefill=\"8\" count=\"1\"", "prefill is 8, which leaves no rank of 8 to decode"},
        {"tp=\"3\" count=\"1\"", "are not whole instances of tp=3"},
        {"model=\"llama3-70\" count=\"1\"", "did you mean 'llama3-70b'?"},
        {"", "nothing ends the run"},
    };
    for (const auto &c : cases) {
        const Said s = play(dir, c.inside);
        EXPECT_EQ(s.code, 3) << c.inside;
        EXPECT_CONTAINS(s.err, c.says);
    }
}

} // namespace
