/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where C calls C++: what is thrown becomes an error, and so does a want of memory.
 */
#ifndef WEFT_GUARD_H
#define WEFT_GUARD_H

#include "base/err.h"
#include "reserve.h"

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
        const int code = f();
        return code ? code : Reserve::Report(err);
    } catch (const std::bad_alloc &) {
        Reserve::Abandon();
        return weft_err_no_memory(err, "the hosts, sockets and packets of ns-3");
    } catch (const std::exception &e) {
        return weft_err_set(err, WEFT_E_INTERNAL, "ns-3: %s", e.what());
    } catch (...) {
        return weft_err_set(err, WEFT_E_INTERNAL, "ns-3 threw something unknown");
    }
}

} // namespace weft

#endif /* WEFT_GUARD_H */
