/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-params.h"

#include "base/scale.h"
#include "weft-choice.h"
#include "weft-param-values.h"

#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/object-base.h"

#include <cctype>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftParams");

namespace
{

/**
 * @param p a parameter
 * @param text a value as WeftValueToText writes it
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
        if (!WeftValueToText(m_param, value, text))
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
        return WeftValueTypeName(m_param);
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        std::string info = weft_param_type_name(m_param.type);
        if (m_param.min || m_param.max)
        {
            info += std::string(" ") + (m_param.min ? m_param.min : "") + ":" +
                    (m_param.max ? m_param.max : "");
        }
        return info;
    }

    Ptr<AttributeValue> Create() const override
    {
        return WeftNewValue(m_param);
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        return WeftCopyValue(m_param, source, destination);
    }

  private:
    const weft_param_table& m_table; //!< The table.
    const weft_param& m_param;       //!< Its entry.
};

/**
 * @param table a table
 * @param p an entry of it
 * @return what checks attribute values against it
 */
Ptr<const AttributeChecker>
MakeParamChecker(const weft_param_table& table, const weft_param& p)
{
    if (p.type == WEFT_PARAM_ENUM)
    {
        return WeftMakeChoiceChecker(WeftSplitChoices(p.choices));
    }
    return Ptr<const AttributeChecker>(new ParamChecker(table, p), false);
}

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
        if (!holder || !WeftValueToText(m_param, value, text))
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
        return holder &&
               WeftFieldToValue(m_param,
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
    NS_LOG_FUNCTION(this << name << value);
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
        Ptr<AttributeValue> initial = WeftNewValue(p);
        WeftFieldToValue(p, defaults.data(), *initial);
        tid.AddAttribute(prefix + WeftCamelCase(p.name),
                         help,
                         *initial,
                         Ptr<const AttributeAccessor>(new ParamAccessor(table, p), false),
                         MakeParamChecker(table, p));
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
        Ptr<AttributeValue> value = WeftNewValue(p);
        std::string text;
        WeftFieldToValue(p, base, *value);
        WeftValueToText(p, *value, text);
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
