/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions of weft serve: bytes in, bytes out. */
#include "frontend/lib/serve.h"
#include "ns3-module/bridge/bridge.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

const weft_net_backend *const kBackends[] = {&weft_net_packet, &weft_net_ideal};

struct Session {
    explicit Session(uint64_t frame_bytes = 1 << 20, uint64_t open_max = 1000)
    {
        config.backends = kBackends;
        config.nbackends = 2;
        config.frame_bytes = frame_bytes;
        config.open_max = open_max;
        s = weft_serve_new(&config);
    }
    ~Session()
    {
        weft_serve_free(s);
    }
    /* What comes back for some bytes. */
    std::string Feed(const std::string &bytes)
    {
        size_t n = 0;
        goes_on = weft_serve_feed(s, bytes.data(), bytes.size());
        const char *text = weft_serve_output(s, &n);
        const std::string answer(n ? text : "", n);
        weft_serve_sent(s);
        return answer;
    }
    std::string Ask(const std::string &request)
    {
        return Feed(request + "\n");
    }
    int End()
    {
        weft_err err = {};
        return weft_serve_end(s, &err);
    }
    weft_serve_config config = {};
    weft_serve *s;
    bool goes_on = true;
};

const std::string kOpen =
    R"({"verb":"open","settings":["topology.type=leaf-spine",)"
    R"("leaf-spine.leaves=2","leaf-spine.hosts-per-leaf=4"],"receives":true})";

const std::vector<std::string> kRequests = {
    kOpen,
    R"({"verb":"post","messages":[{"src":0,"dst":5,"bytes":100000,"user":42},)"
    R"({"src":5,"dst":0,"bytes":1000,"after":[0],"delay_ps":10}],)"
    R"("timers":[{"delay_ps":1000}],"receives":[{"dst":0,"src":5,"tag":0}]})",
    R"({"verb":"run","stop":"any"})",
    R"({"verb":"run","stop":[1]})",
    R"({"verb":"run"})",
    R"({"verb":"link","link":"h0-s8"})",
    R"({"verb":"close"})"};

std::string framed(const std::string &text)
{
    const size_t n = text.size();
    return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16),
                       static_cast<char>(n >> 8), static_cast<char>(n)} +
           text;
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Serve, RequestsCutAtEveryByteGetTheSameAnswers)
{
    for (bool lengths : {false, true}) {
        std::string all;
        for (const std::string &r : kRequests)
            all += lengths ? framed(r) : r + "\n";
        Session whole;
        const std::string expected = whole.Feed(all);
        EXPECT_EQ(whole.End(), 0);
        for (size_t cut = 0; cut <= all.size(); cut++) {
            Session s;
            std::string said = s.Feed(all.substr(0, cut));
            said += s.Feed(all.substr(cut));
            ASSERT_EQ(said, expected) << "cut at " << cut;
            ASSERT_EQ(s.End(), 0);
        }
        Session bytes;
        std::string said;
        for (char c : all)
            said += bytes.Feed(std::string(1, c));
        EXPECT_EQ(said, expected);
        for (size_t cut = 1; cut < all.size(); cut += 7) { /* the client went */
            Session s;
            s.Feed(all.substr(0, cut));
            s.End();
        }
    }
}

TEST(Serve, BothFramingsSayTheSame)
{
    Session lines, lengths;
    for (const std::string &r : kRequests) {
        std::string a = lines.Ask(r);
        ASSERT_EQ(a.back(), '\n');
        a.pop_back();
        EXPECT_EQ(lengths.Feed(framed(r)), framed(a));
    }
}

