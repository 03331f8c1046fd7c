// SPDX-License-Identifier: GPL-2.0-only
// The random stream of one simulation: everything about it follows from its seed.
#ifndef WEFT_TESTS_CAMPAIGN_DRAW_H
#define WEFT_TESTS_CAMPAIGN_DRAW_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <string>
#include <vector>

class Draw
{
  public:
    explicit Draw(uint64_t seed) : m_state(seed) {}
    uint64_t next() // SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)
    {
        uint64_t z = m_state += 0x9e3779b97f4a7c15U;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27) * 0x94d049bb133111ebU;
        return z ^ z >> 31;
    }
    uint64_t below(uint64_t n) // 0 .. n - 1
    {
        if (n == 0) { // what was asked of the program has no answer
            fprintf(stderr, "campaign: nothing to draw from\n");
            exit(2);
        }
        return next() % n;
    }
    uint64_t between(uint64_t lo, uint64_t hi) // both may come
    {
        return hi - lo == UINT64_MAX ? next() : lo + below(hi - lo + 1);
    }
    bool chance(unsigned pct)
    {
        return below(100) < pct;
    }
    double unit() // 0 .. below 1
    {
        return static_cast<double>(next() >> 11) * 0x1p-53;
    }
    // Every order of magnitude is as likely as every other.
    uint64_t magnitude(uint64_t lo, uint64_t hi)
    {
        const double a = std::log(static_cast<double>(lo) + 1);
        const double b = std::log(static_cast<double>(hi) + 1);
        const double v = std::exp(a + (b - a) * unit()) - 1;
        const uint64_t n = v >= 1.8e19 ? hi : static_cast<uint64_t>(v);
        return n < lo ? lo : n > hi ? hi : n;
    }
    template <class T> const T &of(const std::vector<T> &all)
    {
        return all[below(all.size())];
    }
    std::string word(const std::vector<std::string> &all)
    {
        return of(all);
    }

  private:
    uint64_t m_state;
};

#endif
