/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-params.h"

#include "base/scale.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/object-base.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cctype>
#include <cstdio>
#include <cstring>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftParams");

namespace
{

/**
 * @param p a parameter
 * @param base the struct of its table
 * @return its field
 */
template <typename T>
const T&
Field(const weft_param& p, const void* base)
{
    return *reinterpret_cast<const T*>(static_cast<const char*>(base) + p.offset);
}

/**
 * Turns an attribute value into text that weft_params_set reads.
 * @param p the parameter
 * @param value the attribute value
 * @param [out] text the text
 * @return whether the value is of the type that the parameter asks for
 */
bool
ValueToText(const weft_param& p, const AttributeValue& value, std::string& text)
{
    char buf[64];
    if (auto v = dynamic_cast<const StringValue*>(&value); v && p.scale)
    {
        // Bare numbers are in the unit of the attribute's other type.
        text = v->Get();
        const bool bare = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
        text += !bare                       ? ""
                : p.type == WEFT_PARAM_SIZE ? "B"
                : p.type == WEFT_PARAM_RATE ? "bps"
                                            : "";
        return true;
    }
    switch (p.type)
    {
    case WEFT_PARAM_BOOL:
        if (auto v = dynamic_cast<const BooleanValue*>(&value))
        {
            text = v->Get() ? "true" : "false";
            return true;
        }
        return false;
    case WEFT_PARAM_U64:
    case WEFT_PARAM_SIZE:
        if (auto v = dynamic_cast<const UintegerValue*>(&value))
        {
            text = std::to_string(v->Get()) + (p.type == WEFT_PARAM_SIZE ? "B" : "");
            return true;
        }
        return false;
    case WEFT_PARAM_F64:
        if (auto v = dynamic_cast<const DoubleValue*>(&value))
        {
            std::snprintf(buf, sizeof buf, "%.17g", v->Get());
            text = buf;
            return true;
        }
        return false;
    case WEFT_PARAM_TIME:
        if (auto v = dynamic_cast<const TimeValue*>(&value))
        {
            text = std::to_string(v->Get().GetPicoSeconds()) + "ps";
            return true;
        }
        return false;
    case WEFT_PARAM_RATE:
        if (auto v = dynamic_cast<const DataRateValue*>(&value))
        {
            text = std::to_string(v->Get().GetBitRate()) + "bps";
            return true;
        }
        return false;
    case WEFT_PARAM_STRING:
    case WEFT_PARAM_ENUM:
        if (auto v = dynamic_cast<const StringValue*>(&value))
        {
            text = v->Get();
            return true;
        }
        return false;
    }
    return false;
}

/**
 * @param p a parameter of type choice
 * @param index number of a word
 * @return the word
 */
std::string
ChoiceName(const weft_param& p, int index)
{
    const char* word = p.choices;
    for (; index > 0 && std::strchr(word, '|'); index--)
    {
        word = std::strchr(word, '|') + 1;
    }
    return std::string(word, std::strcspn(word, "|"));
}

/**
 * @param p a parameter
 * @return an attribute value of its type
 */
Ptr<AttributeValue>
NewValue(const weft_param& p)
{
    if (p.scale)
    {
        return Create<StringValue>();
    }
    switch (p.type)
    {
    case WEFT_PARAM_BOOL:
        return Create<BooleanValue>();
    case WEFT_PARAM_U64:
    case WEFT_PARAM_SIZE:
        return Create<UintegerValue>();
    case WEFT_PARAM_F64:
        return Create<DoubleValue>();
    case WEFT_PARAM_TIME:
        return Create<TimeValue>();
    case WEFT_PARAM_RATE:
        return Create<DataRateValue>();
    case WEFT_PARAM_STRING:
    case WEFT_PARAM_ENUM:
        break;
    }
    return Create<StringValue>();
}

/**
 * Reads a field into an attribute value.
 * @param p the parameter
 * @param base the struct
 * @param value the value, of the type that NewValue makes
 * @return whether the types agree
 */
bool
FieldToValue(const weft_param& p, const void* base, AttributeValue& value)
{
    if (auto v = dynamic_cast<StringValue*>(&value); v && p.scale)
    {
        // Sizes are bare numbers of bytes, as those of other attributes.
        char buf[WEFT_PARAM_TEXT_MAX];
        v->Set(p.type == WEFT_PARAM_SIZE && !weft_param_is_auto(&p, base)
                   ? std::to_string(Field<uint64_t>(p, base))
                   : weft_params_format(&p, base, buf, sizeof buf));
        return true;
    }
    if (weft_param_is_auto(&p, base))
    {
        return false; // no number yet: ask for a StringValue
    }
    switch (p.type)
    {
    case WEFT_PARAM_BOOL:
        if (auto v = dynamic_cast<BooleanValue*>(&value))
        {
            v->Set(Field<int>(p, base) != 0);
            return true;
        }
        return false;
    case WEFT_PARAM_U64:
    case WEFT_PARAM_SIZE:
        if (auto v = dynamic_cast<UintegerValue*>(&value))
        {
            v->Set(Field<uint64_t>(p, base));
            return true;
        }
        return false;
    case WEFT_PARAM_F64:
        if (auto v = dynamic_cast<DoubleValue*>(&value))
        {
            v->Set(Field<double>(p, base));
            return true;
        }
        return false;
    case WEFT_PARAM_TIME:
        if (auto v = dynamic_cast<TimeValue*>(&value))
        {
            v->Set(PicoSeconds(Field<int64_t>(p, base)));
            return true;
        }
        return false;
    case WEFT_PARAM_RATE:
        if (auto v = dynamic_cast<DataRateValue*>(&value))
        {
            v->Set(DataRate(Field<uint64_t>(p, base)));
            return true;
        }
        return false;
    case WEFT_PARAM_STRING:
    case WEFT_PARAM_ENUM:
        if (auto v = dynamic_cast<StringValue*>(&value))
        {
            if (p.type == WEFT_PARAM_ENUM)
            {
                v->Set(ChoiceName(p, Field<int>(p, base)));
            }
            else
            {
                const char* s = Field<const char*>(p, base);
                v->Set(s ? s : "");
            }
            return true;
        }
        return false;
    }
    return false;
}

/**
 * @param p a parameter
 * @param text a value as ValueToText writes it
 * @return whether it stands for "not given", which a parameter without default starts with
 */
bool
IsUnset(const weft_param& p, const std::string& text)
{
    return !p.def &&
           (text.empty() || text == "0" || text == "0B" || text == "0bps" || text == "0ps");
}

/**
 * @ingroup weft
 * Checks attribute values against one entry of a table.
 */
class ParamChecker : public AttributeChecker
{
  public:
    ParamChecker(const weft_param_table& table, const weft_param& param)
        : m_table(table),
          m_param(param)
    {
    }

