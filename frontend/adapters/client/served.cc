/* SPDX-License-Identifier: MIT */
/*
 * Networks of adapters that talk to a process of `weft serve`: fabric.hh. The program is $WEFT, or
 * weft in PATH. Posts are sent with the next run, so that one round trip serves many.
 */
#include "fabric.hh"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace WeftAdapters
{

namespace
{

/* The value behind "key": in an answer, whose keys do not occur in its texts before it. */
const char *member(const char *answer, const char *key)
{
    const std::string quoted = std::string("\"") + key + "\":";
    const char *at = std::strstr(answer, quoted.c_str());
    return at ? at + quoted.size() : nullptr;
}

/* The text that begins with the quote at @p at, which comes to its end. */
std::string text(const char *&at)
{
    std::string t;
    for (at++; *at && *at != '"'; at++) {
        if (*at != '\\') {
            t += *at;
        } else if (*++at == 'u') { /* control characters alone are written so */
            t += static_cast<char>(std::strtoul(std::string(at + 1, 4).c_str(), nullptr, 16));
            at += 4;
        } else {
            t += *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
        }
    }
    at += *at == '"';
    return t;
}

std::string quoted(const std::string &t)
{
    std::string q = "\"";
    for (const char c : t) {
        if (static_cast<unsigned char>(c) < ' ')
            throw std::runtime_error("a control character in '" + t + "'");
        if (c == '"' || c == '\\')
            q += '\\';
        q += c;
    }
    return q + '"';
}

const struct {
    Kind kind;
    const char *name;
} kKinds[] = {{Started, "started"},           {Sent, "sent"},       {Delivered, "delivered"},
              {Acknowledged, "acknowledged"}, {Matched, "matched"}, {Timer, "timer"}};

class ServedNetwork : public Network
{
  public:
    explicit ServedNetwork(const Options &o)
    {
        Start();
        std::string request = "{\"verb\":\"open\",\"settings\":[", comma;
        for (const std::string &s : o.settings) {
            request += comma + quoted(s);
            comma = ",";
        }
        request += "],\"events\":[";
        comma = "";
        for (const auto &k : kKinds)
            if (o.kinds & k.kind) {
                request += comma + '"' + k.name + '"';
                comma = ",";
            }
        request += "]";
        if (o.kinds & Matched)
            request += ",\"receives\":true";
        if (!o.scenario.empty())
            request += ",\"scenario\":" + quoted(o.scenario);
        try {
            m_hosts = static_cast<uint32_t>(
                std::strtoul(Member(Ask(request + "}"), "hosts"), nullptr, 10));
        } catch (...) {
            End();
            throw;
        }
    }
    ~ServedNetwork() override
    {
        End();
    }
    ServedNetwork(const ServedNetwork &) = delete;
    ServedNetwork &operator=(const ServedNetwork &) = delete;

    uint32_t Hosts() const override
    {
        return m_hosts;
    }
    int64_t NowPs() const override
    {
        return m_now;
    }
    void Send(const Message &m, uint64_t user) override
    {
        Post(0, "{\"src\":" + std::to_string(m.src) + ",\"dst\":" + std::to_string(m.dst) +
                    ",\"bytes\":" + std::to_string(m.bytes) + ",\"tag\":\"" +
                    std::to_string(m.tag) + "\",\"user\":" + std::to_string(user) + "}");
    }
    void Schedule(int64_t delayPs, uint64_t user) override
    {
        Post(1, "{\"delay_ps\":" + std::to_string(delayPs) + ",\"user\":" + std::to_string(user) +
                    "}");
    }
    void Receive(uint32_t dst, uint32_t src, uint64_t tag, uint64_t user) override
    {
        Post(2, "{\"dst\":" + std::to_string(dst) + ",\"src\":" + std::to_string(src) +
                    ",\"tag\":\"" + std::to_string(tag) + "\",\"user\":" + std::to_string(user) +
                    "}");
    }
    void Run(int64_t untilPs, std::vector<Happening> &out) override
    {
        Flush();
        std::string request = "{\"verb\":\"run\",\"stop\":\"event\"";
        if (untilPs != kNeverPs)
            request += ",\"until_ps\":" + std::to_string(untilPs);
        const char *answer = Ask(request + "}");
        m_now = std::strtoll(Member(answer, "now_ps"), nullptr, 10);
        for (const char *at = Member(answer, "events"); (at = member(at, "kind"));) {
            const std::string name = text(at);
            const char *const end = std::strchr(at, '}'), *const user = member(at, "user");
            Happening h = {};
            for (const auto &k : kKinds)
                h.kind = name == k.name ? static_cast<uint32_t>(k.kind) : h.kind;
            if (user && user < end)
                h.user = std::strtoull(user, nullptr, 10);
            out.push_back(h);
        }
    }
    std::vector<std::string> Explain() override
    {
        std::vector<std::string> open;
        Flush();
        const char *at = Member(Ask("{\"verb\":\"explain\"}"), "sentences");
        while (*at && *++at == '"') /* behind '[' or ',' */
            open.push_back(text(at));
        return open;
    }

  private:
    void Start()
    {
        const char *const given = std::getenv("WEFT"), *const program = given ? given : "weft";
        int to[2], from[2];
        std::signal(SIGPIPE, SIG_IGN); /* an end of weft serve is an error of Ask() */
        if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
            throw std::runtime_error("no pipe to weft serve");
        m_pid = fork();
        if (m_pid == 0) {
            dup2(to[0], 0);
            dup2(from[1], 1);
            execlp(program, program, "serve", static_cast<char *>(nullptr));
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        m_to = fdopen(to[1], "w");
        m_from = fdopen(from[0], "r");
    }
    void End()
    {
        std::fclose(m_to);
        std::fclose(m_from);
        waitpid(m_pid, nullptr, 0);
        std::free(m_line);
    }
    /* Numbers are given to messages, timers and receives in this order within a request. */
    void Post(int kind, const std::string &object)
    {
        static const char *const lists[] = {"messages", "timers", "receives"};
        if (kind < m_kind || m_posts.size() > 500000)
            Flush();
        if (kind != m_kind)
            m_posts += std::string(m_kind < 0 ? "{\"verb\":\"post\",\"" : "],\"") + lists[kind] +
                       "\":[" + object;
        else
            m_posts += "," + object;
        m_kind = kind;
    }
    void Flush()
    {
        if (m_kind < 0)
            return;
        m_kind = -1;
        const std::string posts = m_posts + "]}";
        m_posts.clear();
        Ask(posts);
    }
    /* An answer, valid until the next. */
    const char *Ask(const std::string &request)
    {
        const bool written = std::fputs((request + "\n").c_str(), m_to) >= 0 && !std::fflush(m_to);
        if (!written || getline(&m_line, &m_cap, m_from) <= 0)
            throw std::runtime_error("weft serve has ended; is weft in PATH, or $WEFT set?");
        if (std::strncmp(m_line, "{\"ok\":true", 10) != 0) {
            const char *why = member(m_line, "text");
            throw std::runtime_error(why ? text(why) : std::string(m_line));
        }
        return m_line;
    }
    static const char *Member(const char *answer, const char *key)
    {
        const char *const at = member(answer, key);
        if (!at)
            throw std::runtime_error(std::string("weft serve does not say '") + key + "'");
        return at;
    }

    uint32_t m_hosts{0};
    int64_t m_now{0};
    int m_kind{-1};        //!< Kind of what was posted last; -1: nothing waits.
    std::string m_posts;   //!< A request, without its end.
    pid_t m_pid{0};        //!< Of weft serve.
    FILE *m_to{nullptr};   //!< Its input.
    FILE *m_from{nullptr}; //!< Its output.
    char *m_line{nullptr}; //!< Its last answer.
    size_t m_cap{0};       //!< Memory of it.
};

} // namespace

std::unique_ptr<Network> OpenNetwork(const Options &options)
{
    return std::make_unique<ServedNetwork>(options);
}

} // namespace WeftAdapters
