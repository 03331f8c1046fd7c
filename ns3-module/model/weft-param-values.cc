/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-param-values.h"

#include "base/scale.h"
#include "weft-choice.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdio>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftParamValues");

namespace
{

/** How the values of one type of parameter go in and out of ns-3. */
struct ParamKind
{
    const char* typeName;            //!< Of the attribute value.
    Ptr<AttributeValue> (*create)(); //!< Makes one.
    /** To text that weft_params_set reads; false: not of that type. */
    bool (*toText)(const weft_param& p, const AttributeValue& value, std::string& text);
    /** From a field; false: not of that type. */
    bool (*fromField)(const weft_param& p, const void* field, AttributeValue& value);
    /** From one to another; false: not of that type. */
    bool (*copy)(const AttributeValue& source, AttributeValue& destination);
};

/**
 * @tparam VALUE a type of attribute values
 * @return one
 */
template <typename VALUE>
Ptr<AttributeValue>
New()
{
    return Create<VALUE>();
}

/**
 * @tparam VALUE a type of attribute values
 * @tparam TEXT gives the text of one
 * @param p the parameter
 * @param value the value
 * @param [out] text its text
 * @return whether it is of that type
 */
template <typename VALUE, std::string (*TEXT)(const weft_param&, const VALUE&)>
bool
ToText(const weft_param& p, const AttributeValue& value, std::string& text)
{
    const auto v = dynamic_cast<const VALUE*>(&value);
    if (v)
    {
        text = TEXT(p, *v);
    }
    return v != nullptr;
}

/**
 * @tparam VALUE a type of attribute values
 * @tparam FIELD the type of the field
 * @tparam SET sets one from a field
 * @param field the field
 * @param [out] value the value
 * @return whether it is of that type
 */
template <typename VALUE, typename FIELD, void (*SET)(VALUE&, const FIELD&)>
bool
FromField(const weft_param& /* p */, const void* field, AttributeValue& value)
{
    const auto v = dynamic_cast<VALUE*>(&value);
    if (v)
    {
        SET(*v, *static_cast<const FIELD*>(field));
    }
    return v != nullptr;
}

/**
 * @tparam VALUE a type of attribute values
 * @param source one
 * @param [out] destination another
 * @return whether both are of that type
 */
template <typename VALUE>
bool
CopyAs(const AttributeValue& source, AttributeValue& destination)
{
    const auto from = dynamic_cast<const VALUE*>(&source);
    const auto to = dynamic_cast<VALUE*>(&destination);
    if (!from || !to)
    {
        return false;
    }
    *to = *from;
    return true;
}

// The texts of values, and values of fields.

std::string
TextOfBoolean(const weft_param& /* p */, const BooleanValue& v)
{
    return v.Get() ? "true" : "false";
}

std::string
TextOfCount(const weft_param& /* p */, const UintegerValue& v)
{
    return std::to_string(v.Get());
}

std::string
TextOfSize(const weft_param& /* p */, const UintegerValue& v)
{
    return std::to_string(v.Get()) + "B";
}

std::string
TextOfDouble(const weft_param& /* p */, const DoubleValue& v)
{
    char buf[64];
    std::snprintf(buf, sizeof buf, "%.17g", v.Get());
    return buf;
}

std::string
TextOfTime(const weft_param& /* p */, const TimeValue& v)
{
    return std::to_string(v.Get().GetPicoSeconds()) + "ps";
}

std::string
TextOfRate(const weft_param& /* p */, const DataRateValue& v)
{
    return std::to_string(v.Get().GetBitRate()) + "bps";
}

std::string
TextOfString(const weft_param& /* p */, const StringValue& v)
{
    return v.Get();
}

std::string
TextOfChoice(const weft_param& p, const WeftEnumValue& v)
{
    const std::vector<std::string> words = WeftSplitChoices(p.choices);
    const std::size_t i = static_cast<std::size_t>(v.Get());
    return i < words.size() ? words[i] : std::to_string(v.Get());
}

void
SetBoolean(BooleanValue& v, const bool& field)
{
    v.Set(field);
}

void
SetUinteger(UintegerValue& v, const uint64_t& field)
{
    v.Set(field);
}

void
SetDouble(DoubleValue& v, const double& field)
{
    v.Set(field);
}

void
SetTime(TimeValue& v, const int64_t& field)
{
    v.Set(PicoSeconds(field));
}

void
SetRate(DataRateValue& v, const uint64_t& field)
{
    v.Set(DataRate(field));
}

void
SetString(StringValue& v, const char* const& field)
{
    v.Set(field ? field : "");
}

void
SetChoice(WeftEnumValue& v, const int& field)
{
    v.Set(field);
}

/**
 * A row of the table below.
 * @tparam VALUE the type of the attribute value
 * @tparam FIELD the type of the field
 * @tparam TEXT gives the text of a value
 * @tparam SET sets a value from a field
 * @tparam MADE the type that is made, VALUE or derived from it
 * @param typeName the name of the type
 * @return the row
 */
template <typename VALUE,
          typename FIELD,
          std::string (*TEXT)(const weft_param&, const VALUE&),
          void (*SET)(VALUE&, const FIELD&),
          typename MADE = VALUE>
constexpr ParamKind
Kind(const char* typeName)
{
    return {typeName,
            &New<MADE>,
            &ToText<VALUE, TEXT>,
            &FromField<VALUE, FIELD, SET>,
            &CopyAs<VALUE>};
}

/** By weft_param_type. */
const ParamKind KINDS[] = {
    Kind<BooleanValue, bool, TextOfBoolean, SetBoolean>("ns3::BooleanValue"),
    Kind<UintegerValue, uint64_t, TextOfCount, SetUinteger>("ns3::UintegerValue"),
    Kind<DoubleValue, double, TextOfDouble, SetDouble>("ns3::DoubleValue"),
    Kind<TimeValue, int64_t, TextOfTime, SetTime>("ns3::TimeValue"),
    Kind<UintegerValue, uint64_t, TextOfSize, SetUinteger>("ns3::UintegerValue"),
    Kind<DataRateValue, uint64_t, TextOfRate, SetRate>("ns3::DataRateValue"),
    Kind<StringValue, const char*, TextOfString, SetString>("ns3::StringValue"),
    Kind<WeftEnumValue, int, TextOfChoice, SetChoice, WeftChoiceValue>("ns3::EnumValue"),
};
static_assert(sizeof KINDS / sizeof KINDS[0] == WEFT_PARAM_ENUM + 1,
              "one row per weft_param_type, in its order");

/**
 * Reads a parameter that may be WEFT_PARAM_AUTO, given as text. Bare numbers are in the unit of the
 * attribute's other type.
 * @param p the parameter
 * @param text what the user wrote
 * @return text that weft_params_set reads
 */
std::string
WithUnit(const weft_param& p, const std::string& text)
{
    const bool bare = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (bare && p.type == WEFT_PARAM_SIZE)
    {
        return text + "B";
    }
    if (bare && p.type == WEFT_PARAM_RATE)
    {
        return text + "bps";
    }
    return text;
}

} // namespace

