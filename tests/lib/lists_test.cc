/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The library is a layer over what the program runs: flow lists give the same times through both,
 * and so do sessions whose messages are posted at random stops.
 */
#include "net.h"

#include "served.h"

#include <map>
#include <random>

namespace
{

struct Flow {
    uint32_t src, dst;
    uint64_t bytes;
    int64_t at_ps;
};

/* "delivery acknowledgement" of each flow, in ns, as the files of the program say them. */
using Times = std::vector<std::string>;

std::string ns(int64_t ps)
{
    char text[64];
    snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ps / 1000),
             static_cast<long long>(ps % 1000));
    return text;
}

const std::vector<std::vector<std::string>> kNetworks = {
    {"topology.type=leaf-spine", "leaf-spine.leaves=4", "leaf-spine.hosts-per-leaf=4"},
    {"topology.type=single-switch", "single-switch.hosts=16", "congestion-control.name=hpcc"},
    {"topology.type=fat-tree", "fat-tree.k=4", "congestion-control.name=swift", "pfc.enabled=false",
     "transport.recovery=selective-repeat"},
    {"topology.type=leaf-spine", "leaf-spine.leaves=2", "leaf-spine.hosts-per-leaf=8",
     "transport.type=uet"},
    {"topology.type=single-switch", "single-switch.hosts=16", "network.backend=ideal"},
};

/* What `weft run` makes of a list. */
Times by_program(const std::vector<std::string> &settings, const std::vector<Flow> &flows)
{
    TempDir dir;
    std::string list = "src,dst,size_bytes,start_ns\n";
    for (const Flow &f : flows)
        list += std::to_string(f.src) + "," + std::to_string(f.dst) + "," +
                std::to_string(f.bytes) + "," + ns(f.at_ps) + "\n";
    write_file(dir / "flows.csv", list);
    const Said said = weft(with_sets({"run", "--set", "workload.type=flows", "--set",
                                      "flows.file=flows.csv", "--out", "out", "--quiet"},
                                     settings),
                           dir / ".");
    EXPECT_EQ(said.code, 0) << said.err;
    Times times(flows.size());
    const auto rows = cells(dir / "out/flows.csv");
    std::map<std::string, size_t> column;
    for (size_t i = 0; i < rows.at(0).size(); i++)
        column[rows[0][i]] = i;
    for (size_t i = 1; i < rows.size(); i++)
        times.at(std::stoul(rows[i][column.at("tag")], nullptr, 16)) =
            rows[i][column.at("fct_ns")] + " " + rows[i][column.at("ack_ns")];
    return times;
}

Times times_of(const std::vector<weft_event> &events, const std::vector<Flow> &flows,
               const std::map<uint64_t, size_t> &flow_of)
{
    std::vector<int64_t> delivered(flows.size(), -1), acked(flows.size(), -1);
    for (const weft_event &e : events) {
        const auto i = flow_of.find(e.id);
        if (i != flow_of.end())
            (e.kind == WEFT_DELIVERED ? delivered : acked)[i->second] =
                e.time_ps - flows[i->second].at_ps;
    }
    Times times;
    for (size_t i = 0; i < flows.size(); i++)
        times.push_back(ns(delivered[i]) + " " + ns(acked[i]));
    return times;
}

/* A session of weft serve. */
class Asked
{
  public:
    Asked(Served &server, const std::vector<std::string> &settings) : served(server)
    {
        std::string list;
        for (const std::string &s : settings)
            list += (list.empty() ? "\"" : ",\"") + s + "\"";
        Ask("\"open\",\"settings\":[" + list + "]");
    }
    void Post(const Flow &f, size_t qp)
    {
        Ask("\"post\",\"messages\":[{\"src\":" + std::to_string(f.src) +
            ",\"dst\":" + std::to_string(f.dst) + ",\"bytes\":" + std::to_string(f.bytes) +
            ",\"at_ps\":" + std::to_string(f.at_ps) + ",\"qp\":" + std::to_string(qp) + "}]");
    }
    /* Stops where the library did, which says when. */
    void Run(int64_t until_ps, uint32_t stop)
    {
        std::string said =
            Ask("\"run\"" +
                (until_ps == WEFT_NEVER_PS ? std::string()
                                           : ",\"until_ps\":" + std::to_string(until_ps)) +
                (stop == WEFT_DELIVERED ? ",\"stop\":\"any\"" : ""));
        const std::string kind = "{\"kind\":\"";
        for (size_t at = said.find(kind); at != std::string::npos; at = said.find(kind, at + 1)) {
            weft_event e = {};
            e.kind = said.compare(at + kind.size(), 9, "delivered") == 0 ? WEFT_DELIVERED
                                                                         : WEFT_ACKNOWLEDGED;
            e.time_ps = std::stoll(said.substr(said.find("\"time_ps\":", at) + 10));
            e.id = std::stoull(said.substr(said.find("\"id\":", at) + 5));
            events.push_back(e);
        }
    }
    std::vector<weft_event> Close()
    {
        Ask("\"close\"");
        return events;
    }

