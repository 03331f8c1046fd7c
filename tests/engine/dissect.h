// SPDX-License-Identifier: GPL-2.0-only
// Reads frames and capture files back, from the standards and not from the code that writes them.
#ifndef WEFT_TESTS_ENGINE_DISSECT_H
#define WEFT_TESTS_ENGINE_DISSECT_H

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

using Bytes = std::vector<uint8_t>;

/* One frame, taken apart. What a frame does not have stays zero. */
struct Frame {
    std::string dst, src; /* MAC addresses, "02:00:..." */
    bool tagged = false;
    unsigned pcp = 0, vid = 0, ethertype = 0;
    /* PFC */
    bool pfc = false;
    unsigned classes = 0, quanta[8] = {};
    /* RoCEv2 */
    bool roce = false;
    unsigned dscp = 0, ecn = 0, ttl = 0, ip_checksum_sum = 0, ip_length = 0, udp_length = 0;
    uint32_t saddr = 0, daddr = 0;
    unsigned sport = 0, dport = 0, udp_checksum = 0;
    unsigned opcode = 0, pad = 0, pkey = 0;
    bool fecn = false, becn = false, ack_request = false;
    uint32_t dest_qp = 0, psn = 0;
    bool has_reth = false, has_aeth = false;
    uint64_t virtual_address = 0;
    uint32_t dma_length = 0;
    unsigned syndrome = 0;
    uint32_t msn = 0;
    Bytes rest; /* between the headers and pad + ICRC: telemetry and payload */
    uint32_t icrc = 0, icrc_expected = 0;
    size_t trailer = 0; /* padding after the packet */
};

inline uint64_t be(const Bytes &b, size_t at, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | b.at(at + i);
    return v;
}

inline std::string mac_text(const Bytes &b, size_t at)
{
    char text[18];
    snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", b.at(at), b.at(at + 1),
             b.at(at + 2), b.at(at + 3), b.at(at + 4), b.at(at + 5));
    return text;
}

/* CRC-32 bit by bit, most significant bit of the polynomial first, over reflected bytes. */
inline uint32_t crc32_of(const Bytes &b)
{
    uint32_t c = 0xffffffff;
    for (uint8_t byte : b)
        for (int k = 0; k < 8; k++) {
            const bool bit = (byte >> k & 1) != (c >> 31);
            c = c << 1 ^ (bit ? 0x04c11db7u : 0);
        }
    uint32_t r = 0;
    for (int k = 0; k < 32; k++)
        r |= (c >> k & 1) << (31 - k);
    return ~r;
}

/* The ICRC of the bytes from the IPv4 header to before the ICRC (IBTA annex A17.3.3), as the number
 * whose least significant byte is sent first. */
inline uint32_t icrc_of(Bytes packet)
{
    packet.at(1) = packet.at(8) = packet.at(10) = packet.at(11) = 0xff; /* ToS, TTL, checksum */
    packet.at(26) = packet.at(27) = 0xff;                               /* UDP checksum */
    packet.at(32) = 0xff;                                               /* FECN, BECN, reserved */
    packet.insert(packet.begin(), 8, 0xff);
    return crc32_of(packet);
}

