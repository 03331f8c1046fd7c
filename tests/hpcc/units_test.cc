// SPDX-License-Identifier: GPL-2.0-only
// Units of an HPCC configuration: with another unit the completion times are not the reference's.
// That the right ones are is DeterministicCasesAreTheReferenceToTheNanosecond.
#include "tests/cli/program.h"

#include "files.h"

#include <ostream>

namespace
{

/* What stands in a reference's configuration, and the same in another unit or by another factor. */
struct Other {
    const char *reference, *key, *value;
};

void PrintTo(const Other &o, std::ostream *out)
{
    *out << o.reference << " " << o.key;
}

std::vector<std::string> times(const std::string &file)
{
    std::ifstream in(file);
    std::vector<std::string> all;
    for (std::string line, field; std::getline(in, line);) {
        std::istringstream fields(line);
        for (int i = 0; i < 7; i++)
            fields >> field;
        all.push_back(field);
    }
    std::sort(all.begin(), all.end());
    return all;
}

class HpccUnits : public ::testing::TestWithParam<Other>
{
};

} // namespace

TEST_P(HpccUnits, AnotherIsNotTheReference)
{
    NEEDS_SHARED_DATA();
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    const Other &o = GetParam();
    const std::string ref = shared_data() + "/reference/" + o.reference;
    const std::string set = std::string(o.key) + "=" + o.value;
    const Said ran =
        weft({"hpcc", ref + "/config.txt", "--compat", "-q", "--set", set, "--out", "o"}, dir / "");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(times(dir / "o/fct.txt"), times(ref + "/fct.txt"));
}

INSTANTIATE_TEST_SUITE_P(
    Of, HpccUnits,
    ::testing::Values(Other{"r2_incast2_1MB_dcqcn", "ALPHA_RESUME_INTERVAL", "1000"},
                      Other{"r2_incast2_1MB_dcqcn", "RATE_DECREASE_INTERVAL", "4000"},
                      Other{"r2_incast2_1MB_dcqcn", "RP_TIMER", "0.3"},
                      Other{"r2_incast2_1MB_dcqcn", "EWMA_GAIN", "0.0625"},
                      Other{"r2_incast2_1MB_dcqcn", "KMIN_MAP", "1 100000000000 410"},
                      Other{"r2_incast2_1MB_dcqcn", "KMAX_MAP", "1 100000000000 1638"},
                      Other{"r2_incast2_1MB_dcqcn", "PMAX_MAP", "1 100000000000 0.4"},
                      Other{"r2_incast8_1MB_dctcp", "DCTCP_RATE_AI", "615MB/s"},
                      Other{"r2_incast8_1MB_hpcc", "RATE_AI", "40MB/s"},
                      Other{"r2_incast8_1MB_hpcc", "U_TARGET", "0.9"},
                      Other{"r2_incast8_1MB_hpcc", "MI_THRESH", "5"},
                      Other{"r2_incast8_1MB_hpcc", "INT_MULTI", "1"},
                      Other{"r2_incast8_1MB_pint", "PINT_LOG_BASE", "1.05"},
                      Other{"r2_incast8_1MB_pint", "PINT_PROB", "0.5"},
                      Other{"r4_ft4_websearch_64flows_timely", "RATE_HAI", "500MB/s"},
                      Other{"r4_ft4_websearch_64flows_timely", "MIN_RATE", "1000MB/s"},
                      Other{"r5_ft4_incast15_1MB_buf1MB_dctcp", "BUFFER_SIZE", "2"},
                      Other{"r2_incast8_1MB_timely", "PACKET_PAYLOAD_SIZE", "1048"}));