TEST(Serve, WhatWaitsStartsAtTheEndOfTheOthers)
{
    Session s;
    s.Ask(kOpen);
    EXPECT_EQ(s.Ask(kRequests[1]), "{\"ok\":true,\"first\":0,\"count\":4}\n");
    const std::string all = s.Ask(R"({"verb":"run"})");
    /* the same by stops */
    Session by_hand;
    by_hand.Ask(kOpen);
    by_hand.Ask(R"({"verb":"post","messages":[{"src":0,"dst":5,"bytes":100000,"user":42}]})");
    const std::string first = by_hand.Ask(R"({"verb":"run","stop":[0]})");
    EXPECT_HAS(first, "\"why\":\"event\"");
    by_hand.Ask(R"({"verb":"post","messages":[{"src":5,"dst":0,"bytes":1000,"delay_ps":10}]})");
    const std::string second = by_hand.Ask(R"({"verb":"run","stop":[1]})");
    const size_t at = second.find("\"now_ps\":") + 9;
    const std::string time = second.substr(at, second.find(',', at) - at);
    EXPECT_HAS(all, "{\"kind\":\"delivered\",\"time_ps\":" + time + ",\"id\":1,");
    EXPECT_HAS(all, "{\"kind\":\"matched\",\"time_ps\":" + time + ",\"id\":3,");
    EXPECT_HAS(all, "\"user\":42");
}

TEST(Serve, EachInstantWithAnEventThatIsToldMayEndARun)
{
    Session s;
    EXPECT_HAS(s.Ask(R"({"verb":"open","settings":["topology.type=leaf-spine"],)"
                     R"("events":["sent","acknowledged"]})"),
               "\"ok\":true");
    s.Ask(R"({"verb":"post","messages":[{"src":0,"dst":5,"bytes":10000}]})");
    for (const char *kind : {"sent", "acknowledged"}) {
        const std::string answer = s.Ask(R"({"verb":"run","stop":"event"})");
        const size_t at = answer.find("\"now_ps\":") + 9;
        EXPECT_HAS(answer, std::string("\"events\":[{\"kind\":\"") + kind + "\",\"time_ps\":" +
                               answer.substr(at, answer.find(',', at) - at) + ",\"id\":0,");
        EXPECT_EQ(answer.find("\"kind\""), answer.rfind("\"kind\""));
    }
    EXPECT_HAS(s.Ask(R"({"verb":"run","stop":"event"})"), "\"why\":\"idle\"");
}

TEST(Serve, AllIsWhenEverythingPostedIsOver)
{
    Session s;
    s.Ask(kOpen);
    s.Ask(R"({"verb":"post","messages":[{"src":0,"dst":5,"bytes":10},{"src":0,"dst":5,"bytes":10,)"
          R"("after":[0]},{"src":1,"dst":2,"bytes":10,"after":[0,1]}],"timers":[{"after":[2],)"
          R"("delay_ps":5}]})");
    const std::string all = s.Ask(R"({"verb":"run","stop":"all"})");
    EXPECT_HAS(all, "\"why\":\"event\"");
    EXPECT_HAS(all, "\"kind\":\"timer\"");
    EXPECT_EQ(all.find("\"kind\":\"timer\""), all.rfind("\"kind\":\"timer\""));
    EXPECT_HAS(s.Ask(R"({"verb":"run","stop":"all"})"), "\"why\":\"idle\""); // nothing is open
    s.Ask(R"({"verb":"post","receives":[{"dst":3}]})");
    EXPECT_HAS(s.Ask(R"({"verb":"run"})"), "\"why\":\"stalled\"");
    EXPECT_HAS(s.Ask(R"({"verb":"explain"})"),
               "\"h3: receive 4 waits for a message of any host, any tag\"],\"open\":1");
}

