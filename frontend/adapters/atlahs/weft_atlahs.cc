/* SPDX-License-Identifier: GPL-2.0-only */
/* weft as the network of ATLAHS: weft_atlahs.hh. */
#include "weft_atlahs.hh"

#include <algorithm>
#include <stdexcept>

using WeftAdapters::kNeverPs;

WeftAtlahsApi::WeftAtlahsApi(EventList &events, const std::string &scenario,
                             const std::vector<std::string> &settings, const std::string &over)
    : EventSource(events, "weft"), m_fabric({scenario, settings, WeftAdapters::KindOf(over)})
{
    setEventList(&events);
}

void WeftAtlahsApi::CatchUp()
{
    const int64_t now = static_cast<int64_t>(eventlist().now());
    if (m_fabric.NowPs() < now && m_fabric.Look(now) != kNeverPs)
        throw std::logic_error("a message was over before the time of htsim");
}

void WeftAtlahsApi::Wake(int64_t ps)
{
    const int64_t soon = static_cast<int64_t>(eventlist().now()) + (m_found == kNeverPs);
    m_awake = true;
    EventList::sourceIsPending(*this, static_cast<simtime_picosec>(std::max(ps, soon)));
}

void WeftAtlahsApi::Send(const SendEvent &event, graph_node_properties node)
{
    const auto host = [&](int rank) {
        return static_cast<uint32_t>(getNumberNic() > 1 ? getHtsimNodeNumber(rank, node.nic)
                                                        : rank);
    };
    CatchUp();
    m_fabric.Send(
        {host(event.getFrom()), host(event.getTo()), static_cast<uint64_t>(event.getSizeBytes()),
         static_cast<uint32_t>(event.getTag())},
        [this, event, node](WeftAdapters::Kind) {
            graph_node_properties copy = node;
            EventOver over(event.getFrom(), event.getTo(), event.getSizeBytes(), event.getTag(),
                           event.getStartTimeEvent(), AtlahsEventType::SEND_EVENT_OVER);
            over.node = &copy;
            EventFinished(over);
        });
    if (!m_awake)
        Wake(0);
}

void WeftAtlahsApi::doNextEvent()
{
    if (m_found != kNeverPs) {
        m_found = kNeverPs;
        m_fabric.Dispatch();
        Wake(0);
        return;
    }
    m_awake = m_fabric.Busy();
    if (!m_awake)
        return;
    const auto pending = eventlist().getPendingSources();
    const int64_t next = pending.empty() ? kNeverPs : static_cast<int64_t>(pending.begin()->first);
    m_found = m_fabric.Look(next);
    if (m_found == kNeverPs && next == kNeverPs)
        throw std::runtime_error("messages are open, but nothing is left to happen");
    if (m_found == kNeverPs)
        Wake(next + 1);
    else
        Wake(m_found);
}
