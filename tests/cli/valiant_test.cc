// SPDX-License-Identifier: GPL-2.0-only
// Ways round a fabric where hosts are linked to each other and do not forward.
#include "program.h"

namespace
{

/* From host 0 to host 1 the switch costs as much as the link between them: a packet that goes round
 * by way of host 1 must not take the link, since host 1 does not pass it on. */
TEST(Valiant, HostsThatDoNotForwardAreNoWayRound)
{
    TempDir dir;
    write_file(dir / "fabric.xml",
               "<topology routing=\"shortest\">\n"
               "<nodes kind=\"host\" count=\"4\"/>\n"
               "<nodes kind=\"switch\" count=\"2\"/>\n"
               "<link a=\"4\" b=\"5\" rate=\"100Gbps\" delay=\"1us\"/>\n"
               "<link a=\"4\" b=\"5\" rate=\"100Gbps\" delay=\"1us\"/>\n"
               "<link a=\"0\" b=\"4\" rate=\"100Gbps\" delay=\"1us\" cost=\"2\"/>\n"
               "<link a=\"1\" b=\"4\" rate=\"100Gbps\" delay=\"1us\"/>\n"
               "<link a=\"0\" b=\"1\" rate=\"100Gbps\" delay=\"1us\" cost=\"3\"/>\n"
               "<link a=\"2\" b=\"5\" rate=\"100Gbps\" delay=\"1us\"/>\n"
               "<link a=\"3\" b=\"5\" rate=\"100Gbps\" delay=\"1us\"/>\n"
               "</topology>\n");
    const Said s = weft({"run",   "--no-out",
                         "--set", "topology.type=xml",
                         "--set", "xml.file=" + (dir / "fabric.xml"),
                         "--set", "workload.type=generate",
                         "--set", "generate.kind=all-to-all",
                         "--set", "generate.size=1MiB",
                         "--set", "switch.balance=valiant",
                         "--set", "transport.recovery=out-of-order",
                         "--set", "congestion-control.name=none",
                         "--set", "pfc.allow-deadlock=true"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "0 drops, 0 retransmitted packets");
}

} // namespace