  private:
    std::string Ask(const std::string &rest)
    {
        const std::string said = served.Ask("{\"verb\":" + rest + "}");
        EXPECT_EQ(said.compare(0, 10, "{\"ok\":true"), 0) << said << " to " << rest;
        return said;
    }
    Served &served;
    std::vector<weft_event> events;
};

Flow random_flow(std::mt19937 &draw, int64_t at_ps)
{
    const uint32_t src = draw() % 16, to = draw() % 15;
    const uint64_t bytes = draw() % 4 ? draw() % 5000 : draw() % 300000;
    return {src, to < src ? to : to + 1, bytes, at_ps};
}

class LibLists : public testing::TestWithParam<int>
{
};

/* A hundred lists of each case, posted at once. */
TEST_P(LibLists, AListTakesTheSameTimesInTheProgram)
{
    for (int k = 0; k < 100; k++) {
        std::mt19937 draw(static_cast<unsigned>(1000 * GetParam() + k));
        const std::vector<std::string> &settings = kNetworks[draw() % kNetworks.size()];
        std::vector<Flow> flows;
        int64_t at_ps = 0;
        for (size_t n = 1 + draw() % 30; flows.size() < n;) {
            flows.push_back(random_flow(draw, at_ps));
            at_ps += draw() % 3 ? 0 : static_cast<int64_t>(draw() % 4000000);
        }
        Net net(settings, {}, "");
        ASSERT_TRUE(net.sim) << net.error.text;
        std::map<uint64_t, size_t> flow_of;
        for (size_t i = 0; i < flows.size(); i++)
            flow_of[static_cast<uint64_t>(net.Send(flows[i].src, flows[i].dst, flows[i].bytes,
                                                   flows[i].at_ps, static_cast<uint32_t>(i)))] = i;
        ASSERT_EQ(net.Run(), WEFT_STOP_IDLE) << weft_sim_error(net.sim);
        ASSERT_EQ(times_of(net.Take(), flows, flow_of), by_program(settings, flows))
            << "case " << GetParam() << ", list " << k;
    }
}

/* A hundred sessions of each case: what is posted at a stop starts then, or later. */
TEST_P(LibLists, ASessionTakesTheTimesOfItsList)
{
    Served served({});
    for (int k = 0; k < 100; k++) {
        std::mt19937 draw(static_cast<unsigned>(500000 + 1000 * GetParam() + k));
        const std::vector<std::string> &settings = kNetworks[draw() % kNetworks.size()];
        Net net(settings, {}, "");
        ASSERT_TRUE(net.sim) << net.error.text;
        std::vector<Flow> flows;
        std::map<uint64_t, size_t> flow_of;
        std::vector<weft_event> events;
        Asked asked(served, settings);
        int64_t last_ps = 0;
        for (size_t stops = 1 + draw() % 12; stops > 0; stops--) {
            for (size_t n = draw() % 5; n > 0; n--) {
                const int64_t now_ps = weft_sim_now(net.sim);
                int64_t at_ps = std::max(now_ps, last_ps);
                at_ps += draw() % 2 ? 0 : static_cast<int64_t>(draw() % 3000000);
                last_ps = at_ps;
                const Flow f = random_flow(draw, at_ps);
                flow_of[static_cast<uint64_t>(net.Send(f.src, f.dst, f.bytes, at_ps - now_ps,
                                                       static_cast<uint32_t>(flows.size())))] =
                    flows.size();
                asked.Post(f, flows.size());
                flows.push_back(f);
            }
            const int64_t until_ps = weft_sim_now(net.sim) + static_cast<int64_t>(draw() % 5000000);
            const uint32_t stop = draw() % 3 == 0 ? 0 : WEFT_DELIVERED;
            ASSERT_GE(net.Run(until_ps, stop), 0) << weft_sim_error(net.sim);
            asked.Run(until_ps, stop);
            for (const weft_event &e : net.Take())
                events.push_back(e);
        }
        ASSERT_EQ(net.Run(), WEFT_STOP_IDLE);
        for (const weft_event &e : net.Take())
            events.push_back(e);
        asked.Run(WEFT_NEVER_PS, 0);
        const std::vector<weft_event> same = asked.Close();
        if (flows.empty())
            continue;
        const Times times = times_of(events, flows, flow_of);
        std::map<uint64_t, size_t> as_posted;
        for (size_t i = 0; i < flows.size(); i++)
            as_posted[i] = i;
        ASSERT_EQ(times_of(same, flows, as_posted), times) << "by the protocol, session " << k;
        ASSERT_EQ(times, by_program(settings, flows)) << "case " << GetParam() << ", session " << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Thousand, LibLists, testing::Range(0, 10));

} // namespace
