// SPDX-License-Identifier: GPL-2.0-only
// The bytes of frames: published packets, and every field of a run read back.
#include "dissect.h"
#include "world.h"

#include "ns3-module/engine/wire.h"

#include <map>

namespace
{

Bytes hex(const std::string &text)
{
    Bytes b;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        b.push_back(uint8_t(std::stoul(text.substr(i, 2), nullptr, 16)));
    return b;
}

/* A capture of all ports of a World. */
struct Tap {
    struct Seen {
        int64_t t;
        uint32_t port;
        weft_engine_pkt_view view;
        Bytes bytes;
        Frame frame;
    };

    explicit Tap(World &world, weft_wire_operation op = WEFT_WIRE_WRITE, bool untagged = false)
        : w(world)
    {
        weft_err err = {};
        weft_wire_config c = {w.fabric, &w.config.params, op, untagged, nullptr, nullptr, nullptr};
        wire = weft_wire_new(&c, &err);
        events.assign(w.fabric->nports, 1 << WEFT_PKT_SENT);
        w.user = this;
        w.config.hooks.posted = [](void *ctx, const weft_completion *d) {
            weft_err e = {};
            ASSERT_EQ(weft_wire_posted(of(ctx)->wire, d, &e), 0) << e.msg;
        };
        w.config.hooks.packet = [](void *ctx, int64_t t, uint32_t port, weft_pkt_event,
                                   const weft_engine_pkt_view *v) {
            Tap *tap = of(ctx);
            Bytes b(WEFT_WIRE_MAX);
            b.resize(weft_wire_frame(tap->wire, port, v, b.data(), b.size()));
            tap->seen.push_back({t, port, *v, b, dissect(b)});
        };
        w.config.hooks.packet_events = events.data();
    }

    ~Tap()
    {
        weft_wire_free(wire);
    }

    static Tap *of(void *ctx)
    {
        return static_cast<Tap *>(static_cast<World *>(ctx)->user);
    }

    /* Those of one kind that a port sent. */
    std::vector<Seen> sent(uint32_t port, weft_pkt_kind kind) const
    {
        std::vector<Seen> found;
        for (const Seen &s : seen)
            if (s.port == port && s.view.kind == kind)
                found.push_back(s);
        return found;
    }

    World &w;
    weft_wire *wire;
    Bytes events;
    std::vector<Seen> seen;
};

const Settings TWO = {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}};

} // namespace

/* CNP captured on a ConnectX-4 Lx; the packet is in the tests of scapy's RoCE layer. */
TEST(Wire, IcrcOfACapturedCnp)
{
    Bytes packet = hex("45c2003c718c4000401191610a0011010a001201000012b7002800008100ffff40000118");
    packet.resize(56);                       /* PSN 0 and the 16 reserved bytes */
    EXPECT_EQ(icrc_of(packet), 0x2a00fd82u); /* 82 fd 00 2a on the wire */
    World w("single-switch", TWO);
    Tap tap(w);
    EXPECT_EQ(weft_wire_icrc(tap.wire, packet.data(), packet.size()), 0x2a00fd82u);
}

/* An unreliable send with a pad, from the same place: 78 f3 53 f3 on the wire. */
TEST(Wire, IcrcOfAPublishedSend)
{
    Bytes packet = {0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11,
                    0xb4, 0xd5, 192,  168,  0,    7,    192,  168,  0,    7,
                    0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0xac, 0xa2, 0x24, 0x60,
                    0xff, 0xff, 0x00, 0x00, 0x00, 0xd3, 0x00, 0xcf, 0x17, 0x10};
    const uint8_t payload[] = {'F',  '0', 0x81, 0x8b, 0xe2, 0x89, '5', 0xd9, 0x0e, 0x9a,
                               0x95, 'P', 'T',  0x01, 0xbe, 0x88, '^', 'P',  0x00, 0x00};
    packet.insert(packet.end(), payload, payload + sizeof payload);
    EXPECT_EQ(icrc_of(packet), 0xf353f378u);
    World w("single-switch", TWO);
    Tap tap(w);
    EXPECT_EQ(weft_wire_icrc(tap.wire, packet.data(), packet.size()), 0xf353f378u);
}

