/* SPDX-License-Identifier: GPL-2.0-only */
/* Colours are for terminals. */
#include "program.h"

namespace
{

/* What `weft args...` writes with a terminal as its standard error. */
std::string on_terminal(const std::string &args)
{
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return "no terminal";
    const std::string name = ptsname(master);
    const int slave = open(name.c_str(), O_RDWR | O_NOCTTY); /* stays open until all is read */
    const std::string exe = env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/weft";
    EXPECT_NE(system((args + " '" + exe + "' run /nowhere 2>" + name).c_str()), 0);
    char buf[4096];
    const ssize_t n = read(master, buf, sizeof buf);
    close(slave);
    close(master);
    return std::string(buf, n > 0 ? (size_t)n : 0);
}

TEST(Terminal, ErrorsAreColouredThereOnly)
{
    const std::string there = on_terminal("TERM=xterm NO_COLOR=");
    if (there == "no terminal")
        GTEST_SKIP() << there;
    EXPECT_CONTAINS(there, "\033[1;31merror:\033[0m");
    EXPECT_LACKS(on_terminal("TERM=dumb NO_COLOR="), "\033");
    EXPECT_LACKS(on_terminal("TERM=xterm NO_COLOR=1"), "\033");
    const Said s = weft({"run", "/nowhere"});
    EXPECT_CONTAINS(s.err, "error:");
    EXPECT_LACKS(s.err, "\033");
}

} // namespace
