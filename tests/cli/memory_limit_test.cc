// SPDX-License-Identifier: GPL-2.0-only
// Runs where addresses are limited, as batch systems do (h_vmem, pvmem).
#include "program.h"

#include <sys/resource.h>

namespace
{

/* For the programs that this one starts meanwhile. */
class AddressLimit
{
  public:
    explicit AddressLimit(rlim_t kib)
    {
        getrlimit(RLIMIT_AS, &before_);
        const rlimit less = {kib * 1024, before_.rlim_max};
        EXPECT_EQ(setrlimit(RLIMIT_AS, &less), 0);
    }
    ~AddressLimit()
    {
        setrlimit(RLIMIT_AS, &before_);
    }

  private:
    rlimit before_;
};

const char *Impossible()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return "sanitizers map terabytes";
#else
    return has_packet() ? nullptr : "needs the packet backend";
#endif
}

/* What the main scenario says and writes. */
std::string Main(const std::vector<std::string> &more, const std::string &out)
{
    std::vector<std::string> args = {"run", source_dir() + "/scenarios/allreduce-clos16", "--out",
                                     out};
    args.insert(args.end(), more.begin(), more.end());
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    return slurp(out + "/flows.csv") + slurp(out + "/links.csv");
}

} // namespace

TEST(MemoryLimit, TheMainScenarioRunsInAGigabyteOfAddresses)
{
    if (const char *why = Impossible())
        GTEST_SKIP() << why;
    TempDir dir;
    for (const char *cc : {"dcqcn", "hpcc"})
        for (const char *threads : {"1", "2"}) {
            const std::vector<std::string> sets = {"--set",
                                                   std::string("congestion-control.name=") + cc,
                                                   "--set", std::string("run.threads=") + threads};
            const std::string name = std::string(cc) + threads;
            const std::string free = Main(sets, dir / ("free" + name));
            const AddressLimit limit(1000000);
            EXPECT_EQ(Main(sets, dir / ("limited" + name)), free) << name;
            EXPECT_GT(free.size(), 1000u);
        }
}

TEST(MemoryLimit, TooSmallALimitIsNamed)
{
    if (const char *why = Impossible())
        GTEST_SKIP() << why;
    TempDir dir;
    const AddressLimit limit(20000);
    const Said s = weft({"run", source_dir() + "/scenarios/allreduce-clos16", "--out", dir / "a"});
    EXPECT_NE(s.code, 0);
    EXPECT_NE(s.err.find("; ulimit -v 20000 allows 20.48 MB; this process has "), std::string::npos)
        << s.err;
}