/* 10,000 B = 4096 + 4096 + 1808, then an empty message, then 5 B, on an idle switch. */
TEST(Wire, EveryFieldOfDataAndAcks)
{
    World w("single-switch", TWO, {{"transport.data-prio", "5"}, {"transport.ack-prio", "4"}});
    Tap tap(w);
    w.Build();
    w.Send(0, 1, 10000);
    w.Send(0, 1, 0);
    w.Send(0, 1, 5);
    w.Run();
    const uint32_t nic = w.fabric->nodes[w.fabric->hosts[0]].first_port;
    const uint32_t down = w.fabric->ports[w.fabric->nodes[w.fabric->hosts[1]].first_port].peer;
    const struct {
        unsigned opcode;
        size_t payload;
        unsigned pad;
        bool reth;
        uint64_t address;
        uint32_t length;
    } want[] = {{0x06, 4096, 0, true, 0, 10000},
                {0x07, 4096, 0, false, 0, 0},
                {0x08, 1808, 0, false, 0, 0},
                {0x0a, 0, 0, true, 10000, 0},
                {0x0a, 5, 3, true, 10000, 5}};
    for (uint32_t port : {nic, down}) {
        const auto data = tap.sent(port, WEFT_PKT_DATA);
        ASSERT_EQ(data.size(), 5u);
        for (size_t i = 0; i < 5; i++) {
            const Frame &f = data[i].frame;
            SCOPED_TRACE(std::to_string(port) + " packet " + std::to_string(i));
            char mac[32];
            snprintf(mac, sizeof mac, "02:00:00:00:00:%02x", port);
            EXPECT_EQ(f.src, mac);
            snprintf(mac, sizeof mac, "02:00:00:00:00:%02x", w.fabric->ports[port].peer);
            EXPECT_EQ(f.dst, mac);
            EXPECT_TRUE(f.tagged);
            EXPECT_EQ(f.pcp, 5u);
            EXPECT_EQ(f.vid, 0u);
            EXPECT_EQ(f.dscp, 40u);
            EXPECT_EQ(f.ecn, 0u); /* 'none' wants no marks */
            EXPECT_EQ(f.ttl, port == nic ? 64u : 63u);
            EXPECT_EQ(f.ip_checksum_sum, 0xffffu);
            EXPECT_EQ(f.saddr, 0x0a000001u);
            EXPECT_EQ(f.daddr, 0x0a000002u);
            EXPECT_GE(f.sport, 49152u);
            EXPECT_EQ(f.dport, 4791u);
            EXPECT_EQ(f.udp_checksum, 0u);
            EXPECT_EQ(f.udp_length + 20, f.ip_length);
            EXPECT_EQ(f.opcode, want[i].opcode);
            EXPECT_EQ(f.pad, want[i].pad);
            EXPECT_EQ(f.pkey, 0xffffu);
            EXPECT_FALSE(f.fecn || f.becn);
            EXPECT_EQ(f.dest_qp, WEFT_FIRST_QPN);
            EXPECT_TRUE(f.ack_request);
            EXPECT_EQ(f.psn, i);
            EXPECT_EQ(f.has_reth, want[i].reth);
            EXPECT_EQ(f.virtual_address, want[i].address);
            EXPECT_EQ(f.dma_length, want[i].length);
            EXPECT_EQ(f.rest, Bytes(want[i].payload));
            EXPECT_EQ(f.icrc, f.icrc_expected);
            /* 14 + 4 + 20 + 8 + 12 + RETH + payload + pad + 4; the engine counts neither tag nor
             * RETH, but the FCS, and has a minimum of 64 */
            const size_t extra = 4 + (want[i].reth ? 16 : 0), body = want[i].payload + want[i].pad;
            EXPECT_EQ(data[i].bytes.size(), 58 + extra + body);
            EXPECT_EQ(data[i].view.frame_bytes, std::max<size_t>(64, 62 + body));
        }
    }
    const auto acks = tap.sent(w.fabric->nodes[w.fabric->hosts[1]].first_port, WEFT_PKT_ACK);
    ASSERT_EQ(acks.size(), 5u);
    const uint32_t msn[] = {0, 0, 1, 2, 3};
    for (size_t i = 0; i < 5; i++) {
        const Frame &f = acks[i].frame;
        EXPECT_EQ(f.opcode, 0x11u);
        EXPECT_EQ(f.pcp, 4u);
        EXPECT_EQ(f.saddr, 0x0a000002u);
        EXPECT_EQ(f.dest_qp, WEFT_FIRST_QPN);
        EXPECT_EQ(f.psn, i); /* the packet that it acknowledges */
        EXPECT_EQ(f.syndrome, 0x1fu);
        EXPECT_EQ(f.msn, msn[i]);
        EXPECT_EQ(f.icrc, f.icrc_expected);
        EXPECT_EQ(acks[i].bytes.size(), 66u); /* 14 + 4 + 20 + 8 + 12 + 4 + 4 */
    }
}

