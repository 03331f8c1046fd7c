// SPDX-License-Identifier: GPL-2.0-only
// What must hold of every run, whatever was drawn. Each check adds to the findings what does not.
#ifndef WEFT_TESTS_CAMPAIGN_CHECKS_H
#define WEFT_TESTS_CAMPAIGN_CHECKS_H

#include "process.h"
#include "results.h"
#include "scenario.h"

#include <string>
#include <vector>

struct Finding {
    std::string kind, text;
};

class Findings
{
  public:
    void add(const std::string &kind, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    const std::vector<Finding> &all() const
    {
        return m_all;
    }

  private:
    std::vector<Finding> m_all;
};

/* It ended by itself with 0, 1 and a diagnosis, or 3 and a refusal that a user can understand. */
void check_ending(const std::string &mode, const Ended &e, Findings &f);
/* Why exit code 3, as a short name of what was refused; empty: nothing known. */
std::string refusal(const std::string &stderr_text);

/* Files agree with each other and with the summary. */
void check_sums(const Scenario &s, const Results &r, bool finished, Findings &f);
/* Links carry what they say, and what came to each node left it again or stayed. */
void check_links(const Scenario &s, const Results &r, bool finished, Findings &f);
/* No message is faster than light and its links. */
void check_physics(const Scenario &s, const Results &r, Findings &f);
/* Two runs of one scenario: the same bytes. */
void check_same(const std::string &mode, const Ended &a, const std::string &folder_a,
                const Ended &b, const std::string &folder_b, Findings &f);
/* Folder @p folder_b, of a run with a tolerance that says that what it skipped leaves no trace, has
 * the messages and operations of @p folder_a. */
void check_traceless(const std::string &folder_a, const std::string &folder_b, Findings &f);
/* What their run.json sum up, but for what is the machine's. */
void check_same_summary(const std::string &mode, const std::string &folder_a,
                        const std::string &folder_b, Findings &f);
/* The backend without packets has the same messages. */
void check_ideal(const Results &packet, const Results &ideal, Findings &f);

#endif
