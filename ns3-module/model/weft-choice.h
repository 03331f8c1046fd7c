/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_CHOICE_H
#define WEFT_CHOICE_H

/**
 * @file
 * @ingroup weft
 * Attributes whose value is one of some words: EnumValues, as ns-3's own.
 *
 * EnumValue became a template in 3.41. Here its values are the numbers 0, 1, 2 ... of the words, as
 * those of the C enums that parameters are made of, and its type has the name WeftEnumValue in
 * every release. A StringValue with the word does as well.
 */

#include "ns3/attribute.h"
#include "ns3/enum.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * EnumValue up to 3.40, EnumValue<int> since 3.41.
 */
using WeftEnumValue = decltype(EnumValue(0));

/**
 * @ingroup weft
 * An EnumValue that refuses words that are none, whether or not ns-3's assertions are compiled in,
 * and says which there are.
 */
class WeftChoiceValue : public WeftEnumValue
{
  public:
    /**
     * @param choice number of the word
     */
    explicit WeftChoiceValue(int choice = 0);

    // Inherited
    Ptr<AttributeValue> Copy() const override;
    bool DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker) override;
};

/**
 * @param words the words of an attribute
 * @return its checker, an EnumChecker
 */
Ptr<const AttributeChecker> WeftMakeChoiceChecker(const std::vector<std::string>& words);

/**
 * @param text words joined by '|'
 * @return the words
 */
std::vector<std::string> WeftSplitChoices(const std::string& text);

} // namespace ns3

#endif /* WEFT_CHOICE_H */