TEST(Wire, SendsUntaggedAndCut)
{
    World w("single-switch", TWO);
    Tap tap(w, WEFT_WIRE_SEND, true);
    w.Build();
    w.Send(0, 1, 3 * 4096);
    w.Send(0, 1, 1);
    w.Run();
    const auto data = tap.sent(w.fabric->nodes[w.fabric->hosts[0]].first_port, WEFT_PKT_DATA);
    ASSERT_EQ(data.size(), 4u);
    const unsigned opcodes[] = {0, 1, 2, 4};
    for (size_t i = 0; i < 4; i++) {
        EXPECT_EQ(data[i].frame.opcode, opcodes[i]);
        EXPECT_FALSE(data[i].frame.tagged);
        EXPECT_FALSE(data[i].frame.has_reth);
        EXPECT_EQ(data[i].bytes.size(), data[i].view.frame_bytes - 4);
        for (size_t size : {0, 20, 58, 100}) { /* shorter than the frame: the same bytes, cut */
            Bytes cut(size + 1, 0xaa), same = data[i].bytes;
            EXPECT_EQ(weft_wire_frame(tap.wire, data[i].port, &data[i].view, cut.data(), size),
                      same.size());
            EXPECT_EQ(cut.back(), 0xaa);
            cut.pop_back();
            if (size <= same.size() - 4) {
                same.resize(size);
                EXPECT_EQ(cut, same);
            }
        }
    }
}

/* Packet 1 of 4 is lost once: a NACK that expects it, and it and the later ones come again. */
TEST(Wire, NackNamesThePacketExpected)
{
    World w("single-switch", TWO);
    Tap tap(w);
    int lost = 0;
    w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
        return v.kind == WEFT_PKT_DATA && v.psn == 1 && lost++ == 0;
    };
    w.Build();
    w.Send(0, 1, 4 * 4096);
    w.Run();
    const auto nacks = tap.sent(w.fabric->nodes[w.fabric->hosts[1]].first_port, WEFT_PKT_NACK);
    ASSERT_EQ(nacks.size(), 1u);
    EXPECT_EQ(nacks[0].frame.syndrome, 0x60u);
    EXPECT_EQ(nacks[0].frame.psn, 1u);
    EXPECT_EQ(nacks[0].frame.msn, 0u);
    EXPECT_EQ(nacks[0].frame.icrc, nacks[0].frame.icrc_expected);
    std::map<uint32_t, int> times;
    for (const auto &s : tap.sent(w.fabric->nodes[w.fabric->hosts[0]].first_port, WEFT_PKT_DATA))
        times[s.frame.psn]++;
    EXPECT_EQ(times, (std::map<uint32_t, int>{{0, 1}, {1, 2}, {2, 2}, {3, 2}}));
}

TEST(Wire, SelectiveRepeatNacksCarryThePacketThatArrived)
{
    World w("single-switch", TWO, {{"transport.recovery", "selective-repeat"}});
    Tap tap(w);
    int lost = 0;
    w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
        return v.kind == WEFT_PKT_DATA && v.psn == 1 && lost++ == 0;
    };
    w.Build();
    w.Send(0, 1, 4 * 4096);
    w.Run();
    const auto nacks = tap.sent(w.fabric->nodes[w.fabric->hosts[1]].first_port, WEFT_PKT_NACK);
    ASSERT_EQ(nacks.size(), 2u); /* for packets 2 and 3 */
    for (size_t i = 0; i < 2; i++) {
        EXPECT_EQ(nacks[i].frame.psn, 1u);
        EXPECT_EQ(nacks[i].frame.rest, (Bytes{0, 0, 0, uint8_t(2 + i)}));
    }
}

/* 16 to 1 with DCQCN in a small buffer: marks, CNPs and PFC frames, each as the hooks count them.
 */
