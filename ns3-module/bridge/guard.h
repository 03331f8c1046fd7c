/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where C calls C++: what is thrown becomes an error.
 */
#ifndef WEFT_GUARD_H
#define WEFT_GUARD_H

#include "base/err.h"

#include <exception>
#include <new>

namespace weft
{

/**
 * Runs a function that may throw; what it throws becomes an error.
 * @param err filled then
 * @param f the function, returning 0 or a WEFT_E_* code
 * @return what f returns, or a code
 */
template <typename F> int Guard(weft_err *err, F f) noexcept
{
    try {
        return f();
    } catch (const std::bad_alloc &) {
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for what ns-3 holds");
    } catch (const std::exception &e) {
        return weft_err_set(err, WEFT_E_INTERNAL, "ns-3: %s", e.what());
    } catch (...) {
        return weft_err_set(err, WEFT_E_INTERNAL, "ns-3 threw something unknown");
    }
}

} // namespace weft

#endif /* WEFT_GUARD_H */
