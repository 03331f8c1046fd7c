/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_PARAM_VALUES_H
#define WEFT_PARAM_VALUES_H

/**
 * @file
 * @ingroup weft
 * The values of weft's parameters as values of ns-3's attributes. For weft-params.cc.
 */

#include "base/param.h"

#include "ns3/attribute.h"

#include <string>

namespace ns3
{

/**
 * @param p a parameter
 * @return an attribute value of its type
 */
Ptr<AttributeValue> WeftNewValue(const weft_param& p);

/**
 * @param p a parameter
 * @return the name of that type: "ns3::UintegerValue"
 */
std::string WeftValueTypeName(const weft_param& p);

/**
 * Turns an attribute value into text that weft_params_set reads.
 * @param p the parameter
 * @param value the attribute value
 * @param [out] text the text
 * @return whether the value is of the parameter's type
 */
bool WeftValueToText(const weft_param& p, const AttributeValue& value, std::string& text);

/**
 * Reads a field into an attribute value.
 * @param p the parameter
 * @param base the struct of its table
 * @param [out] value the value, of the type that WeftNewValue makes
 * @return whether the types agree
 */
bool WeftFieldToValue(const weft_param& p, const void* base, AttributeValue& value);

/**
 * @param p the parameter
 * @param source one value
 * @param [out] destination gets the same
 * @return whether both are of a type of the parameter
 */
bool WeftCopyValue(const weft_param& p, const AttributeValue& source, AttributeValue& destination);

} // namespace ns3

#endif /* WEFT_PARAM_VALUES_H */
