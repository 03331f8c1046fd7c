/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_ideal.h"

#include "base/int128.h"
#include "base/units.h"
#include "tcp_params.h"

#include <algorithm>

namespace weft
{

namespace
{

constexpr uint64_t SYN_OPTION_BYTES = 8; //!< Window scale and SACK permitted, padded.
constexpr uint32_t OVERHEAD_BYTES = WEFT_TCP_HEADER_BYTES + WEFT_TCP_FRAME_OVERHEAD_BYTES;

/** Times of segments of one connection. */
class Segments
{
  public:
    Segments(weft_engine *engine, const TcpStart &start, const TcpPart &part)
        : m_engine(engine), m_start(start), m_part(part)
    {
    }

    /** @return how long bytes of the stream last, in full segments but the last, or so many bytes
     * of ACKs; right behind the ACK of the handshake or not. */
    int64_t Ps(bool data, uint64_t bytes, bool behindAck = false) const
    {
        weft_engine_frame frame = {};
        frame.src_host = data ? m_part.src : m_part.dst;
        frame.dst_host = data ? m_part.dst : m_part.src;
        frame.flow = data ? m_start.flow : m_start.backFlow;
        return weft_engine_frames_ideal_ps(m_engine, &frame, m_part.since,
                                           behindAck ? OVERHEAD_BYTES : 0, bytes,
                                           m_start.segmentBytes, OVERHEAD_BYTES);
    }

    /** @return what a full segment more takes, where that takes longest. */
    int64_t SpacingPs() const
    {
        return Ps(true, 2 * m_start.segmentBytes) - Ps(true, m_start.segmentBytes);
    }

  private:
    weft_engine *m_engine;
    const TcpStart &m_start;
    const TcpPart &m_part;
};

/** @return what is left of the handshake when the part is posted, up to its ACK. */
int64_t HandshakePs(const Segments &segments, const TcpStart &start, const TcpPart &part)
{
    if (start.connected) {
        return 0;
    }
    const int64_t opening =
        segments.Ps(true, SYN_OPTION_BYTES) + segments.Ps(false, SYN_OPTION_BYTES);
    return std::max<int64_t>(0, start.openedPs + opening - part.postPs);
}

/**
 * The round trips after which windows are sent.
 * @param [in,out] left bytes of the part; what remains after the round trips
 * @param [in,out] behindAck whether they are sent right behind the ACK of the handshake
 * @return their time
 */
int64_t RoundTripsPs(const Segments &segments, const TcpStart &start, uint64_t &left,
                     bool &behindAck)
{
    const int64_t back = segments.Ps(false, 0);
    const int64_t full = segments.Ps(true, start.segmentBytes) + back;
    const int64_t shortest = segments.Ps(true, 1) + back;
    const int64_t spacing = segments.SpacingPs();
    int64_t ps = 0;
    uint64_t sent = 0;
    uint64_t window = std::min(start.windowBytes, start.mostBytes);
    while (left > window) {
        const bool whole = sent + window <= start.roomBytes;
        const int64_t rtt = whole ? full : shortest;
        const uint64_t n = (window - 1) / start.segmentBytes + 1;
        if (static_cast<weft_i128>(n) * spacing >= rtt) {
            break;
        }
        // Once it cannot grow, all rounds are alike.
        const uint64_t rounds = !whole && window == start.mostBytes ? (left - 1) / window : 1;
        ps += static_cast<int64_t>(rounds) * rtt;
        if (behindAck) {
            const uint64_t first = whole ? start.segmentBytes : 1;
            ps += segments.Ps(true, first, true) - segments.Ps(true, first);
            behindAck = false;
        }
        left -= rounds * window;
        sent += rounds * window;
        window = std::min(2 * window, start.mostBytes);
    }
    return ps;
}

} // namespace

int64_t TcpIdealPs(weft_engine *engine, const TcpStart &start, const TcpPart &part)
{
    const Segments segments(engine, start, part);
    const struct weft_engine_mark now = weft_engine_now_mark(engine);
    const bool unchanged = now.rates == part.since.rates && now.routes == part.since.routes;
    int64_t ps = HandshakePs(segments, start, part);
    uint64_t left = part.bytes;
    bool behindAck = part.behindAck;
    if (unchanged) {
        ps += RoundTripsPs(segments, start, left, behindAck);
    }
    if (part.bytes <= start.roomBytes) {
        return ps + segments.Ps(true, left, behindAck);
    }
    const uint64_t n = (left - 1) / start.segmentBytes + 1;
    return ps + static_cast<int64_t>(n - 1) * segments.SpacingPs() +
           segments.Ps(true, 1, behindAck);
}

} // namespace weft