TEST(Wire, MarksCnpsAndPfcFrames)
{
    World w("single-switch", {{"hosts", "17"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"switch.buffer", "6MiB"}, {"pfc.quanta", "0"}}, "dcqcn");
    Tap tap(w);
    w.Build();
    for (uint32_t s = 0; s < 16; s++)
        w.Send(s, 16, 500000);
    w.Run();
    const auto t = w.Totals();
    std::map<weft_pkt_kind, uint64_t> hops;
    uint64_t ce = 0, pauses = 0, resumes = 0;
    for (const auto &s : tap.seen) {
        hops[s.view.kind]++;
        const Frame &f = s.frame;
        if (s.view.kind == WEFT_PKT_PFC) {
            EXPECT_EQ(f.dst, "01:80:c2:00:00:01");
            EXPECT_FALSE(f.tagged);
            EXPECT_TRUE(f.pfc);
            EXPECT_EQ(f.classes, 1u << 3);
            EXPECT_EQ(s.bytes.size(), 60u);
            EXPECT_EQ(f.trailer, 26u);
            for (unsigned k = 0; k < 8; k++)
                EXPECT_EQ(f.quanta[k], k == 3 && s.view.pause ? 65535u : 0u);
            (s.view.pause ? pauses : resumes)++;
        } else {
            EXPECT_EQ(f.icrc, f.icrc_expected);
            EXPECT_EQ(f.ip_checksum_sum, 0xffffu);
        }
        if (s.view.kind == WEFT_PKT_CNP) {
            EXPECT_EQ(f.opcode, 0x81u);
            EXPECT_TRUE(f.becn);
            EXPECT_EQ(f.psn, 0u);
            EXPECT_EQ(f.pcp, 6u);
            EXPECT_EQ(s.bytes.size(), 78u); /* 14 + 4 + 20 + 8 + 12 + 16 + 4 */
        }
        if (s.view.kind == WEFT_PKT_DATA) {
            EXPECT_EQ(f.ecn, s.view.ce ? 3u : 2u);
            ce += f.ecn == 3;
        }
    }
    EXPECT_EQ(hops[WEFT_PKT_DATA], 2 * t.sent[WEFT_PKT_DATA]);
    EXPECT_EQ(hops[WEFT_PKT_CNP], 2 * t.sent[WEFT_PKT_CNP]);
    EXPECT_EQ(pauses, t.pfc_pauses);
    EXPECT_EQ(resumes, t.pfc_resumes);
    EXPECT_EQ(ce, t.ecn_marks); /* seen on the one link after the mark */
    EXPECT_GT(t.sent[WEFT_PKT_CNP], 0u);
    EXPECT_GT(pauses, 0u);
    EXPECT_GT(ce, 0u);
}

TEST(Wire, PfcFramesCarryThePauseTime)
{
    World w("single-switch", {{"hosts", "17"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"switch.buffer", "6MiB"}, {"pfc.quanta", "1000"}});
    Tap tap(w);
    w.Build();
    for (uint32_t s = 0; s < 16; s++)
        w.Send(s, 16, 500000);
    w.Run();
    uint64_t n = 0;
    for (const auto &s : tap.seen)
        if (s.view.kind == WEFT_PKT_PFC && s.view.pause) {
            EXPECT_EQ(s.frame.quanta[3], 1000u);
            n++;
        }
    EXPECT_EQ(n, w.Totals().pfc_pauses + w.Totals().pfc_refreshes);
}

/* HPCC over one switch: its stamp stands before the payload of data on the second link and comes
 * back in the ACK. */
TEST(Wire, IntStandsBeforeThePayload)
{
    World w("single-switch", TWO, {}, "hpcc");
    Tap tap(w);
    w.Build();
    w.Send(0, 1, 1000);
    w.Run();
    const uint32_t down = w.fabric->ports[w.fabric->nodes[w.fabric->hosts[1]].first_port].peer;
    const auto data = tap.sent(down, WEFT_PKT_DATA);
    ASSERT_EQ(data.size(), 1u);
    const Bytes &r = data[0].frame.rest;
    ASSERT_EQ(r.size(), 42 + 1000u);
    EXPECT_EQ(be(r, 0, 2), 0x1000u); /* one hop */
    const uint64_t hop = be(r, 2, 8);
    EXPECT_EQ(hop >> 60, 2u); /* 100 Gbps */
    EXPECT_EQ(int64_t(hop >> 36 & 0xffffff), data[0].t / 1000);
    EXPECT_EQ(hop & 0xffff, 0u);
    EXPECT_EQ(Bytes(r.begin() + 10, r.end()), Bytes(32 + 1000));
    const auto acks = tap.sent(w.fabric->nodes[w.fabric->hosts[1]].first_port, WEFT_PKT_ACK);
    ASSERT_EQ(acks.size(), 1u);
    ASSERT_EQ(acks[0].frame.rest.size(), 42u);
    EXPECT_EQ(be(acks[0].frame.rest, 2, 8), hop);
    /* before the switch there is nothing in it */
    const auto first = tap.sent(w.fabric->nodes[w.fabric->hosts[0]].first_port, WEFT_PKT_DATA);
    EXPECT_EQ(first.at(0).frame.rest, Bytes(42 + 1000));
}