Ptr<AttributeValue>
WeftNewValue(const weft_param& p)
{
    NS_LOG_FUNCTION(p.name);
    if (p.scale)
    {
        return Create<StringValue>();
    }
    return KINDS[p.type].create();
}

std::string
WeftValueTypeName(const weft_param& p)
{
    NS_LOG_FUNCTION(p.name);
    return p.scale ? "ns3::StringValue" : KINDS[p.type].typeName;
}

bool
WeftValueToText(const weft_param& p, const AttributeValue& value, std::string& text)
{
    NS_LOG_FUNCTION(p.name);
    if (const auto v = dynamic_cast<const StringValue*>(&value); v && p.scale)
    {
        text = WithUnit(p, v->Get());
        return true;
    }
    return KINDS[p.type].toText(p, value, text);
}

bool
WeftFieldToValue(const weft_param& p, const void* base, AttributeValue& value)
{
    NS_LOG_FUNCTION(p.name << base);
    const void* field = static_cast<const char*>(base) + p.offset;
    const bool isAuto = weft_param_is_auto(&p, base);
    if (const auto v = dynamic_cast<StringValue*>(&value); v && p.scale)
    {
        // Sizes are bare numbers of bytes, as those of other attributes.
        char buf[WEFT_PARAM_TEXT_MAX];
        v->Set(p.type == WEFT_PARAM_SIZE && !isAuto
                   ? std::to_string(*static_cast<const uint64_t*>(field))
                   : weft_params_format(&p, base, buf, sizeof buf));
        return true;
    }
    // Where it is "auto" there is no number yet: ask for a StringValue.
    return !isAuto && KINDS[p.type].fromField(p, field, value);
}

bool
WeftCopyValue(const weft_param& p, const AttributeValue& source, AttributeValue& destination)
{
    NS_LOG_FUNCTION(p.name);
    if (const auto to = dynamic_cast<StringValue*>(&destination); to && p.scale)
    {
        std::string text;
        const bool ok = WeftValueToText(p, source, text);
        to->Set(text);
        return ok;
    }
    return KINDS[p.type].copy(source, destination);
}

} // namespace ns3