inline Frame dissect(const Bytes &b)
{
    Frame f;
    f.dst = mac_text(b, 0);
    f.src = mac_text(b, 6);
    size_t at = 12;
    f.ethertype = unsigned(be(b, at, 2));
    if (f.ethertype == 0x8100) {
        f.tagged = true;
        f.pcp = b.at(14) >> 5;
        f.vid = unsigned(be(b, 14, 2)) & 0xfff;
        at += 4;
        f.ethertype = unsigned(be(b, at, 2));
    }
    at += 2;
    if (f.ethertype == 0x8808) {
        f.pfc = be(b, at, 2) == 0x0101;
        f.classes = unsigned(be(b, at + 2, 2));
        for (size_t k = 0; k < 8; k++)
            f.quanta[k] = unsigned(be(b, at + 4 + 2 * k, 2));
        f.trailer = b.size() - (at + 20);
        return f;
    }
    if (f.ethertype != 0x0800 || b.at(at) != 0x45 || b.at(at + 9) != 17)
        throw std::runtime_error("not IPv4 with UDP");
    const size_t ip = at;
    f.dscp = b[ip + 1] >> 2;
    f.ecn = b[ip + 1] & 3;
    f.ip_length = unsigned(be(b, ip + 2, 2));
    f.ttl = b[ip + 8];
    for (size_t i = 0; i < 20; i += 2)
        f.ip_checksum_sum += unsigned(be(b, ip + i, 2));
    f.ip_checksum_sum = (f.ip_checksum_sum & 0xffff) + (f.ip_checksum_sum >> 16);
    f.saddr = uint32_t(be(b, ip + 12, 4));
    f.daddr = uint32_t(be(b, ip + 16, 4));
    at = ip + 20;
    f.sport = unsigned(be(b, at, 2));
    f.dport = unsigned(be(b, at + 2, 2));
    f.udp_length = unsigned(be(b, at + 4, 2));
    f.udp_checksum = unsigned(be(b, at + 6, 2));
    if (f.dport != 4791)
        return f;
    f.roce = true;
    at += 8;
    f.opcode = b.at(at);
    f.pad = b.at(at + 1) >> 4 & 3;
    f.pkey = unsigned(be(b, at + 2, 2));
    f.fecn = b.at(at + 4) & 0x80;
    f.becn = b.at(at + 4) & 0x40;
    f.dest_qp = uint32_t(be(b, at + 5, 3));
    f.ack_request = b.at(at + 8) & 0x80;
    f.psn = uint32_t(be(b, at + 9, 3));
    at += 12;
    if (f.opcode == 0x06 || f.opcode == 0x0a) {
        f.has_reth = true;
        f.virtual_address = be(b, at, 8);
        f.dma_length = uint32_t(be(b, at + 12, 4));
        at += 16;
    } else if (f.opcode == 0x11) {
        f.has_aeth = true;
        f.syndrome = b.at(at);
        f.msn = uint32_t(be(b, at + 1, 3));
        at += 4;
    } else if (f.opcode == 0x81) {
        at += 16;
    }
    const size_t end = ip + f.ip_length;
    f.rest.assign(b.begin() + long(at), b.begin() + long(end - 4 - f.pad));
    f.icrc = uint32_t(b.at(end - 4)) | uint32_t(b.at(end - 3)) << 8 |
             uint32_t(b.at(end - 2)) << 16 | uint32_t(b.at(end - 1)) << 24;
    f.icrc_expected = icrc_of(Bytes(b.begin() + long(ip), b.begin() + long(end - 4)));
    f.trailer = b.size() - end;
    return f;
}

/* One record of a capture file. */
struct Record {
    int64_t t_ns;
    uint32_t length; /* on the wire */
    Bytes bytes;     /* what was kept */
};

/* A pcap file with nanoseconds, in the byte order of this machine. */
struct Capture {
    uint32_t magic = 0, snaplen = 0, linktype = 0;
    std::vector<Record> records;
};

inline Capture read_capture(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    const Bytes b((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    auto u32 = [&](size_t at) {
        return uint32_t(b.at(at)) | uint32_t(b.at(at + 1)) << 8 | uint32_t(b.at(at + 2)) << 16 |
               uint32_t(b.at(at + 3)) << 24;
    };
    Capture c;
    c.magic = u32(0);
    c.snaplen = u32(16);
    c.linktype = u32(20);
    for (size_t at = 24; at < b.size();) {
        Record r;
        const size_t kept = u32(at + 8);
        r.t_ns = int64_t(u32(at)) * 1000000000 + u32(at + 4);
        r.length = u32(at + 12);
        r.bytes.assign(b.begin() + long(at + 16), b.begin() + long(at + 16 + kept));
        if (at + 16 + kept > b.size())
            throw std::runtime_error("the last record is cut");
        c.records.push_back(r);
        at += 16 + kept;
    }
    return c;
}

#endif