/* Two senders: the second packet of one finds the first of both waiting. */
TEST(Wire, WarningsOfSwitchesAndMarks)
{
    World w("single-switch", {{"hosts", "3"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"transport.mtu", "1000B"}, {"transport.ack-prio", "6"}}, "bolt");
    Tap tap(w);
    w.Build();
    w.Send(0, 2, 50000);
    w.Send(1, 2, 50000);
    w.Run();
    const auto u32 = [](const Bytes &b, size_t at) {
        return uint32_t(b[at]) << 24 | uint32_t(b[at + 1]) << 16 | uint32_t(b[at + 2]) << 8 |
               b[at + 3];
    };
    size_t warnings = 0;
    for (const Tap::Seen &s : tap.seen)
        if (s.view.kind == WEFT_PKT_WARNING) {
            warnings++;
            ASSERT_EQ(s.bytes.size(), 62u); // Ethernet 14, tag 4, IPv4 20, UDP 8
            EXPECT_EQ(s.bytes[12] << 8 | s.bytes[13], 0x8100);
            EXPECT_EQ(s.bytes[14] >> 5, 6); // the priority of ACKs
            EXPECT_EQ(s.bytes[18 + 8], 56);
            EXPECT_EQ(s.bytes[18 + 9], 17);                    // UDP
            EXPECT_EQ(u32(s.bytes, 18 + 12), 0x0a000001u + 2); // from the receiver
            EXPECT_EQ(u32(s.bytes, 18 + 16), 0x0a000001u + s.view.dst_host);
            EXPECT_EQ(s.bytes[18 + 22] << 8 | s.bytes[18 + 23], 1021);
            EXPECT_EQ(u32(s.bytes, 18 + 28), s.view.qpn);
            EXPECT_EQ(u32(s.bytes, 18 + 32), s.view.queue_bytes);
            EXPECT_GE(s.view.queue_bytes, 2u * 1068);
            EXPECT_EQ(u32(s.bytes, 18 + 36), 100000u);
            EXPECT_EQ(u32(s.bytes, 18 + 40), uint32_t(s.view.sent_ps / 1000));
        } else if (s.view.kind == WEFT_PKT_DATA) {
            const size_t at = 18 + 28 + 12 + (s.view.psn ? 0 : 16); // behind BTH and RETH
            EXPECT_EQ(uint32_t(s.bytes[at] << 8 | s.bytes[at + 1]), s.view.tags);
            EXPECT_EQ(u32(s.bytes, at + 2), uint32_t(s.view.sent_ps / 1000));
        }
    EXPECT_EQ(warnings, w.Totals().sent[WEFT_PKT_WARNING]);
    EXPECT_GT(warnings, 20u);
}

/* The hooks see each packet once per place, and change nothing. */
TEST(Wire, HooksSeeEveryPacketAndChangeNothing)
{
    const Settings topo = {{"hosts", "5"}, {"rate", "100Gbps"}, {"delay", "1us"}};
    const Settings engine = {
        {"switch.buffer", "1MiB"}, {"pfc.enabled", "false"}, {"transport.rto", "200us"}};
    int64_t ends[2];
    for (int watched : {0, 1}) {
        World w("single-switch", topo, engine, "dcqcn");
        uint64_t count[3] = {};
        Bytes events(16, 7);
        if (watched) {
            w.user = count;
            w.config.hooks.packet = [](void *ctx, int64_t, uint32_t, weft_pkt_event what,
                                       const weft_engine_pkt_view *) {
                static_cast<uint64_t *>(static_cast<World *>(ctx)->user)[what]++;
            };
            w.config.hooks.packet_events = events.data();
        }
        w.Build();
        for (uint32_t s = 0; s < 4; s++)
            w.Send(s, 4, 2000000);
        w.Run();
        ends[watched] = w.acked.back().acked_ps;
        const auto t = w.Totals();
        EXPECT_GT(t.drops[WEFT_DROP_BUFFER], 0u);
        if (!watched)
            continue;
        EXPECT_EQ(count[WEFT_PKT_SENT], t.packet_hops);
        EXPECT_EQ(count[WEFT_PKT_ARRIVED], t.packet_hops);
        /* one switch: what was delivered was queued there once */
        EXPECT_EQ(count[WEFT_PKT_QUEUED], t.delivered[WEFT_PKT_DATA] + t.delivered[WEFT_PKT_ACK] +
                                              t.delivered[WEFT_PKT_NACK] +
                                              t.delivered[WEFT_PKT_CNP]);
    }
    EXPECT_EQ(ends[0], ends[1]);
}

