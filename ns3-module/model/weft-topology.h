/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_TOPOLOGY_MODEL_H
#define WEFT_TOPOLOGY_MODEL_H

#include "topologies/topology.h"
#include "weft-params.h"

#include "ns3/object.h"

#include <cstddef>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * A topology generator or file reader with its parameters.
 *
 * Each entry of weft's table is a TypeId of its own, named after it: "leaf-spine" is
 * ns3::WeftTopologyLeafSpine; the parameters are its attributes.
 */
class WeftTopology : public Object, public WeftParamHolder
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param name name of a topology in weft's table
     * @return the name of its TypeId
     */
    static std::string GetTypeIdName(const std::string& name);

    /**
     * @return the generator or reader
     */
    virtual const weft_topology_ops* GetOps() const = 0;

    /**
     * Builds the graph from the attributes.
     * @param [out] err why it failed
     * @return a new graph that the caller frees, or null
     */
    weft_fabric* Build(weft_err* err);

    // Inherited
    void* GetParamStruct(const weft_param_table& table) override;

  private:
    std::vector<std::max_align_t> m_params; //!< The parameter struct.
};

} // namespace ns3

#endif /* WEFT_TOPOLOGY_MODEL_H */
