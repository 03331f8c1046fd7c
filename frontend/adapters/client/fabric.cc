/* SPDX-License-Identifier: MIT */
/* Handlers of messages, receives and timers: fabric.hh. */
#include "fabric.hh"

#include <stdexcept>

namespace WeftAdapters
{

Kind KindOf(const std::string &name)
{
    if (name == "sent")
        return Sent;
    if (name == "delivered")
        return Delivered;
    if (name == "acknowledged")
        return Acknowledged;
    throw std::runtime_error("'" + name + "' is not one of sent, delivered, acknowledged");
}

Fabric::Fabric(const Options &options) : m_network(OpenNetwork(options))
{
    m_last = Acknowledged;
    while (m_last > Started && !(options.kinds & m_last))
        m_last /= 2;
}

uint64_t Fabric::Keep(uint32_t last, Handler f)
{
    m_open += last != Matched;
    if (m_free.empty()) {
        m_calls.push_back({std::move(f), last});
        return m_calls.size() - 1;
    }
    const uint64_t number = m_free.back();
    m_free.pop_back();
    m_calls[number] = {std::move(f), last};
    return number;
}

void Fabric::Send(const Message &message, Handler happens)
{
    m_network->Send(message, Keep(m_last, std::move(happens)));
}

void Fabric::Receive(uint32_t dst, uint32_t src, uint64_t tag, Handler matched)
{
    m_network->Receive(dst, src, tag, Keep(Matched, std::move(matched)));
}

void Fabric::Schedule(int64_t delayPs, Handler ends)
{
    m_network->Schedule(delayPs, Keep(Timer, std::move(ends)));
}

int64_t Fabric::Look(int64_t untilPs)
{
    m_network->Run(untilPs, m_found);
    return m_found.empty() ? kNeverPs : m_network->NowPs();
}

void Fabric::Dispatch()
{
    std::vector<Happening> found;
    found.swap(m_found); /* handlers may post */
    for (const Happening &h : found) {
        const bool last = h.kind == m_calls[h.user].last;
        Handler f;
        if (last) {
            f = std::move(m_calls[h.user].f);
            m_free.push_back(h.user);
            m_open -= h.kind != Matched;
        } else {
            f = m_calls[h.user].f; /* the table may grow while the handler runs */
        }
        f(static_cast<Kind>(h.kind));
    }
    if (m_found.empty()) { /* keeps its memory */
        found.clear();
        m_found.swap(found);
    }
}

std::vector<std::string> Fabric::Run()
{
    while (Look(kNeverPs) != kNeverPs)
        Dispatch();
    return m_network->Explain();
}

} // namespace WeftAdapters