// A frame of another transport: the sender's bytes behind Ethernet and tag; its switch's mark, with
// a checksum that stays right, or stays none; padding; cuts.
TEST(Wire, FramesOfOtherTransportsHaveTheirSendersBytes)
{
    World w("single-switch", TWO);
    w.Build();
    // 20 bytes of IPv4 (RFC 1071: the words of the header add up to ffff), ECT(0), and 12 of
    // payload.
    const Bytes ip = hex("4502002000004000400626d40a0000010a000002"
                         "00010203040506070809ff00");
    struct Sender {
        Bytes bytes;
        uint16_t ethertype;
    } sender = {ip, 0x0800};
    weft_wire_config c = {w.fabric, &w.config.params, WEFT_WIRE_WRITE, 0,
                          nullptr,  nullptr,          &sender};
    c.read_frame = [](void *ctx, uint64_t handle, uint16_t *ethertype, uint8_t *buf, size_t size) {
        auto from = static_cast<Sender *>(ctx);
        if (handle != 7)
            return size_t(0);
        *ethertype = from->ethertype;
        std::copy_n(from->bytes.begin(), std::min(size, from->bytes.size()), buf);
        return from->bytes.size();
    };
    weft_err err = {};
    weft_wire *wire = weft_wire_new(&c, &err);
    weft_engine_pkt_view v = {};
    v.kind = WEFT_PKT_FRAME;
    v.handle = 7;
    v.prio = 5;
    auto frame = [&](size_t size) {
        Bytes b(size + 1, 0xee);
        const size_t n = weft_wire_frame(wire, 0, &v, b.data(), size);
        EXPECT_EQ(b[size], 0xee) << "nothing beyond the buffer";
        b.resize(std::min(n, size));
        return b;
    };
    auto sum = [](const Bytes &b) {
        uint32_t s = 0;
        for (size_t i = 18; i < 38; i += 2)
            s += uint32_t(b[i]) << 8 | b[i + 1];
        while (s >> 16)
            s = (s & 0xffff) + (s >> 16);
        return s;
    };
    Bytes b = frame(2000);
    ASSERT_EQ(b.size(), 60u) << "the least that Ethernet has, without FCS";
    EXPECT_EQ(Bytes(b.begin() + 12, b.begin() + 18), hex("8100a0000800"))
        << "tag of priority 5, IPv4";
    EXPECT_EQ(Bytes(b.begin() + 18, b.begin() + 50), ip);
    EXPECT_EQ(Bytes(b.begin() + 50, b.end()), Bytes(10, 0));
    EXPECT_EQ(sum(b), 0xffffu);
    EXPECT_EQ(frame(30), Bytes(b.begin(), b.begin() + 30))
        << "a cut frame is the same, only shorter";
    EXPECT_EQ(frame(10), Bytes(b.begin(), b.begin() + 10));
    v.ce = 1;
    b = frame(2000);
    EXPECT_EQ(b[19], 3) << "CE";
    EXPECT_EQ(sum(b), 0xffffu) << "the checksum follows";
    sender.bytes[10] = sender.bytes[11] = 0;
    b = frame(2000);
    EXPECT_EQ(b[19], 3);
    EXPECT_EQ(b[28] | b[29], 0) << "no checksum stays no checksum";
    sender = {Bytes(100, 0), 0x86dd};
    sender.bytes[0] = 0x60;
    b = frame(2000);
    EXPECT_EQ(b.size(), 118u);
    EXPECT_EQ(b[19], 0x30) << "CE of the traffic class";
    v.handle = 8;
    EXPECT_EQ(frame(2000).size(), 0u) << "a frame that is gone has no bytes";
    v.kind = WEFT_PKT_CREDIT;
    EXPECT_EQ(frame(2000).size(), 0u) << "credits are no Ethernet";
    weft_wire_free(wire);
}
