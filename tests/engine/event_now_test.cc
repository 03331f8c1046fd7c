// SPDX-License-Identifier: GPL-2.0-only
// What an engine is at, as a signal within an event would see it.
#include "world.h"

namespace
{

/// Looks at each packet that leaves a port, from within the event.
struct Looks {
    std::map<std::string, uint64_t> named;
    std::set<uint64_t> steps;
    uint64_t n = 0, wrong = 0;
    std::vector<uint8_t> events;
    void Listen(World &w)
    {
        w.user = this;
        events.assign(w.fabric->nports, 1 << WEFT_PKT_SENT);
        w.config.hooks.packet_events = events.data();
        w.config.hooks.packet = [](void *c, int64_t, uint32_t, weft_pkt_event,
                                   const weft_engine_pkt_view *) {
            static_cast<Looks *>(static_cast<World *>(c)->user)->Look(*static_cast<World *>(c));
        };
    }
    void Look(World &w)
    {
        weft_event_now is;
        weft_engine_event_now(w.e, &is);
        named[is.what]++;
        steps.insert(is.steps);
        n++;
        wrong += is.node != UINT32_MAX &&
                 (w.fabric->nodes[is.node].kind == WEFT_NODE_HOST) != (is.host != UINT32_MAX);
        wrong += is.node == UINT32_MAX && is.number != UINT64_MAX;
    }
};

} // namespace

TEST(EventNow, NamesWhatIsExecuted)
{
    World w("single-switch", {{"hosts", "4"}},
            {{"pfc.enabled", "false"}, {"transport.recovery", "rud"}, {"transport.ack-prio", "6"}},
            "rccc");
    Looks looks;
    looks.Listen(w);
    uint64_t lost = 0;
    w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
        return v.kind == WEFT_PKT_DATA && v.psn == 5 && lost++ == 0;
    };
    w.Build();
    for (uint32_t src = 1; src < 4; src++)
        w.Send(src, 0, 1 << 20);
    w.At(100 * WEFT_PS_PER_US, [&] {
        weft_event_now is;
        weft_engine_event_now(w.e, &is);
        EXPECT_STREQ(is.what, "timer of the frontend");
        EXPECT_EQ(is.number, UINT64_MAX);
        EXPECT_EQ(is.t_ps, 100 * WEFT_PS_PER_US);
    });
    w.Run();
    EXPECT_EQ(looks.wrong, 0u);
    for (const char *what :
         {"grant of credit by port", "arrival over the link of port", "transmission by port"})
        EXPECT_GT(looks.named[what], 0u) << what;
    EXPECT_GT(looks.steps.size(), looks.n / 8) << "events are told apart";
    weft_event_now is;
    weft_engine_event_now(w.e, &is);
    EXPECT_EQ(is.number, UINT64_MAX) << is.what;
}
