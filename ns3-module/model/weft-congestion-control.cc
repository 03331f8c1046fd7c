/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-congestion-control.h"

#include "congestion/cc_table.h"
#include "weft-table-types.h"

#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftCongestionControl");

NS_OBJECT_ENSURE_REGISTERED(WeftCongestionControl);

namespace
{

/** Registers the TypeIds of all algorithms when the library is loaded. */
WeftTableTypes<WeftCongestionControl, weft_cc_ops, weft_cc_table> g_weftCongestionControlTypes;

} // namespace

TypeId
WeftCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftCongestionControl").SetParent<Object>().SetGroupName("Weft");
    return tid;
}

std::string
WeftCongestionControl::GetTypeIdName(const std::string& name)
{
    NS_LOG_FUNCTION(name);
    return "ns3::WeftCc" + WeftCamelCase(name);
}

std::vector<std::string>
WeftCongestionControl::GetChoices()
{
    NS_LOG_FUNCTION_NOARGS();
    std::vector<std::string> words;
    std::size_t n = 0;
    const weft_cc_ops* const* table = weft_cc_table(&n);
    for (std::size_t i = 0; i < n; i++)
    {
        words.emplace_back(table[i]->name);
    }
    words.emplace_back("model");
    return words;
}

int
WeftCongestionControl::GetChoice(const std::string& name)
{
    NS_LOG_FUNCTION(name);
    const std::vector<std::string> words = GetChoices();
    const auto at = std::find(words.begin(), words.end(), name);
    return static_cast<int>(at == words.end() ? words.size() - 1 : at - words.begin());
}

Ptr<WeftCongestionControl>
WeftCongestionControl::CreateByName(const std::string& name, weft_err* err)
{
    NS_LOG_FUNCTION(name);
    if (!weft_cc_find(name.c_str(), err))
    {
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(GetTypeIdName(name));
    return factory.Create<WeftCongestionControl>();
}

const void*
WeftCongestionControl::GetParams() const
{
    NS_LOG_FUNCTION(this);
    return const_cast<WeftCongestionControl*>(this)->GetParamStruct(GetOps()->params);
}

void*
WeftCongestionControl::GetParamStruct(const weft_param_table& table)
{
    NS_LOG_FUNCTION(this);
    if (m_params.empty())
    {
        m_params.resize(table.struct_size / sizeof(std::max_align_t) + 1);
        weft_err err = {};
        if (weft_params_defaults(&table, m_params.data(), &err) != 0)
        {
            NS_FATAL_ERROR("defaults of " << GetOps()->name << ": " << err.msg);
        }
    }
    return m_params.data();
}

bool
WeftCongestionControl::AreParamsFrozen() const
{
    NS_LOG_FUNCTION(this);
    return m_frozen;
}

void
WeftCongestionControl::Freeze()
{
    NS_LOG_FUNCTION(this);
    m_frozen = true;
}

} // namespace ns3
