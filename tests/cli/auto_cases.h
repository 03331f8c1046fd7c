// SPDX-License-Identifier: GPL-2.0-only
// Collectives on fabrics that are no presets. A fabric is drawn at random; sizes, numbers of chunks
// and collectives are crossed with each other and with the fabrics, and thinned: everything about a
// case follows from a seed and its number.
#ifndef WEFT_TESTS_CLI_AUTO_CASES_H
#define WEFT_TESTS_CLI_AUTO_CASES_H

#include "tests/campaign/draw.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

struct AutoCase {
    std::string kind;
    size_t dims = 1; // that algorithms are given for, one each
    uint64_t ranks = 1, bytes = 0;
    std::vector<std::string> sets; // all but what plays it
};

class AutoDraw : private Draw
{
  public:
    AutoDraw(uint64_t seed, uint64_t number, uint64_t ranks_max, double bytes_max)
        : Draw((seed << 32) + number / kCellsOfFabric + 0x6175746f), m_seed(seed), m_number(number),
          m_ranks_max(ranks_max), m_bytes_max(bytes_max)
    {
    }

    AutoCase Make()
    {
        do {
            m_case = AutoCase();
            Fabric();
        } while (m_case.ranks > m_ranks_max);
        const std::string delay = word({"0ns", "0ns", "0ns", "500ns", "1us", "5us", "16.8us"});
        const std::string reduce = chance(15) ? word({"200GB/s", "1000GB/s", "3000GB/s"}) : "";
        const bool active = chance(40);
        const uint64_t at_once = of<uint64_t>({2, 4, 16});
        const uint64_t chunks = Cell();
        Set("workload.type", "generate");
        Set("generate.kind", m_case.kind);
        Set("generate.size", std::to_string(m_case.bytes) + "B");
        Set("system.chunks", std::to_string(chunks));
        if (chunks > 1 && active)
            Set("system.active-chunks", std::to_string(std::min(at_once, chunks)));
        Set("system.endpoint-delay", delay);
        if (!reduce.empty())
            Set("system.reduce-bandwidth", reduce);
        return m_case;
    }

  private:
    static constexpr uint64_t kCellsOfFabric = 5;

