/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_CONGESTION_CONTROL_H
#define WEFT_CONGESTION_CONTROL_H

#include "congestion/cc.h"
#include "weft-params.h"

#include "ns3/object.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * A congestion control with its parameters.
 *
 * Each algorithm of weft's table is a TypeId of its own, named after it: "dcqcn" is
 * ns3::WeftCcDcqcn, "static-window" is ns3::WeftCcStaticWindow; the parameters are its attributes.
 * The object only holds them; the algorithm itself runs in the engine, once per QP.
 *
 * An algorithm that weft does not have derives from this class and overrides GetOps.
 */
class WeftCongestionControl : public Object, public WeftParamHolder
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param name name of an algorithm in weft's table
     * @return the name of its TypeId
     */
    static std::string GetTypeIdName(const std::string& name);

    /**
     * @return the choices of attribute CongestionControl of WeftFabric: the algorithms of weft's
     * table, and at the end "model" for what CongestionControlModel is
     */
    static std::vector<std::string> GetChoices();

    /**
     * @param name name of an algorithm
     * @return its number among the choices; one that weft does not have is a "model"
     */
    static int GetChoice(const std::string& name);

    /**
     * @param name name of an algorithm in weft's table
     * @param [out] err names the nearest when there is none
     * @return a new object with the attributes' default values, or null
     */
    static Ptr<WeftCongestionControl> CreateByName(const std::string& name, weft_err* err);

    /**
     * @return the algorithm
     */
    virtual const weft_cc_ops* GetOps() const = 0;

    /**
     * @return the algorithm's filled parameter struct; lives as long as this object
     */
    const void* GetParams() const;

    // Inherited
    void* GetParamStruct(const weft_param_table& table) override;
    bool AreParamsFrozen() const override;

    /** Called when an engine starts to use the parameters: they cannot change any more. */
    void Freeze();

  private:
    std::vector<std::max_align_t> m_params; //!< The parameter struct.
    bool m_frozen{false};                   //!< An engine uses it.
};

} // namespace ns3

#endif /* WEFT_CONGESTION_CONTROL_H */
