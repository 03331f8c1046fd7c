/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of programs that are built of ASTRA-sim's system layer and weft: those of ASTRA-sim's
 * other backends, --logical-dims, and --weft-set KEY=VALUE. */
#ifndef WEFT_ADAPTERS_ASTRA_SIM_ARGUMENTS_HH
#define WEFT_ADAPTERS_ASTRA_SIM_ARGUMENTS_HH

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace WeftAdapters
{

/** Options by their names without dashes, with their values or defaults. */
struct Arguments {
    std::map<std::string, std::string> text;
    std::vector<std::string> settings; //!< Of weft, "KEY=VALUE".

    const std::string &operator[](const char *name) const
    {
        return text.at(name);
    }
};

/** The options that all these programs take, and @p more.
 * @throw std::runtime_error an option is none of them */
Arguments ParseArguments(int argc, const char *const *argv,
                         const std::map<std::string, std::string> &more);

/** Sizes of the dimensions of the ranks: of --logical-dims ("4x4"), of
 * --logical-topology-configuration (logical-dims), of ASTRA-sim's network file (npus_count), or one
 * of all hosts.
 * @throw std::runtime_error there are not as many hosts */
std::vector<int> Dimensions(const Arguments &arguments, uint32_t hosts);

} // namespace WeftAdapters

#endif