    // The collective and its size, of 200 from 1 KB to 1 GB and the powers of two among them;
    // returns the number of chunks. Numbers that follow each other are far apart.
    uint64_t Cell()
    {
        static const uint64_t chunks[] = {1, 2, 3, 4, 8, 16};
        static const char *const kinds[] = {"all-reduce", "all-gather", "reduce-scatter",
                                            "all-to-all"};
        constexpr uint64_t kSizes = 200, kPowers = 20; // 1 KiB to 512 MiB
        constexpr uint64_t kCells = (kSizes + kPowers) * 6 * 4, kStride = 1657;
        for (uint64_t i = m_number * kStride + m_seed * 7919;; i++) {
            const uint64_t cell = i % kCells, k = cell / 24;
            const double bytes = k < kSizes ? 1e3 * std::pow(10, 6.0 * (double)k / (kSizes - 1))
                                            : std::ldexp(1, (int)(k - kSizes) + 10);
            if (bytes > m_bytes_max) {
                i += 24 * 66; // a third of the sizes further
                continue;
            }
            m_case.kind = kinds[cell % 4];
            m_case.bytes = (uint64_t)std::llround(bytes);
            return chunks[cell / 4 % 6];
        }
    }
    void Set(const std::string &key, const std::string &value)
    {
        m_case.sets.push_back(key + "=" + value);
    }
    std::string Delay()
    {
        return word({"50ns", "100ns", "250ns", "500ns", "1us", "2us", "5us"});
    }
    uint64_t Gbps()
    {
        return of<uint64_t>({25, 50, 100, 200, 400, 800});
    }
    static std::string Rate(double gbps)
    {
        return std::to_string((uint64_t)std::ceil(gbps)) + "Gbps";
    }
    // A scale-up dimension in nodes of a rank each on an outer one.
    void Nodes()
    {
        const uint64_t inner = of<uint64_t>({2, 4, 6, 8, 8}), nodes = of<uint64_t>({2, 2, 3, 4, 8});
        const double outer = (double)Gbps(), rate = outer * of<double>({1, 1.5, 2, 4, 4.5, 9, 12});
        const bool mesh = chance(20), rails = !mesh && chance(70);
        std::string dims = mesh ? "fully-connected size=" + std::to_string(inner) +
                                      " rate=" + Rate(rate / (double)(inner - 1))
                                : "switch size=" + std::to_string(inner) + " rate=" + Rate(rate);
        dims += " delay=" + Delay();
        if (rails) {
            dims += "; rail-optimised rails=" + std::to_string(inner) +
                    " nodes=" + std::to_string(nodes) + " rate=" + Rate(outer) +
                    " uplink-rate=" + Rate(outer) + " delay=" + Delay() +
                    " uplink-delay=" + Delay() + " spines=" + word({"1", "2", "4"}) +
                    " links-per-pair=" + word({"1", "2"});
            if (chance(30))
                dims += " rail-only=true";
            if (nodes >= 4 && chance(30))
                dims += " nodes-per-leaf=" + std::to_string(nodes / 2);
        } else {
            dims += "; switch size=" + std::to_string(nodes) + " rate=" + Rate(outer) +
                    " delay=" + Delay();
        }
        Set("topology.type", "multi");
        Set("multi.dimensions", dims);
        m_case.dims = 2;
        m_case.ranks = inner * nodes;
    }
    void SingleSwitch()
    {
        m_case.ranks = of<uint64_t>({2, 3, 4, 5, 8, 8, 12, 16, 32});
        Set("topology.type", "single-switch");
        Set("single-switch.hosts", std::to_string(m_case.ranks));
        Set("single-switch.rate", Rate((double)Gbps()));
        Set("single-switch.delay", Delay());
    }
    void LeafSpine()
    {
        const uint64_t hosts = of<uint64_t>({2, 4, 8}), leaves = of<uint64_t>({2, 4, 8});
        const double rate = (double)Gbps();
        Set("topology.type", "leaf-spine");
        Set("leaf-spine.hosts-per-leaf", std::to_string(hosts));
        Set("leaf-spine.leaves", std::to_string(leaves));
        Set("leaf-spine.spines", word({"1", "2", "4"}));
        Set("leaf-spine.host-rate", Rate(rate));
        Set("leaf-spine.uplink-rate", Rate(rate * of<double>({1, 1, 2, 4})));
        Set("leaf-spine.host-delay", Delay());
        Set("leaf-spine.uplink-delay", Delay());
        m_case.ranks = hosts * leaves;
    }
    void Torus()
    {
        struct Shape {
            const char *text;
            size_t dims;
            uint64_t ranks;
        };
        const Shape s = of<Shape>({{"2x4", 2, 8},
                                   {"4x4", 2, 16},
                                   {"3x3", 2, 9},
                                   {"2x8", 2, 16},
                                   {"4x2x2", 3, 16},
                                   {"3x3x3", 3, 27},
                                   {"8x4", 2, 32},
                                   {"8", 1, 8}});
        Set("topology.type", "torus");
        Set("torus.shape", s.text);
        Set("torus.rate", Rate((double)Gbps()));
        Set("torus.delay", Delay());
        m_case.dims = s.dims;
        m_case.ranks = s.ranks;
    }
    void Planes()
    {
        const double rate = (double)Gbps();
        const uint64_t rails = of<uint64_t>({2, 4}), nodes = of<uint64_t>({2, 4});
        Set("topology.type", "dual-plane");
        Set("dual-plane.rails", std::to_string(rails));
        Set("dual-plane.nodes", std::to_string(nodes));
        Set("dual-plane.segments", "2");
        Set("dual-plane.rate", Rate(rate));
        Set("dual-plane.uplink-rate", Rate(2 * rate));
        Set("dual-plane.delay", Delay());
        Set("dual-plane.uplink-delay", Delay());
        m_case.ranks = 2 * rails * nodes;
    }
    void FatTree()
    {
        const double rate = (double)Gbps();
        Set("topology.type", "fat-tree");
        Set("fat-tree.k", "4");
        Set("fat-tree.host-rate", Rate(rate));
        Set("fat-tree.fabric-rate", Rate(rate));
        Set("fat-tree.host-delay", Delay());
        Set("fat-tree.fabric-delay", Delay());
        m_case.ranks = 16;
    }
    void Fabric()
    {
        switch (below(10)) {
        case 0:
        case 1:
            return SingleSwitch();
        case 2:
            return LeafSpine();
        case 3:
            return Torus();
        case 4:
            return Planes();
        case 5:
            return FatTree();
        default:
            return Nodes();
        }
    }

    uint64_t m_seed, m_number, m_ranks_max;
    double m_bytes_max;
    AutoCase m_case;
};

#endif