    bool Check(const AttributeValue& value) const override
    {
        std::string text;
        if (!ValueToText(m_param, value, text))
        {
            return false;
        }
        if (IsUnset(m_param, text))
        {
            return true;
        }
        std::vector<std::max_align_t> scratch(m_table.struct_size / sizeof(std::max_align_t) + 1);
        weft_err err = {};
        if (weft_params_set(&m_table, scratch.data(), m_param.name, text.c_str(), &err) != 0)
        {
            NS_LOG_WARN(err.msg);
            return false;
        }
        return true;
    }

    std::string GetValueTypeName() const override
    {
        if (m_param.scale)
        {
            return "ns3::StringValue";
        }
        switch (m_param.type)
        {
        case WEFT_PARAM_BOOL:
            return "ns3::BooleanValue";
        case WEFT_PARAM_U64:
        case WEFT_PARAM_SIZE:
            return "ns3::UintegerValue";
        case WEFT_PARAM_F64:
            return "ns3::DoubleValue";
        case WEFT_PARAM_TIME:
            return "ns3::TimeValue";
        case WEFT_PARAM_RATE:
            return "ns3::DataRateValue";
        case WEFT_PARAM_STRING:
        case WEFT_PARAM_ENUM:
            break;
        }
        return "ns3::StringValue";
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        std::string info = weft_param_type_name(m_param.type);
        if (m_param.choices)
        {
            info += std::string(" ") + m_param.choices;
        }
        if (m_param.min || m_param.max)
        {
            info += std::string(" ") + (m_param.min ? m_param.min : "") + ":" +
                    (m_param.max ? m_param.max : "");
        }
        return info;
    }

    Ptr<AttributeValue> Create() const override
    {
        return NewValue(m_param);
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        if (m_param.scale && dynamic_cast<StringValue*>(&destination))
        {
            std::string text;
            if (!ValueToText(m_param, source, text))
            {
                return false;
            }
            dynamic_cast<StringValue&>(destination).Set(text);
            return true;
        }
        switch (m_param.type)
        {
        case WEFT_PARAM_BOOL:
            return CopyAs<BooleanValue>(source, destination);
        case WEFT_PARAM_U64:
        case WEFT_PARAM_SIZE:
            return CopyAs<UintegerValue>(source, destination);
        case WEFT_PARAM_F64:
            return CopyAs<DoubleValue>(source, destination);
        case WEFT_PARAM_TIME:
            return CopyAs<TimeValue>(source, destination);
        case WEFT_PARAM_RATE:
            return CopyAs<DataRateValue>(source, destination);
        case WEFT_PARAM_STRING:
        case WEFT_PARAM_ENUM:
            break;
        }
        return CopyAs<StringValue>(source, destination);
    }