TEST(Serve, WrongRequestsAreAnsweredAndNothingOfThemHappens)
{
    const struct {
        const char *request, *answer;
    } cases[] = {
        {"{bad", "string or '}' expected"},
        {"[]", "a request is an object"},
        {R"({"verb":"post","a":1,"a":2})", "duplicate"},
        {R"({})", "'verb' is missing"},
        {R"({"verb":7})", "'verb' must be a text"},
        {R"({"verb":"opem"})", "there is no verb 'opem'"},
        {R"({"verb":"open"})", "a network is open"},
        {R"({"verb":"run","untl_ps":1})", "did you mean 'until_ps'?"},
        {R"({"verb":"run","until_ps":-5})", "the present is 0 ps"},
        {R"({"verb":"run","stop":"never"})", "'stop' must be"},
        {R"({"verb":"run","stop":[]})", "'stop' must be"},
        {R"({"verb":"post","messages":[{"src":0,"dst":1},{"src":0}]})",
         "messages[1]: 'dst' is missing"},
        {R"({"verb":"post","messages":[{"src":0,"dst":8}]})", "from 0 to 7"},
        {R"({"verb":"post","messages":[{"src":0,"dst":1,"after":[0]}]})", "numbers below 0"},
        {R"({"verb":"post","messages":[{"src":0,"dst":1,"tag":-1}]})", "'tag' must be"},
        {R"({"verb":"post","messages":[{"src":0,"dst":1,"tag":"18446744073709551615"}]})", "'tag'"},
        {R"({"verb":"post","messages":[{"src":0,"dst":1,"at_ps":5,"delay_ps":1}]})",
         "'at_ps' goes"},
        {R"({"verb":"post","timers":[{"delay_ps":-1}]})", "must not be negative"},
        {R"({"verb":"post","messages":{}})", "'messages' must be a list"},
        {R"({"verb":"post","messages":[[[[[[[[]]]]]]]]})", "nested more than 8 deep"},
        {R"({"verb":"link","link":"h0-h1"})", "no link joins"},
        {R"({"verb":"link","link":"h0-s8","state":"x"})", "'state' must be"},
    };
    Session s;
    EXPECT_HAS(s.Ask(R"({"verb":"run"})"), "no network is open");
    EXPECT_HAS(s.Ask(R"({"verb":"open","settings":["topology.type=x"]})"), "\"ok\":false");
    s.Ask(kOpen);
    for (const auto &c : cases) {
        const std::string answer = s.Ask(c.request);
        EXPECT_HAS(answer, "{\"ok\":false,");
        EXPECT_HAS(answer, c.answer);
    }
    EXPECT_EQ(s.Ask(R"({"verb":"post","messages":[{"src":0,"dst":1}]})"),
              "{\"ok\":true,\"first\":0,\"count\":1}\n");
    EXPECT_HAS(s.Ask(R"({"verb":"stats","request":77})"), "{\"ok\":true,\"request\":77,");
}

TEST(Serve, LimitsHold)
{
    Session s(200, 3);
    const std::string small = R"({"verb":"open","settings":["topology.type=single-switch"]})";
    EXPECT_HAS(s.Ask(small), "\"ok\":true");
    EXPECT_HAS(s.Ask("{\"verb\":\"" + std::string(300, 'x') + "\"}"), "longer than 200 bytes");
    EXPECT_HAS(s.Ask(R"({"verb":"post","timers":[{},{},{},{}]})"),
               "3 messages, timers and receives");
    EXPECT_HAS(s.Ask(R"({"verb":"post","timers":[{},{},{}]})"), "\"first\":0,\"count\":3");
    EXPECT_HAS(s.Ask(R"({"verb":"run"})"), "\"id\":2}]}");
    EXPECT_HAS(s.Ask(R"({"verb":"post","timers":[{},{},{}]})"), "\"first\":3,\"count\":3");
    Session lengths(200, 3);
    lengths.Feed(framed(small));
    const std::string said =
        lengths.Feed(framed("{\"verb\":\"" + std::string(5000, 'x') + "\"}") + framed(R"({})"));
    EXPECT_HAS(said, "longer than 200 bytes");
    EXPECT_HAS(said, "'verb' is missing"); /* what was too long is left out, the next is read */
}

/* ---- SimLLM's protocol ---- */

const std::string kSchema = "\"schema\":\"simllm-htsim-flow-session-v1\"";

std::string simllm_open(int nodes = 2)
{
    return "{\"effective_hardware_sha256\":\"" + std::string(64, '0') +
           "\",\"link_rate_bps\":400000000000,\"node_count\":" + std::to_string(nodes) +
           ",\"profile\":\"rnic-nn\"," + kSchema +
           ",\"seed\":0,\"session_id\":\"s\",\"topology_identity\":\"rnic-nn:nodes=" +
           std::to_string(nodes) +
           "\",\"verb\":\"open\",\"wqe_authority\":\"simllm-native-rnic-session\"}";
}

std::string simllm_inject(int sequence, int64_t at_ps, int src = 0, int dst = 1)
{
    return "{\"destination\":" + std::to_string(dst) +
           ",\"eligible_at_ps\":" + std::to_string(at_ps) +
           ",\"execution_id\":\"e\",\"flow_id\":\"f\",\"operation_id\":\"o\","
           "\"payload_bytes\":4096,\"policy_context_token\":9001," +
           kSchema + ",\"sequence\":" + std::to_string(sequence) +
           ",\"source\":" + std::to_string(src) + ",\"tag\":7,\"verb\":\"inject\"}";
}

