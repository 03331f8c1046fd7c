/* SPDX-License-Identifier: GPL-2.0-only */
/* weft serve as a process: pipes, sockets, clients that go. */
#include "served.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace
{

const std::string kOpen = R"({"verb":"open","settings":["topology.type=single-switch"]})";

TEST(ServeProgram, AClientThatGoesEndsIt)
{
    for (const std::string &half : {std::string(), std::string("{\"verb\":"), kOpen + "\n{"}) {
        Served s({});
        s.Write(half);
        EXPECT_EQ(s.Close(), half.empty() ? 0 : 3) << half;
    }
    Served s({});
    EXPECT_NE(s.Ask(kOpen).find("\"ok\":true"), std::string::npos);
    EXPECT_EQ(s.Close(), 0);
}

TEST(ServeProgram, NobodyReadsTheAnswers)
{
    Served s({});
    s.CloseAnswers();
    s.Write(kOpen + "\n");
    EXPECT_EQ(s.Close(), 4);
}

TEST(ServeProgram, ScenarioAndSettingsOfTheProgramHold)
{
    Served s({"--set", "topology.type=single-switch", "--set", "single-switch.hosts=3"});
    EXPECT_NE(s.Ask(R"({"verb":"open"})").find("\"hosts\":3"), std::string::npos);
    s.Ask(R"({"verb":"close"})");
    EXPECT_NE(s.Ask(R"({"verb":"open","settings":["single-switch.hosts=5"]})").find("\"hosts\":5"),
              std::string::npos);
    EXPECT_EQ(weft({"serve", "--frame", "1B"}).code, 2);
    EXPECT_EQ(weft({"serve", "a", "b"}).code, 2);
    EXPECT_EQ(weft({"serve", "no-such-scenario"}).code, 4);
}

int connected(const std::string &path)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int i = 0; i < 200; i++) {
        if (connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0)
            return fd;
        usleep(20000);
    }
    close(fd);
    return -1;
}

std::string ask(int fd, const std::string &request)
{
    std::string answer;
    char c;
    const std::string line = request + "\n";
    if (write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        return "";
    while (read(fd, &c, 1) == 1 && c != '\n')
        answer += c;
    return answer;
}

TEST(ServeProgram, ClientsOfASocketDoNotDisturbEachOther)
{
    TempDir dir;
    const std::string path = dir / "socket";
    const pid_t pid = start({"serve", "--socket", path}, "/", dir / "said");
    const int a = connected(path), b = connected(path);
    ASSERT_GE(a, 0);
    EXPECT_NE(ask(a, kOpen).find("\"ok\":true"), std::string::npos);
    EXPECT_NE(ask(b, kOpen).find("\"ok\":true"), std::string::npos);
    ask(a, R"({"verb":"post","messages":[{"src":0,"dst":1,"bytes":5000}]})");
    EXPECT_EQ(write(b, "{", 1), 1);
    close(b); /* as when it is killed */
    EXPECT_NE(ask(a, R"({"verb":"run"})").find("\"delivered\""), std::string::npos);
    const int c = connected(path);
    EXPECT_NE(ask(c, kOpen).find("\"ok\":true"), std::string::npos);
    close(a);
    close(c);
    kill(pid, SIGTERM);
    EXPECT_EQ(wait_for(pid, dir / "said").code, 0);
    EXPECT_NE(access(path.c_str(), F_OK), 0); /* it takes its socket away */
}

} // namespace
