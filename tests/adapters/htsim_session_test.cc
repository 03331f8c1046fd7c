/* SPDX-License-Identifier: GPL-2.0-only */
/* What ASTRA-sim's htsim frontend asks of its session, of the adapter. */
#include "htsim_session/HTSimSession.hh"

#include "handlers.hh"

namespace
{

using namespace HTSim;

/* The session is one of a process: each test opens its own and ends it. */
struct World {
    explicit World(std::vector<std::string> args = {})
    {
        args.insert(args.begin(), kEightHosts.begin(), kEightHosts.end());
        args.insert(args.begin(), "--htsim_opts");
        std::vector<char *> argv;
        for (std::string &a : args)
            argv.push_back(a.data());
        HTSimSession::init(&info, static_cast<int>(argv.size()), argv.data(), HTSimProto::Tcp);
    }
    ~World()
    {
        HTSimSession::instance().finish();
        HTSimSession::recv_waiting.clear();
        HTSimSession::msg_standby.clear();
    }
    void Send(int src, int dst, uint64_t bytes, int tag, std::function<void()> f)
    {
        HTSimSession::instance().send_flow(FlowInfo(src, dst, bytes, tag), ++flows, Once::Call,
                                           On(std::move(f)));
    }
    /* As the frontend receives, where nothing has arrived and nothing waits. */
    void Receive(int dst, int src, uint64_t bytes, int tag, std::function<void()> f)
    {
        HTSimSession::recv_waiting[{tag, {src, dst}}] =
            MsgEvent(src, dst, Dir::Receive, bytes, On(std::move(f)), Once::Call);
    }
    Once *On(std::function<void()> f)
    {
        handlers.push_back(std::make_unique<Once>(Once{std::move(f)}));
        return handlers.back().get();
    }
    void ExpectAllCalled() const
    {
        for (const auto &h : handlers)
            EXPECT_EQ(h->called, 1);
    }
    tm_info info = {8};
    int flows = 0;
    std::vector<std::unique_ptr<Once>> handlers;
};

double now()
{
    return HTSimSession::instance().get_time_ns();
}

TEST(HtsimSession, SendersAreToldAtTheAcknowledgementOrTheDelivery)
{
    for (const bool delivered : {false, true}) {
        World w({delivered ? "sent=delivered" : "sent=acknowledged"});
        double sent = 0, received = 0;
        w.Receive(1, 0, 100000, 7, [&] { received = now(); });
        w.Send(0, 1, 100000, 7, [&] { sent = now(); });
        HTSimSession::instance().run(&w.info);
        w.ExpectAllCalled();
        EXPECT_GT(received, 0);
        EXPECT_EQ(sent > received, !delivered);
    }
}

TEST(HtsimSession, BytesAreCountedAsTheFrontendExpects)
{
    World w;
    int received = 0;
    w.Receive(1, 0, 3000, 7, [&] { received++; });
    w.Send(0, 1, 1000, 7, [] {});
    w.Send(0, 1, 2500, 7, [] {});
    w.Send(0, 1, 40, 8, [] {});
    HTSimSession::instance().run(&w.info);
    w.ExpectAllCalled();
    EXPECT_TRUE(HTSimSession::recv_waiting.empty());
    EXPECT_EQ(HTSimSession::msg_standby,
              (std::map<MsgEventKey, uint64_t>{{{7, {0, 1}}, 500}, {{8, {0, 1}}, 40}}));
}

TEST(HtsimSession, HandlersPostAtTheirTimeAndEndTheRun)
{
    World w;
    HTSimSession &s = HTSimSession::instance();
    double at = 0;
    s.schedule_astra_event(500, Once::Call, w.On([&] {
        EXPECT_EQ(now(), 500);
        EXPECT_EQ(s.get_time_us(), 0.5);
        w.Send(2, 6, 1000, 1, [&] {
            at = now();
            s.stop_simulation();
        });
        w.Send(3, 6, 50000000, 1, [] { ADD_FAILURE() << "the run has been stopped"; });
    }));
    s.run(&w.info);
    EXPECT_GT(at, 500);
}

TEST(HtsimSession, WrongUseIsSaid)
{
    EXPECT_THROW(HTSimSession::instance(), std::runtime_error);
    World w;
    EXPECT_THROW(World(), std::runtime_error);
    EXPECT_THROW(w.Send(0, 9, 1, 0, [] {}), std::runtime_error);
}

TEST(HtsimSession, MoreRanksThanHostsAreRefused)
{
    const tm_info nine = {9};
    std::string a = "x", b = kEightHosts[0], c = kEightHosts[1], d = kEightHosts[2];
    char *argv[] = {a.data(), b.data(), c.data(), d.data()};
    EXPECT_THROW(HTSimSession::init(&nine, 4, argv), std::runtime_error);
    HTSimSession::instance().finish();
}

} // namespace
