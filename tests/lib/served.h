/* SPDX-License-Identifier: GPL-2.0-only */
/* A process of weft serve with pipes to it. */
#ifndef WEFT_TESTS_LIB_SERVED_H
#define WEFT_TESTS_LIB_SERVED_H

#include "tests/cli/program.h"

#include <string>
#include <vector>

class Served
{
  public:
    explicit Served(std::vector<std::string> args)
    {
        int to[2], from[2];
        if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
            abort();
        args.insert(args.begin(), "serve");
        const std::string exe = env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/weft";
        std::vector<char *> argv = {const_cast<char *>("weft")};
        for (const std::string &a : args)
            argv.push_back(const_cast<char *>(a.c_str()));
        argv.push_back(nullptr);
        pid = fork();
        if (pid == 0) {
            const int null = open("/dev/null", O_WRONLY);
            if (dup2(to[0], 0) < 0 || dup2(from[1], 1) < 0 || dup2(null, 2) < 0)
                _exit(99);
            execv(exe.c_str(), argv.data());
            _exit(98);
        }
        close(to[0]);
        close(from[1]);
        in = to[1];
        out = fdopen(from[0], "r");
    }
    ~Served()
    {
        Close();
    }
    Served(const Served &) = delete;
    Served &operator=(const Served &) = delete;

    void Write(const std::string &text)
    {
        EXPECT_EQ(write(in, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    std::string Ask(const std::string &request)
    {
        char *line = nullptr;
        size_t cap = 0;
        Write(request + "\n");
        const ssize_t n = getline(&line, &cap, out);
        const std::string answer(n > 0 ? line : "", n > 0 ? static_cast<size_t>(n) : 0);
        free(line);
        return answer;
    }
    void CloseAnswers()
    {
        if (out)
            fclose(out);
        out = nullptr;
    }
    /* Ends as a client does; its exit code. */
    int Close()
    {
        int status = 0;
        if (pid == 0)
            return code;
        close(in);
        waitpid(pid, &status, 0);
        CloseAnswers();
        pid = 0;
        return code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }

  private:
    pid_t pid = 0;
    int in = -1, code = -1;
    FILE *out = nullptr;
};

#endif
