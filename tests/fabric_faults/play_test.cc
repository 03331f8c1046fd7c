// SPDX-License-Identifier: GPL-2.0-only
// Carrying faults out over a net that only notes what it is asked for.
#include "fabrics.h"

#include <algorithm>
#include <map>
#include <vector>

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;

struct NoteNet {
    weft_net net = {&ops};
    int64_t now = 0;
    bool stopped = false;
    int fails_at = 0; // the change that is refused, counted from 1
    int changes = 0;
    struct Call {
        int64_t t;
        void (*fn)(void *, uint64_t);
        void *ctx;
    };
    std::vector<Call> calls;
    std::vector<std::string> notes;
    std::map<uint32_t, weft_port_counters> ports;

    static NoteNet *self(const weft_net *n)
    {
        return reinterpret_cast<NoteNet *>(const_cast<weft_net *>(n)); // net is the first member
    }

    void Run()
    {
        while (!calls.empty() && !stopped) {
            Call c = calls.back(); // one at a time is outstanding
            EXPECT_EQ(calls.size(), 1u);
            calls.clear();
            now = c.t;
            for (uint32_t p = 0; p < 12; p++) {
                ports[p].tx_packets = static_cast<uint64_t>(now / US);
                ports[p].drops[WEFT_DROP_ERROR] = static_cast<uint64_t>(now / US / 10);
            }
            c.fn(c.ctx, 0);
        }
    }

    inline static const weft_net_ops ops = [] {
        weft_net_ops o = {};
        o.now_ps = [](const weft_net *n) { return self(n)->now; };
        o.after = [](weft_net *n, int64_t delay, void (*fn)(void *, uint64_t), void *ctx, uint64_t,
                     weft_err *) {
            self(n)->calls.push_back({self(n)->now + delay, fn, ctx});
            return 0;
        };
        o.stop = [](weft_net *n) { self(n)->stopped = true; };
        o.port_stats = [](weft_net *n, uint32_t port, weft_port_counters *out) {
            *out = self(n)->ports[port];
        };
        o.change_links = [](weft_net *n, weft_link_change *list, size_t count, weft_err *err) {
            NoteNet *s = self(n);
            if (++s->changes == s->fails_at)
                return weft_err_set(err, WEFT_E_LIMIT, "refused");
            std::string note = std::to_string(s->now / US) + ":";
            for (size_t i = 0; i < count; i++) {
                const weft_link_change &c = list[i];
                note += " " + std::to_string(c.link);
                if (c.kind == WEFT_LINK_RATE)
                    note += "=" + std::to_string(c.rate_bps / 1000000000);
                else if (c.kind == WEFT_LINK_BIT_ERRORS)
                    note += "~" + std::to_string(static_cast<int>(c.bit_error_rate * 1000));
                else
                    note += c.kind == WEFT_LINK_UP ? "+" : "-";
                list[i].lost_packets = 100 + c.link;
            }
            s->notes.push_back(note);
            return 0;
        };
        return o;
    }();
};

struct Played {
    NoteNet net;
    std::vector<std::string> records;
    int64_t over_at = WEFT_NEVER;
    size_t never = 0;
    weft_err err = {};

    void Play(const std::string &events)
    {
        Fabric f = TwoSwitches();
        Plan t = Read(f, events);
        weft_fault_play play = {};
        play.plan = t.get();
        play.net = &net.net;
        play.ctx = this;
        play.over = [](void *ctx) {
            return static_cast<Played *>(ctx)->net.now >= static_cast<Played *>(ctx)->over_at;
        };
        play.record = [](void *ctx, const weft_fault_record *r) {
            static_cast<Played *>(ctx)->records.push_back(
                std::string(r->kind) + " " + std::to_string(r->stretch->link) + " " +
                std::to_string(r->stretch->begin_ps / US) + "-" +
                (r->end_ps == WEFT_NEVER ? "" : std::to_string(r->end_ps / US)) + " sent " +
                std::to_string(r->tx_packets) + " lost " + std::to_string(r->lost_packets));
        };
        Player p(weft_fault_player_new(&play, &err));
        if (!p)
            return;
        net.Run();
        err = *weft_fault_player_error(p.get());
        never = weft_fault_player_finish(p.get());
    }
};

using Texts = std::vector<std::string>;

} // namespace

TEST(FaultPlay, OneInstantIsOneChange)
{
    Played p;
    p.Play("switch-down switch=s5 at=5us until=9us; degrade link=0 rate=25Gbps at=5us until=7us");
    EXPECT_EQ(p.net.notes, (Texts{"5: 2- 3- 4- 5- 0=25", "7: 0=100", "9: 2+ 3+ 4+ 5+"}));
    EXPECT_EQ(p.records,
              (Texts{"degrade 0 5-7 sent 4 lost 0", "switch-down 2 5-9 sent 8 lost 102",
                     "switch-down 3 5-9 sent 8 lost 103", "switch-down 4 5-9 sent 8 lost 104",
                     "switch-down 5 5-9 sent 8 lost 105"}));
    EXPECT_EQ(p.never, 0u);
}

// What is wrong from the start is so before the net runs; bit errors count what they cost.
TEST(FaultPlay, AtTimeZeroAndToTheEnd)
{
    Played p;
    p.Play("bit-errors link=1 ber=0.5 until=40us; degrade link=0 rate=10Gbps; flap link=2 at=35us "
           "period=5us down=1us count=1");
    EXPECT_EQ(p.net.notes, (Texts{"0: 1~500 0=10", "35: 2-", "36: 2+", "40: 1~0"}));
    EXPECT_EQ(p.records, (Texts{"flap 2 35-36 sent 2 lost 102", "bit-errors 1 0-40 sent 80 lost 8",
                                "degrade 0 0- sent 80 lost 0"}));
}

// A link is down while any of its failures lasts, and a rate may follow a rate.
TEST(FaultPlay, OverlappingFailuresAndRatesInARow)
{
    Played p;
    p.Play(
        "link-down link=0 at=1us until=5us; switch-down switch=s4 at=3us until=4us; link-down "
        "link=0 at=5us until=6us;"
        "degrade link=2 rate=50Gbps at=1us until=2us; degrade link=2 rate=20Gbps at=2us until=3us");
    EXPECT_EQ(p.net.notes, (Texts{"1: 0- 2=50", "2: 2=100 2=20", "3: 2=100 1- 4- 5-", "4: 1+ 4+ 5+",
                                  "5: 0+ 0-", "6: 0+"}));
    EXPECT_EQ(std::count(p.records.begin(), p.records.end(), "switch-down 0 3-4 sent 2 lost 0"), 1);
}

TEST(FaultPlay, NothingHappensWhenItIsOver)
{
    Played p;
    p.over_at = 12 * US;
    p.Play("flap link=0 at=10us period=5us down=1us count=4");
    EXPECT_EQ(p.net.notes, (Texts{"10: 0-", "11: 0+"}));
    EXPECT_EQ(p.never, 3u);
}

TEST(FaultPlay, AChangeThatIsRefusedStopsTheNet)
{
    Played p;
    p.net.fails_at = 2;
    p.Play("link-down link=0 at=1us until=2us");
    EXPECT_TRUE(p.net.stopped);
    EXPECT_EQ(p.err.code, WEFT_E_LIMIT);
    Played q;
    q.net.fails_at = 1;
    q.Play("link-down link=0 at=0");
    EXPECT_EQ(q.err.code, WEFT_E_LIMIT);
}
