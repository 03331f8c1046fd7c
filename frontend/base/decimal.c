/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes numbers as decimal text, byte for byte as printf does, in a part of its time. */
#include "base/decimal.h"

#include "base/int128.h"

#include <string.h>

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

int weft_decimal_length(uint64_t v)
{
    static const uint64_t power[] = {
        0,
        10,
        100,
        1000,
        10000,
        100000,
        1000000,
        10000000,
        100000000,
        1000000000,
        10000000000,
        100000000000,
        1000000000000,
        10000000000000,
        100000000000000,
        1000000000000000,
        10000000000000000,
        100000000000000000,
        1000000000000000000,
        10000000000000000000u,
    };
    const int bits = 64 - __builtin_clzll(v | 1), digits = bits * 1233 >> 12; /* times log10(2) */
    return digits + (v >= power[digits]);
}

char *weft_decimal_digits(char *end, uint64_t v, int least)
{
    for (; v > 99; v /= 100, least -= 2)
        memcpy(end -= 2, pairs + 2 * (v % 100), 2);
    if (v > 9)
        memcpy(end -= 2, pairs + 2 * v, 2), least -= 2;
    else if (v || least > 0)
        *--end = (char)('0' + v), least--;
    for (; least > 0; least--)
        *--end = '0';
    return end;
}

char *weft_decimal_write(char *at, uint64_t v)
{
    if (v >= 10000) { /* most counts have fewer digits */
        char *end = at + weft_decimal_length(v);
        weft_decimal_digits(end, v, 1);
        return end;
    }
    if (v >= 100) {
        const char *high = pairs + 2 * (v / 100);
        *at = *high;
        at += v >= 1000;
        *at++ = high[1];
        v %= 100;
    } else if (v < 10) {
        *at = (char)('0' + v);
        return at + 1;
    }
    memcpy(at, pairs + 2 * v, 2);
    return at + 2;
}

bool weft_decimal_scaled(double v, int decimals, uint64_t *to)
{
    static const uint32_t power[] = {1,      10,      100,      1000,      10000,
                                     100000, 1000000, 10000000, 100000000, 1000000000};
    enum { MANTISSA = 52, BIAS = 1075, MOST = 120 }; /* 2^(53 + 30) times 2^-120 is nothing */
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int exponent = (int)(bits >> MANTISSA & 0x7ff);
    if (decimals >= (int)(sizeof power / sizeof *power) || exponent >= BIAS)
        return false;
    const int below = BIAS - (exponent ? exponent : 1), shift = below < MOST ? below : MOST;
    const uint64_t hidden = exponent ? UINT64_C(1) << MANTISSA : 0,
                   mantissa = (bits & ((UINT64_C(1) << MANTISSA) - 1)) | hidden;
    const weft_u128 all = (weft_u128)mantissa * power[decimals], half = (weft_u128)1 << (shift - 1),
                    rest = all & (2 * half - 1), whole = all >> shift;
    if (whole >= UINT64_C(1000000000000000000))
        return false;
    *to = (uint64_t)whole + (rest > half || (rest == half && (whole & 1)));
    return true;
}
