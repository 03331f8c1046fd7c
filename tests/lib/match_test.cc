/* SPDX-License-Identifier: GPL-2.0-only */
/* Receives get the messages that MPI's rules give them. */
#include "net.h"

#include <deque>
#include <map>
#include <random>

namespace
{

/* Numbers of the messages that receives got, by receive. */
std::map<uint64_t, uint64_t> matched(const std::vector<weft_event> &events)
{
    std::map<uint64_t, uint64_t> got;
    for (const weft_event &e : events)
        if (e.kind == WEFT_MATCHED) {
            EXPECT_TRUE(got.emplace(e.id, e.other).second) << "receive " << e.id << " twice";
        }
    return got;
}

TEST(LibMatch, AReceiveMayBePostedFirstOrLast)
{
    Net net({}, with_receives());
    const int64_t before = net.Recv(5, 0, 7), first = net.Send(0, 5, 1000, 0, 0, 7),
                  second = net.Send(0, 5, 1000, 0, 0, 8);
    EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
    const std::vector<weft_event> events = net.Take();
    EXPECT_EQ(Net::TimeOf(events, WEFT_MATCHED, before),
              Net::TimeOf(events, WEFT_DELIVERED, first));
    const int64_t after = net.Recv(5, 0, 8);
    EXPECT_EQ(net.Run(WEFT_NEVER_PS, WEFT_MATCHED), WEFT_STOP_EVENT); /* at once */
    const std::vector<weft_event> late = net.Take();
    EXPECT_EQ(Net::TimeOf(late, WEFT_MATCHED, after), weft_sim_now(net.sim));
    EXPECT_EQ(late[0].other, static_cast<uint64_t>(second));
    EXPECT_EQ(net.Run(WEFT_NEVER_PS, WEFT_MATCHED), WEFT_STOP_IDLE);
}

/* ASTRA-sim's issue: a second outstanding receive with an equal key replaced the first. */
TEST(LibMatch, EqualKeysAreMatchedInOrder)
{
    Net net({}, with_receives());
    const int64_t r0 = net.Recv(5, 0, 7), r1 = net.Recv(5, 0, 7);
    const int64_t m0 = net.Send(0, 5, 300000, 0, 0, 7), m1 = net.Send(0, 5, 10, 0, 0, 7);
    EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
    const std::map<uint64_t, uint64_t> got = matched(net.Take());
    EXPECT_EQ(got.at(static_cast<uint64_t>(r0)), static_cast<uint64_t>(m0));
    EXPECT_EQ(got.at(static_cast<uint64_t>(r1)), static_cast<uint64_t>(m1));
}

TEST(LibMatch, OpenReceivesAreAStallThatSaysWhoWaits)
{
    Net net({}, with_receives());
    net.Recv(5, 0, 7);
    net.Recv(6, WEFT_RECV_ANY_HOST, WEFT_RECV_ANY_TAG);
    net.Recv(7, 1, WEFT_RECV_ANY_TAG);
    net.Send(0, 5, 10, 0, 0, 9);
    EXPECT_EQ(net.Run(), WEFT_STOP_STALLED);
    EXPECT_EQ(net.Explain(),
              (std::vector<std::string>{"h5: receive 0 waits for a message of h0, tag 7",
                                        "h6: receive 1 waits for a message of any host, any tag",
                                        "h7: receive 2 waits for a message of h1, any tag"}));
    EXPECT_EQ(net.Explain(1).size(), 1u);
}

/* Against a list that is searched from the beginning. */
TEST(LibMatch, RandomReceivesAgreeWithTheRule)
{
    struct Receive {
        uint64_t id;
        uint32_t src;
        uint64_t tag;
    };
    struct Message {
        uint64_t id;
        uint32_t src;
        uint64_t tag;
    };
    std::mt19937 draw(11);
    for (int session = 0; session < 40; session++) {
        Net net({"network.backend=ideal"}, with_receives());
        std::deque<Receive> receives;
        std::deque<Message> messages;
        std::map<uint64_t, uint64_t> expected;
        const auto fits = [](const Receive &r, const Message &m) {
            return (r.src == WEFT_RECV_ANY_HOST || r.src == m.src) &&
                   (r.tag == WEFT_RECV_ANY_TAG || r.tag == m.tag);
        };
        std::vector<weft_event> events;
        for (int step = 0; step < 200; step++) {
            if (draw() % 2) {
                const uint32_t src = draw() % 3 ? 1 + draw() % 3 : WEFT_RECV_ANY_HOST;
                const uint64_t tag = draw() % 3 ? draw() % 3 : WEFT_RECV_ANY_TAG;
                const Receive r = {static_cast<uint64_t>(net.Recv(0, src, tag)), src, tag};
                auto m = messages.begin();
                while (m != messages.end() && !fits(r, *m))
                    ++m;
                if (m == messages.end()) {
                    receives.push_back(r);
                } else {
                    expected[r.id] = m->id;
                    messages.erase(m);
                }
            } else {
                const uint32_t src = 1 + draw() % 3;
                const uint64_t tag = draw() % 3;
                const Message m = {static_cast<uint64_t>(net.Send(src, 0, 100, 0, 0, tag)), src,
                                   tag};
                ASSERT_GE(net.Run(), 0); /* it arrives before the next step */
                auto r = receives.begin();
                while (r != receives.end() && !fits(*r, m))
                    ++r;
                if (r == receives.end()) {
                    messages.push_back(m);
                } else {
                    expected[r->id] = m.id;
                    receives.erase(r);
                }
            }
            for (const weft_event &e : net.Take())
                events.push_back(e);
        }
        EXPECT_EQ(matched(events), expected);
        EXPECT_EQ(net.Explain(1000).size(), receives.size());
    }
}

} // namespace
