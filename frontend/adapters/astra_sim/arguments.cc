/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of programs of ASTRA-sim's system layer and weft: arguments.hh. */
#include "arguments.hh"

#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace WeftAdapters
{

namespace
{

/* The numbers in @p text up to a ']'. */
std::vector<int> numbers(const std::string &text)
{
    std::vector<int> found;
    bool inside = false;
    for (const char c : text) {
        if (c == ']')
            break;
        if (!std::isdigit(static_cast<unsigned char>(c))) {
            inside = false;
            continue;
        }
        if (!inside)
            found.push_back(0);
        inside = true;
        found.back() = found.back() * 10 + (c - '0');
    }
    return found;
}

/* The list of numbers behind @p key in a file; empty: it has none. */
std::vector<int> listed(const std::string &file, const std::string &key)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    const size_t at = text.str().find(key);
    return at == std::string::npos ? std::vector<int>() : numbers(text.str().substr(at));
}

} // namespace

Arguments ParseArguments(int argc, const char *const *argv,
                         const std::map<std::string, std::string> &more)
{
    Arguments o;
    o.text = {{"workload-configuration", ""},
              {"system-configuration", ""},
              {"network-configuration", ""},
              {"comm-group-configuration", "empty"},
              {"logical-topology-configuration", ""},
              {"logging-configuration", "empty"},
              {"logging-folder", "log"},
              {"num-queues-per-dim", "1"},
              {"comm-scale", "1"},
              {"injection-scale", "1"},
              {"rendezvous-protocol", "false"},
              {"logical-dims", ""},
              {"sent", "acknowledged"}};
    o.text.insert(more.begin(), more.end());
    for (int i = 1; i < argc; i++) { /* --NAME VALUE or --NAME=VALUE */
        std::string name = argv[i];
        if (name.compare(0, 2, "--") != 0)
            throw std::runtime_error("unknown argument '" + name + "'");
        name.erase(0, 2);
        const size_t equals = name.find('=');
        std::string value;
        if (equals != std::string::npos) {
            value = name.substr(equals + 1);
            name.erase(equals);
        } else if (i + 1 < argc) {
            value = argv[++i];
        }
        if (name == "weft-set")
            o.settings.push_back(value);
        else if (o.text.count(name))
            o.text[name] = value;
        else
            throw std::runtime_error("unknown option --" + name);
    }
    return o;
}

std::vector<int> Dimensions(const Arguments &arguments, uint32_t hosts)
{
    std::vector<int> dims = numbers(arguments["logical-dims"]);
    if (dims.empty())
        dims = listed(arguments["logical-topology-configuration"], "logical-dims");
    if (dims.empty())
        dims = listed(arguments["network-configuration"], "npus_count");
    if (dims.empty())
        dims = {static_cast<int>(hosts)};
    int64_t ranks = 1;
    for (int d : dims)
        ranks *= d;
    if (ranks < 1 || ranks > hosts)
        throw std::runtime_error("the dimensions have " + std::to_string(ranks) +
                                 " ranks, and the network " + std::to_string(hosts) + " hosts");
    return dims;
}

} // namespace WeftAdapters
