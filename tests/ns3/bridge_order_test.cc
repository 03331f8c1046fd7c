/* SPDX-License-Identifier: GPL-2.0-only */
/* A busy net tells the same story, to the last digit, under both SimulatorImpls. */
#include "net_fixture.h"

#include "base/rng.h"

#include <sstream>

using namespace weft_test;

namespace
{

/* Hosts of a leaf-spine that answer messages with messages and timers. */
class Chatter
{
  public:
    Chatter(const Fabric &fabric, const char *cc, Settings settings, uint64_t seed)
        : rng(weft_rng_stream(seed, "chatter", 0)),
          net(fabric, cc, settings,
              {this, [](void *c, const weft_completion *f) { self(c)->flow(f); },
               [](void *c, const weft_net_pfc *p) {
                   self(c)->pauses << p->t_ps << " pfc " << p->port << ' ' << p->prio << ' '
                                   << p->pause << '\n';
               }}),
          nhosts(fabric.graph->nhosts)
    {
        if (net.rc != 0) {
            ADD_FAILURE() << net.error.msg;
            return;
        }
        const weft_net_sink sink = {this,
                                    [](void *c, const weft_completion *d) {
                                        self(c)->out << self(c)->net.now() << " sent " << d->msg.tag
                                                     << ' ' << d->msg.token.number << '\n';
                                    },
                                    [](void *c, const weft_completion *d) {
                                        self(c)->out << self(c)->net.now() << " received "
                                                     << d->msg.tag << '\n';
                                        self(c)->act();
                                    }};
        net.net->ops->set_sink(net.net, &sink);
        for (int i = 0; i < 60; i++)
            act();
        /* In pieces: the end of a piece must not change what follows. */
        for (int64_t until = 20 * WEFT_PS_PER_US; until < WEFT_PS_PER_MS; until *= 2)
            EXPECT_EQ(net.run(until), 0) << net.error.msg;
        EXPECT_EQ(net.run(), 0) << net.error.msg;
        EXPECT_EQ(net.check(), 0) << net.error.msg;
        const weft_totals t = net.totals();
        EXPECT_EQ(t.msgs_acked, t.msgs_posted);
        out << t.msgs_posted << ' ' << t.packet_hops << ' ' << t.sent[WEFT_PKT_ACK] << ' '
            << t.sent[WEFT_PKT_CNP] << ' ' << t.ecn_marks << ' ' << t.pfc_pauses << ' '
            << t.retx_packets << ' ' << net.now() << '\n'
            << pauses.str();
        for (uint32_t p = 0; p < fabric.graph->nports; p++) {
            weft_port_counters s;
            net.net->ops->port_stats(net.net, p, &s);
            out << p << ' ' << s.tx_packets << ' ' << s.busy_ps << ' ' << s.paused_ps << ' '
                << s.ecn_marks << ' ' << s.max_queue_bytes << '\n';
        }
        marks = t.ecn_marks;
        drops = t.drops[WEFT_DROP_BUFFER];
    }

    std::ostringstream out, pauses; /* which may be told late */
    uint64_t marks = 0, drops = 0;

  private:
    static Chatter *self(void *c)
    {
        return static_cast<Chatter *>(c);
    }

    void flow(const weft_completion *f)
    {
        out << f->id << ' ' << f->post_ps << ' ' << f->received_ps << ' ' << f->acked_ps << ' '
            << f->ideal_ps << ' ' << f->retx_bytes << ' ' << f->cnps << '\n';
    }

    void act()
    {
        if (++actions > 250)
            return;
        const uint32_t src = (uint32_t)weft_rng_below(&rng, nhosts);
        const uint32_t dst =
            weft_rng_below(&rng, 3) ? (src ? 0u : 1u) : (src + 1) % nhosts; /* an incast to h0 */
        EXPECT_EQ(net.send(src, dst, 4096 * weft_rng_below(&rng, 64), actions, actions * 2), 0)
            << net.error.msg;
        weft_err err = {};
        EXPECT_EQ(net.net->ops->after(
                      net.net, (int64_t)weft_rng_below(&rng, 4) * 4178 * 80,
                      [](void *c, uint64_t arg) {
                          self(c)->out << self(c)->net.now() << " timer " << arg << '\n';
                          if (weft_rng_below(&self(c)->rng, 3) == 0)
                              self(c)->act();
                      },
                      this, actions, &err),
                  0);
    }

    weft_rng rng;
    uint64_t actions = 0;
    Net net;
    uint32_t nhosts;
};

TEST(BridgeOrder, SameUnderBothSimulators)
{
    Fabric f("leaf-spine", {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}});
    uint64_t marks = 0, drops = 0;
    for (const char *cc : {"none", "dcqcn"}) {
        for (const char *pfc : {"true", "false"}) {
            const Settings s = {{"switch.buffer", "2MiB"},
                                {"switch.reserve", "1KiB"},
                                {"pfc.enabled", pfc},
                                {"ecn.kmin", "5KB"},
                                {"ecn.kmax", "20KB"}};
            Settings weft = s, def = s;
            weft.push_back({"ns3.simulator-impl", "weft"});
            def.push_back({"ns3.simulator-impl", "default"});
            std::string a, b, c;
            {
                Chatter x(f, cc, weft, 3);
                a = x.out.str();
                marks += x.marks;
                drops += x.drops;
            }
            b = Chatter(f, cc, def, 3).out.str();
            c = Chatter(f, cc, weft, 3).out.str();
            EXPECT_GT(a.size(), 10000u);
            EXPECT_TRUE(a == b) << cc << ", pfc " << pfc;
            EXPECT_TRUE(a == c) << "twice in one process: " << cc << ", pfc " << pfc;
        }
    }
    EXPECT_GT(marks, 0u);
    EXPECT_GT(drops, 0u);
}

} // namespace
