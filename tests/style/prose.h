/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How hard a Markdown page is to read: words per sentence, the share of long sentences, and the
 * share of sentences that begin with a pronoun or a relative clause.
 *
 * A sentence ends at . ! ? or : before a blank and a capital, at the end of a list item and at the
 * end of a paragraph. Code blocks, tables, headings and pictures are no prose; a code span is one
 * word. Sentences of one word do not count.
 */
#ifndef WEFT_TESTS_STYLE_PROSE_H
#define WEFT_TESTS_STYLE_PROSE_H

#include "source_tree.h"

#include <cstring>
#include <set>

struct Sentence {
    size_t line; /* of the block that it is in, from 1 */
    size_t words;
    std::string text;
    bool vague; /* begins without a noun */
};

struct Prose {
    size_t words = 0, sentences = 0, over_30 = 0, vague = 0;
    double mean() const
    {
        return sentences ? double(words) / double(sentences) : 0;
    }
    double over_30_pct() const
    {
        return sentences ? 100.0 * double(over_30) / double(sentences) : 0;
    }
    double vague_pct() const
    {
        return sentences ? 100.0 * double(vague) / double(sentences) : 0;
    }
};

/* A paragraph or list item. */
struct TextBlock {
    size_t line;
    std::string text;
};

inline bool is_blank_char(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

inline std::string stripped(const std::string &s)
{
    size_t a = 0, b = s.size();
    while (a < b && is_blank_char(s[a]))
        a++;
    while (b > a && is_blank_char(s[b - 1]))
        b--;
    return s.substr(a, b - a);
}

inline bool begins_with(const std::string &s, const std::string &with, size_t at = 0)
{
    return s.compare(at, with.size(), with) == 0;
}

/* The length of a list marker with the blanks after it, 0 where there is none. */
inline size_t list_marker(const std::string &s)
{
    size_t n = 0;
    if (!s.empty() && (s[0] == '-' || s[0] == '*' || s[0] == '+'))
        n = 1;
    else {
        while (n < s.size() && isdigit(static_cast<unsigned char>(s[n])))
            n++;
        n = n && n < s.size() && s[n] == '.' ? n + 1 : 0;
    }
    const size_t end = n;
    while (n && n < s.size() && is_blank_char(s[n]))
        n++;
    return n > end ? n : 0;
}

inline std::vector<TextBlock> text_blocks(const std::string &page)
{
    std::vector<TextBlock> out;
    std::string text;
    size_t first = 0, n = 0;
    bool code = false;
    const auto flush = [&] {
        if (!text.empty())
            out.push_back({first, text});
        text.clear();
    };
    for (const std::string &line : split_lines(page)) {
        n++;
        std::string s = stripped(line);
        if (begins_with(s, "```")) {
            flush();
            code = !code;
            continue;
        }
        if (code)
            continue;
        const bool rule = s.size() >= 3 && s.find_first_not_of("-=*") == std::string::npos;
        if (s.empty() || rule || s[0] == '#' || s[0] == '|' || s[0] == '<' ||
            begins_with(s, "![")) {
            flush();
            continue;
        }
        if (const size_t marker = list_marker(s)) {
            flush();
            s = s.substr(marker);
        }
        if (text.empty())
            first = n;
        else
            text += ' ';
        text += s;
    }
    flush();
    return out;
}

/* The text as it is read: code spans as one word, links as their text, no emphasis, and no points
 * that end no sentence. */
inline std::string plain_text(const std::string &s)
{
    std::string spans, links, out;
    for (size_t i = 0; i < s.size(); i++) {
        const size_t end = s[i] == '`' ? s.find('`', i + 1) : std::string::npos;
        if (end == std::string::npos) {
            spans += s[i];
            continue;
        }
        spans += "CODE";
        i = end;
    }
    for (size_t i = 0; i < spans.size(); i++) {
        const size_t middle = spans[i] == '[' ? spans.find(']', i + 1) : std::string::npos;
        const size_t end = middle != std::string::npos && begins_with(spans, "](", middle)
                               ? spans.find(')', middle)
                               : std::string::npos;
        if (end == std::string::npos) {
            links += spans[i];
            continue;
        }
        links += spans.substr(i + 1, middle - i - 1);
        i = end;
    }
    for (size_t i = 0; i < links.size(); i++) {
        if (links[i] == '*')
            continue;
        if (begins_with(links, "__", i)) {
            i++;
            continue;
        }
        out += links[i];
    }
    static const std::vector<std::string> short_words = {
        "e.g.", "i.e.", "vs.", "Fig.", "fig.", "Sec.", "cf.", "etc.", "al.", "approx.", "No."};
    std::string text;
    for (size_t i = 0; i < out.size(); i++) {
        const bool starts = i == 0 || !(isalnum(static_cast<unsigned char>(out[i - 1])) ||
                                        out[i - 1] == '_' || out[i - 1] < 0);
        bool done = false;
        for (const std::string &w : short_words)
            if (starts && begins_with(out, w, i)) {
                text += w.substr(0, w.size() - 1);
                i += w.size() - 1;
                done = true;
                break;
            }
        if (!done)
            text += out[i];
    }
    std::string numbers;
    for (size_t i = 0; i < text.size(); i++) {
        const auto digit = [&](size_t k) {
            return k < text.size() && isdigit(static_cast<unsigned char>(text[k]));
        };
        if (!(text[i] == '.' && i && digit(i - 1) && digit(i + 1)))
            numbers += text[i];
    }
    return numbers;
}

inline std::vector<std::string> words_of(const std::string &s)
{
    std::istringstream in(s);
    std::vector<std::string> words;
    for (std::string w; in >> w;)
        words.push_back(w);
    return words;
}

/* Whether a sentence begins with a pronoun or a relative clause instead of a noun. */
inline bool begins_vaguely(const std::string &s)
{
    static const std::set<std::string> vague = {
        "What", "Who", "Whoever", "Whatever", "Nobody", "Nothing", "Neither", "That",  "Those",
        "It",   "So",  "Such",    "Either",   "None",   "One",     "Other",   "Others"};
    size_t n = 0;
    while (n < s.size() && (isalnum(static_cast<unsigned char>(s[n])) || s[n] == '_' || s[n] < 0))
        n++;
    return vague.count(s.substr(0, n)) > 0;
}

inline std::vector<Sentence> sentences_of(const std::string &page)
{
    std::vector<Sentence> out;
    for (const TextBlock &block : text_blocks(page)) {
        const std::string t = plain_text(block.text);
        size_t begin = 0;
        const auto end_at = [&](size_t end) {
            const std::string s = t.substr(begin, end - begin);
            const size_t n = words_of(s).size();
            if (n > 1)
                out.push_back({block.line, n, s, begins_vaguely(s)});
        };
        for (size_t i = 1; i < t.size(); i++) {
            const char before = t[i - 1];
            if (!is_blank_char(t[i]) || !strchr(".!?:", before))
                continue;
            size_t next = i;
            while (next < t.size() && is_blank_char(t[next]))
                next++;
            if (next == t.size())
                break;
            const bool capital = t[next] >= 'A' && t[next] <= 'Z';
            if (!capital && (before == ':' || !strchr("`*(\"", t[next])))
                continue;
            end_at(i);
            begin = i = next;
        }
        end_at(t.size());
    }
    return out;
}

inline Prose measure(const std::string &page)
{
    Prose p;
    for (const Sentence &s : sentences_of(page)) {
        p.words += s.words;
        p.sentences++;
        p.over_30 += s.words > 30;
        p.vague += s.vague;
    }
    return p;
}

/* Words that somebody wrote and has to read, tables included: all but those between
 * <!-- made: ... --> and <!-- end -->, which a command writes, and output of commands in blocks of
 * ```out, which docs/update writes and compares. The bars of tables are no words. */
inline size_t hand_written_words(const std::string &page)
{
    size_t n = 0;
    bool made = false, output = false;
    for (const std::string &line : split_lines(page)) {
        if (begins_with(line, "<!-- made"))
            made = true;
        output = begins_with(line, "```out") || (output && !begins_with(line, "```"));
        const bool comment = begins_with(line, "<!--"); // for docs/update, not for readers
        if (!made && !output && !comment)
            for (const std::string &word : words_of(line))
                n += std::any_of(word.begin(), word.end(),
                                 [](char c) { return isalnum(static_cast<unsigned char>(c)); });
        if (begins_with(line, "<!-- end"))
            made = false;
    }
    return n;
}

#endif
