/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_TRACE_SOURCE_H
#define WEFT_TRACE_SOURCE_H

/**
 * @file
 * @ingroup weft
 * A trace source accessor that notifies its object of each connection and disconnection, so
 * that the engine's hooks are set only while somebody listens.
 */

#include "ns3/trace-source-accessor.h"

namespace ns3
{

/**
 * @ingroup weft
 * A trace source of a class: a pointer to its member.
 * @tparam T the class
 * @tparam SOURCE the member's type
 */
template <typename T, typename SOURCE>
using WeftTraceSourceMember = SOURCE T::*;

/**
 * @ingroup weft
 * Connects sinks to one TracedCallback member.
 * @tparam T the class that has it, and a member function TraceSinksChanged()
 * @tparam SOURCE the member's type
 */
template <typename T, typename SOURCE>
class WeftTraceSourceAccessor : public TraceSourceAccessor
{
  public:
    /**
     * @param member the trace source
     */
    explicit WeftTraceSourceAccessor(WeftTraceSourceMember<T, SOURCE> member)
        : m_member(member)
    {
    }

    bool ConnectWithoutContext(ObjectBase* obj, const CallbackBase& cb) const override
    {
        return Change(obj, [&](SOURCE& s) { s.ConnectWithoutContext(cb); });
    }

    bool Connect(ObjectBase* obj, std::string context, const CallbackBase& cb) const override
    {
        return Change(obj, [&](SOURCE& s) { s.Connect(cb, context); });
    }

    bool DisconnectWithoutContext(ObjectBase* obj, const CallbackBase& cb) const override
    {
        return Change(obj, [&](SOURCE& s) { s.DisconnectWithoutContext(cb); });
    }

    bool Disconnect(ObjectBase* obj, std::string context, const CallbackBase& cb) const override
    {
        return Change(obj, [&](SOURCE& s) { s.Disconnect(cb, context); });
    }

  private:
    /**
     * @param obj the object
     * @param change what to do with its trace source
     * @return whether it is a T
     */
    template <typename F>
    bool Change(ObjectBase* obj, F change) const
    {
        T* object = dynamic_cast<T*>(obj);
        if (!object)
        {
            return false;
        }
        change(object->*m_member);
        object->TraceSinksChanged();
        return true;
    }

    WeftTraceSourceMember<T, SOURCE> m_member; //!< The trace source.
};

/**
 * @param source a TracedCallback member of T; T has a member function TraceSinksChanged()
 * @return the accessor for TypeId::AddTraceSource
 */
template <typename T, typename SOURCE>
Ptr<const TraceSourceAccessor>
MakeWeftTraceSourceAccessor(WeftTraceSourceMember<T, SOURCE> source)
{
    return Ptr<const TraceSourceAccessor>(new WeftTraceSourceAccessor<T, SOURCE>(source), false);
}

} // namespace ns3

#endif /* WEFT_TRACE_SOURCE_H */
