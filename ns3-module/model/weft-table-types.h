/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_TABLE_TYPES_H
#define WEFT_TABLE_TYPES_H

/**
 * @file
 * @ingroup weft
 * One TypeId per entry of a table of plug-ins.
 *
 * TypeId::AddConstructor takes a class, so that each entry needs a class of its own: a template
 * over the entry's number makes them. MAX bounds how many; registration fails loudly when a table
 * outgrows it.
 */

#include "weft-params.h"

#include "ns3/fatal-error.h"
#include "ns3/type-id.h"

#include <cstddef>
#include <utility>

namespace ns3
{

/**
 * @ingroup weft
 * A family of plug-ins; making an object registers them.
 * @tparam Base the abstract class, with GetTypeId, GetTypeIdName and a virtual GetOps
 * @tparam Ops the C struct of one plug-in, with members name and params
 * @tparam Table the table, and how many entries it has
 */
template <typename Base, typename Ops, const Ops* const* (*Table)(std::size_t* n)>
class WeftTableTypes
{
  public:
    /** Most entries that a table may have. */
    static constexpr std::size_t MAX = 64;

    /** Registers all of them. */
    WeftTableTypes()
    {
        std::size_t n = 0;
        Table(&n);
        if (n > MAX)
        {
            NS_FATAL_ERROR("a plug-in table has more than "
                           << MAX << " entries: raise WeftTableTypes::MAX");
        }
        RegisterUpTo(n, std::make_index_sequence<MAX>());
    }

  private:
    /** The class of entry I. */
    template <std::size_t I>
    class Entry : public Base
    {
      public:
        /**
         * @return the TypeId
         */
        static TypeId GetTypeId()
        {
            static TypeId tid = MakeTypeId();
            return tid;
        }

        const Ops* GetOps() const override
        {
            std::size_t n = 0;
            return Table(&n)[I];
        }

      private:
        /**
         * @return a new TypeId with the entry's parameters as attributes
         */
        static TypeId MakeTypeId()
        {
            std::size_t n = 0;
            const Ops* ops = Table(&n)[I];
            TypeId tid(Base::GetTypeIdName(ops->name));
            tid.SetParent(Base::GetTypeId());
            tid.SetGroupName("Weft");
            tid.template AddConstructor<Entry<I>>();
            tid.SetSize(sizeof(Entry<I>));
            WeftAddParamAttributes(tid, ops->params, "");
            return tid;
        }
    };

    /**
     * @param n registers entries 0 .. n-1
     */
    template <std::size_t... I>
    static void RegisterUpTo(std::size_t n, std::index_sequence<I...>)
    {
        (void)std::initializer_list<int>{(I < n ? (Entry<I>::GetTypeId(), 0) : 0)...};
    }
};

} // namespace ns3

#endif /* WEFT_TABLE_TYPES_H */