std::string simllm(const std::string &verb, int through, const std::string &before = "")
{
    return "{" + kSchema + "," + before + "\"through_sequence\":" + std::to_string(through) +
           ",\"verb\":\"" + verb + "\"}";
}

TEST(ServeSimllm, ASessionOfTwoFlows)
{
    Session s;
    const std::string opened = s.Feed(framed(simllm_open()));
    EXPECT_HAS(opened, "\"effective_hardware_sha256\":null"); /* none is in force */
    EXPECT_HAS(opened, "\"wqe_authority\":\"weft\"");
    EXPECT_HAS(s.Feed(framed(simllm_inject(1, 0))), "\"accepted_sequence\":1");
    EXPECT_HAS(s.Feed(framed(simllm_inject(2, 0))), "\"accepted_sequence\":2");
    const std::string advanced = s.Feed(framed(simllm("advance", 2, "\"through_ps\":10000000,")));
    for (const char *kind : {"accepted", "queued", "started", "completed"})
        EXPECT_HAS(advanced, std::string("\"kind\":\"") + kind + "\"");
    const std::string drained = s.Feed(framed(simllm("drain", 2)));
    EXPECT_HAS(drained, "\"quiescent\":true");
    EXPECT_HAS(drained, "\"sq_high_watermarks\":[2,0]");
    EXPECT_HAS(s.Feed(framed(simllm("close", 2))), "\"terminal\":true");
    EXPECT_EQ(s.End(), 0);
}

TEST(ServeSimllm, ErrorsHaveTheirCodesAndEndTheSession)
{
    const struct {
        std::vector<std::string> before;
        std::string frame;
        const char *code;
    } cases[] = {
        {{}, simllm_inject(1, 0), "open_required"},
        {{}, "{" + kSchema + " ,\"verb\":\"open\"}", "noncanonical_json"},
        {{}, "{\"schema\":\"v9\",\"verb\":\"open\"}", "unsupported_schema"},
        {{simllm_open()}, simllm_open(), "duplicate_open"},
        {{simllm_open()}, simllm_inject(2, 0), "skipped_sequence"},
        {{simllm_open(), simllm_inject(1, 0)}, simllm_inject(1, 0), "duplicate_sequence"},
        {{simllm_open()}, simllm_inject(1, 0, 0, 0), "invalid_fields"},
        {{simllm_open()}, simllm_inject(1, 0, 0, 2), "invalid_fields"},
        {{simllm_open()}, simllm("close", 0), "drain_required"},
        {{simllm_open()}, simllm("drain", 1), "cursor_disagreement"},
        {{simllm_open(), simllm_inject(1, 5)}, simllm("drain", 1), "not_drained"},
        {{simllm_open(), simllm("advance", 0, "\"through_ps\":9,")},
         simllm_inject(1, 9),
         "stale_eligibility"},
        {{simllm_open(), simllm("advance", 0, "\"through_ps\":9,")},
         simllm("advance", 0, "\"through_ps\":8,"),
         "stale_horizon"},
        {{simllm_open(), simllm("drain", 0)}, simllm_inject(1, 9), "post_drain_inject"},
        {{simllm_open(), simllm("drain", 0), simllm("close", 0)},
         simllm("drain", 0),
         "post_terminal"},
        {{simllm_open()}, simllm("jump", 0), "unknown_verb"},
        {{simllm_open()}, "{bad", "invalid_json"},
    };
    for (const auto &c : cases) {
        Session s;
        for (const std::string &b : c.before)
            EXPECT_HAS(s.Feed(framed(b)), "\"status\":\"ok\"");
        EXPECT_HAS(s.Feed(framed(c.frame)), "\"code\":\"" + std::string(c.code) + "\"");
        EXPECT_FALSE(s.goes_on);
    }
    Session s;
    s.Feed(framed(simllm_open()));
    s.Feed(framed(simllm_inject(1, 0)).substr(0, 30));
    EXPECT_NE(s.End(), 0); /* a truncated frame */
}

} // namespace
