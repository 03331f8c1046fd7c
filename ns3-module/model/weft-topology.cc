/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-topology.h"

#include "weft-table-types.h"

#include "ns3/fatal-error.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftTopology");

NS_OBJECT_ENSURE_REGISTERED(WeftTopology);

namespace
{

/** Registers the TypeIds of all topologies when the library is loaded. */
WeftTableTypes<WeftTopology, weft_topology_ops, weft_topology_table> g_weftTopologyTypes;

} // namespace

TypeId
WeftTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::WeftTopology").SetParent<Object>().SetGroupName("Weft");
    return tid;
}

std::string
WeftTopology::GetTypeIdName(const std::string& name)
{
    NS_LOG_FUNCTION(name);
    return "ns3::WeftTopology" + WeftCamelCase(name);
}

weft_fabric*
WeftTopology::Build(weft_err* err)
{
    NS_LOG_FUNCTION(this);
    const weft_topology_ops* ops = GetOps();
    weft_fabric* fabric = nullptr;
    if (WeftCheckRequiredParams(*this, ops->params, err) != 0 ||
        weft_topology_build(ops, GetParamStruct(ops->params), &fabric, err) != 0)
    {
        return nullptr;
    }
    return fabric;
}

void*
WeftTopology::GetParamStruct(const weft_param_table& table)
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

} // namespace ns3
