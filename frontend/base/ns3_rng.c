/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers of ns-3 (MRG32k3a) and of the GNU C library, to repeat the draws of another
 * simulator.
 */
#include "base/ns3_rng.h"

#include <string.h>

/* The two components: modulus, and x[n] = a x[n-1] + b x[n-2] + c x[n-3], oldest last; negative
 * coefficients are given modulo the modulus. */
static const uint64_t modulus[2] = {UINT64_C(4294967087), UINT64_C(4294944443)};
static const uint32_t step[2][3] = {{0, 1403580, 4294967087u - 810728},
                                    {527612, 0, 4294944443u - 1370589}};

typedef uint32_t matrix[3][3];

static void multiply(matrix out, matrix a, matrix b, uint64_t m)
{
    matrix c;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            uint64_t sum = 0;
            for (int j = 0; j < 3; j++)
                sum = (sum + (uint64_t)a[i][j] * b[j][k] % m) % m;
            c[i][k] = (uint32_t)sum;
        }
    memcpy(out, c, sizeof c);
}

/* The matrix that moves a component, oldest value first, 2^@p log2 steps on. */
static void jump(matrix out, int component, int log2)
{
    matrix one = {
        {0, 1, 0}, {0, 0, 1}, {step[component][2], step[component][1], step[component][0]}};
    memcpy(out, one, sizeof one);
    for (int i = 0; i < log2; i++)
        multiply(out, out, out, modulus[component]);
}

static void power(matrix out, matrix a, uint64_t n, uint64_t m)
{
    matrix base;
    matrix unit = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(base, a, sizeof base);
    memcpy(out, unit, sizeof unit);
    for (; n; n >>= 1) {
        if (n & 1)
            multiply(out, out, base, m);
        multiply(base, base, base, m);
    }
}

static void move(uint32_t out[3], matrix a, const uint32_t s[3], uint64_t m)
{
    uint32_t t[3];
    for (int i = 0; i < 3; i++) {
        uint64_t sum = 0;
        for (int j = 0; j < 3; j++)
            sum = (sum + (uint64_t)a[i][j] * s[j] % m) % m;
        t[i] = (uint32_t)sum;
    }
    memcpy(out, t, sizeof t);
}

void weft_ns3_rng_init(struct weft_ns3_rng *r, uint32_t seed, uint64_t run, uint64_t first)
{
    for (int c = 0; c < 2; c++) {
        matrix to_first, substream;
        for (int i = 0; i < 3; i++)
            r->state[3 * c + i] = seed;
        jump(r->to_next[c], c, 127);
        jump(substream, c, 76);
        power(r->to_run[c], substream, run, modulus[c]);
        power(to_first, r->to_next[c], first, modulus[c]);
        move(r->state + 3 * c, to_first, r->state + 3 * c, modulus[c]);
    }
}

double weft_ns3_rng_fresh(struct weft_ns3_rng *r)
{
    uint64_t p[2];
    for (int c = 0; c < 2; c++) {
        uint32_t s[3];
        uint64_t sum = 0;
        move(s, r->to_run[c], r->state + 3 * c, modulus[c]);
        for (int i = 0; i < 3; i++)
            sum = (sum + (uint64_t)step[c][i] * s[2 - i] % modulus[c]) % modulus[c];
        p[c] = sum;
        move(r->state + 3 * c, r->to_next[c], r->state + 3 * c, modulus[c]);
    }
    const uint64_t difference = p[0] > p[1] ? p[0] - p[1] : p[0] + modulus[0] - p[1];
    return (double)difference * 2.328306549295727688e-10; /* 1 / (modulus[0] + 1) */
}

void weft_libc_rand_init(struct weft_libc_rand *r, uint32_t seed)
{
    int64_t x = (int32_t)(seed ? seed : 1);
    for (int i = 0; i < 31; i++) {
        r->x[i] = (uint32_t)x;
        x = x * 16807 % 2147483647;
        x += x < 0 ? 2147483647 : 0;
    }
    r->at = 3; /* x[31] to x[33] repeat x[0] to x[2] */
    for (int i = 0; i < 310; i++)
        weft_libc_rand_next(r);
}

uint32_t weft_libc_rand_next(struct weft_libc_rand *r)
{
    uint32_t *oldest = &r->x[r->at];
    *oldest += r->x[(r->at + 28) % 31]; /* three before the one that is made */
    r->at = (r->at + 1) % 31;
    return *oldest >> 1;
}
