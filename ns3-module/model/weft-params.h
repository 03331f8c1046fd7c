/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_PARAMS_H
#define WEFT_PARAMS_H

/**
 * @file
 * @ingroup weft
 * ns-3 attributes made from weft's parameter tables (base/param.h).
 *
 * One entry of a table becomes one attribute: its type chooses the AttributeValue, its bounds the
 * checker, its text the help. Values are checked by weft_params_set, the same code that checks
 * scenario files, so that both accept exactly the same.
 *
 *   bool  -> BooleanValue        count  -> UintegerValue     ratio  -> DoubleValue
 *   time  -> TimeValue           size   -> UintegerValue, in bytes
 *   rate  -> DataRateValue       text   -> StringValue
 *   choice -> EnumValue (WeftEnumValue)
 */

#include "base/param.h"

#include "ns3/attribute.h"
#include "ns3/type-id.h"

#include <cstddef>
#include <set>
#include <string>

namespace ns3
{

/**
 * @ingroup weft
 * Base of a class that has weft parameters as attributes.
 */
class WeftParamHolder
{
  public:
    virtual ~WeftParamHolder() = default;

    /**
     * @param table one of the tables that the class declared with WeftAddParamAttributes
     * @return the struct that holds the values of that table
     */
    virtual void* GetParamStruct(const weft_param_table& table) = 0;

    /**
     * @return whether it is too late to change parameters. Setting an attribute then fails.
     */
    virtual bool AreParamsFrozen() const
    {
        return false;
    }

    /**
     * Sets one parameter from text with a unit.
     * @param table the table
     * @param name the parameter's name in the table ("rate-ai")
     * @param value the text
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int SetParam(const weft_param_table& table,
                 const std::string& name,
                 const std::string& value,
                 weft_err* err);

  private:
    std::set<std::string> m_texts; //!< Owns what string parameters point to.
};

/**
 * Adds one attribute per entry of a parameter table.
 * @param tid the TypeId, of a class derived from WeftParamHolder
 * @param table the table; must outlive the program
 * @param prefix put in front of each name: prefix "Pfc", entry "xon-offset" -> "PfcXonOffset"
 */
void WeftAddParamAttributes(TypeId tid, const weft_param_table& table, const std::string& prefix);

/**
 * @param name lower-case words joined by '-': "static-window"
 * @return the words in ns-3's way: "StaticWindow"
 */
std::string WeftCamelCase(const std::string& name);

/**
 * @param holder the object
 * @param table its table
 * @param [out] err names the first parameter without default and without a value
 * @return 0 or WEFT_E_INPUT
 */
int WeftCheckRequiredParams(WeftParamHolder& holder, const weft_param_table& table, weft_err* err);

} // namespace ns3

#endif /* WEFT_PARAMS_H */
