/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-choice.h"

#include "ns3/fatal-error.h"
#include "ns3/log.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftChoice");

namespace
{

/**
 * @ingroup weft
 * @tparam CHECKER EnumChecker, by the name that it has in this release
 */
template <typename CHECKER>
class ChoiceChecker : public CHECKER
{
  public:
    /**
     * @param words the words
     */
    explicit ChoiceChecker(const std::vector<std::string>& words)
    {
        for (std::size_t i = 0; i < words.size(); i++)
        {
            this->Add(static_cast<int>(i), words[i]);
        }
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<WeftChoiceValue>();
    }
};

/**
 * @ingroup weft
 * Turns into a checker of the type that MakeEnumChecker wants. Only there is a name for that type
 * that is the same in all releases.
 */
struct ChoiceCheckerMaker
{
    const std::vector<std::string>& words; //!< The words.

    /**
     * @return the checker
     * @tparam CHECKER EnumChecker or EnumChecker<int>
     */
    template <typename CHECKER>
    operator Ptr<CHECKER>() const
    {
        return Create<ChoiceChecker<CHECKER>>(words);
    }
};

/**
 * @param maker makes the checker
 * @return it, since 3.41
 */
template <typename MAKER>
auto
MakeChecker(const MAKER& maker, int /* preferred */) -> decltype(MakeEnumChecker<int>(maker))
{
    return MakeEnumChecker<int>(maker);
}

/**
 * @param maker makes the checker
 * @return it, up to 3.40
 */
template <typename MAKER>
auto
MakeChecker(const MAKER& maker, long /* else */) -> decltype(MakeEnumChecker(maker))
{
    return MakeEnumChecker(maker);
}

} // namespace

WeftChoiceValue::WeftChoiceValue(int choice)
    : WeftEnumValue(choice)
{
    NS_LOG_FUNCTION(this << choice);
}

Ptr<AttributeValue>
WeftChoiceValue::Copy() const
{
    NS_LOG_FUNCTION(this);
    return Create<WeftChoiceValue>(*this);
}

bool
WeftChoiceValue::DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker)
{
    NS_LOG_FUNCTION(this << value << checker);
    const std::string choices = checker->GetUnderlyingTypeInformation();
    const std::vector<std::string> words = WeftSplitChoices(choices);
    const auto at = std::find(words.begin(), words.end(), value);
    if (at == words.end())
    {
        NS_FATAL_ERROR_CONT("weft: '" << value << "' is none of the choices " << choices);
        return false;
    }
    Set(static_cast<int>(at - words.begin()));
    return true;
}

Ptr<const AttributeChecker>
WeftMakeChoiceChecker(const std::vector<std::string>& words)
{
    return MakeChecker(ChoiceCheckerMaker{words}, 0);
}

std::vector<std::string>
WeftSplitChoices(const std::string& text)
{
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, '|');)
    {
        words.push_back(word);
    }
    return words;
}

} // namespace ns3
