// SPDX-License-Identifier: GPL-2.0-only
// What can be set, as `weft list` and `weft show` say it: a new plug-in or parameter takes part by
// itself.
#ifndef WEFT_TESTS_CAMPAIGN_TABLES_H
#define WEFT_TESTS_CAMPAIGN_TABLES_H

#include "draw.h"

#include <map>
#include <string>
#include <vector>

struct Param {
    std::string name, type, dflt, min, max, help;
    std::vector<std::string> choices;
};

class Tables
{
  public:
    Tables(const std::string &weft, const std::string &dir) : m_weft(weft), m_dir(dir) {}
    /* Names that `weft list WHAT` prints. */
    const std::vector<std::string> &names(const std::string &what);
    /* Names of the shipped topologies. */
    const std::vector<std::string> &presets();
    /* Parameters that `weft show WHAT NAME` prints: of a section, cc, topology, ... */
    const std::vector<Param> &params(const std::string &what, const std::string &name);
    /* One of them. Ends the program when there is none. */
    const Param &param(const std::string &what, const std::string &name, const std::string &key);
    /* Collectives that an algorithm does, as its refusal of another says; empty: it says nothing
     * about it. */
    const std::vector<std::string> &offers(const std::string &algorithm);

  private:
    std::string ask(const std::vector<std::string> &args);
    std::string m_weft, m_dir;
    std::map<std::string, std::vector<std::string>> m_names, m_offers;
    std::map<std::string, std::vector<Param>> m_params;
};

/* A value of this parameter: an end of its range, its default, something in between of any
 * magnitude. Empty: free text, which has no general value. */
std::string any_value(Draw &d, const Param &p);
/* The same for numbers, but at most @p most. */
std::string any_count(Draw &d, const Param &p, uint64_t most);

#endif