  private:
    /**
     * @param source one value
     * @param destination another
     * @return whether both are of type T, and so the copy was made
     */
    template <typename T>
    static bool CopyAs(const AttributeValue& source, AttributeValue& destination)
    {
        auto from = dynamic_cast<const T*>(&source);
        auto to = dynamic_cast<T*>(&destination);
        if (!from || !to)
        {
            return false;
        }
        *to = *from;
        return true;
    }

    const weft_param_table& m_table; //!< The table.
    const weft_param& m_param;       //!< Its entry.
};

/**
 * @ingroup weft
 * Reads and writes the field of one entry in an object that is a WeftParamHolder.
 */
class ParamAccessor : public AttributeAccessor
{
  public:
    ParamAccessor(const weft_param_table& table, const weft_param& param)
        : m_table(table),
          m_param(param)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto holder = dynamic_cast<WeftParamHolder*>(object);
        std::string text;
        if (!holder || !ValueToText(m_param, value, text))
        {
            return false;
        }
        if (holder->AreParamsFrozen())
        {
            NS_LOG_WARN("parameter '" << m_param.name << "' cannot change any more");
            return false;
        }
        if (IsUnset(m_param, text))
        {
            return true;
        }
        weft_err err = {};
        if (holder->SetParam(m_table, m_param.name, text, &err) != 0)
        {
            NS_LOG_WARN(err.msg);
            return false;
        }
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        auto holder = dynamic_cast<const WeftParamHolder*>(object);
        return holder && FieldToValue(m_param,
                                      const_cast<WeftParamHolder*>(holder)->GetParamStruct(m_table),
                                      value);
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    const weft_param_table& m_table; //!< The table.
    const weft_param& m_param;       //!< Its entry.
};

} // namespace

int
WeftParamHolder::SetParam(const weft_param_table& table,
                          const std::string& name,
                          const std::string& value,
                          weft_err* err)
{
    // weft_params_set keeps the pointer of a string parameter; other types read the text only now.
    const weft_param* p = weft_params_find(&table, name.c_str());
    const char* text = value.c_str();
    if (p && p->type == WEFT_PARAM_STRING)
    {
        text = m_texts.insert(value).first->c_str();
    }
    return weft_params_set(&table, GetParamStruct(table), name.c_str(), text, err);
}

void
WeftAddParamAttributes(TypeId tid, const weft_param_table& table, const std::string& prefix)
{
    std::vector<std::max_align_t> defaults(table.struct_size / sizeof(std::max_align_t) + 1);
    weft_err err = {};
    if (weft_params_defaults(&table, defaults.data(), &err) != 0)
    {
        NS_FATAL_ERROR("defaults of " << tid.GetName() << ": " << err.msg);
    }
    for (std::size_t i = 0; i < table.n; i++)
    {
        const weft_param& p = table.params[i];
        std::string help = p.help ? p.help : "";
        if (p.type == WEFT_PARAM_SIZE)
        {
            help += " (bytes)";
        }
        if (p.choices)
        {
            help += std::string(" (one of ") + p.choices + ")";
        }
        if (!p.def)
        {
            help += " (required)";
        }
        if (p.scale)
        {
            char text[WEFT_DEFAULT_TEXT_MAX];
            help += std::string(" (" WEFT_PARAM_AUTO ": ") +
                    weft_param_default_text(&p, text, sizeof text) + ")";
        }
        if (p.source)
        {
            help += std::string(" [") + p.source + "]";
        }
        Ptr<AttributeValue> initial = NewValue(p);
        FieldToValue(p, defaults.data(), *initial);
        tid.AddAttribute(prefix + WeftCamelCase(p.name),
                         help,
                         *initial,
                         Ptr<const AttributeAccessor>(new ParamAccessor(table, p), false),
                         Ptr<const AttributeChecker>(new ParamChecker(table, p), false));
    }
}

std::string
WeftCamelCase(const std::string& name)
{
    std::string out;
    bool upper = true;
    for (char c : name)
    {
        if (c == '-')
        {
            upper = true;
            continue;
        }
        out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = false;
    }
    return out;
}

int
WeftCheckRequiredParams(WeftParamHolder& holder, const weft_param_table& table, weft_err* err)
{
    const void* base = holder.GetParamStruct(table);
    for (std::size_t i = 0; i < table.n; i++)
    {
        const weft_param& p = table.params[i];
        if (p.def)
        {
            continue;
        }
        Ptr<AttributeValue> value = NewValue(p);
        std::string text;
        FieldToValue(p, base, *value);
        ValueToText(p, *value, text);
        std::vector<std::max_align_t> scratch(table.struct_size / sizeof(std::max_align_t) + 1);
        if (IsUnset(p, text) &&
            (text.empty() ||
             weft_params_set(&table, scratch.data(), p.name, text.c_str(), nullptr) != 0))
        {
            return weft_err_set(err,
                                WEFT_E_INPUT,
                                "attribute %s must be set: %s",
                                WeftCamelCase(p.name).c_str(),
                                p.help ? p.help : "");
        }
    }
    return 0;
}

} // namespace ns3
