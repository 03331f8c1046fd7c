/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Headers in C that others include, in C++ as well: what stands between these two has the linkage
 * of C there, and is exported also by libraries that hide what is not marked (the engine).
 */
#ifndef WEFT_BASE_LINKAGE_H
#define WEFT_BASE_LINKAGE_H

#ifdef __cplusplus
#define WEFT_C_BEGIN                                                                               \
    extern "C" {                                                                                   \
    _Pragma("GCC visibility push(default)")
#define WEFT_C_END                                                                                 \
    _Pragma("GCC visibility pop")                                                                  \
    }
#else
#define WEFT_C_BEGIN _Pragma("GCC visibility push(default)")
#define WEFT_C_END _Pragma("GCC visibility pop")
#endif

#endif
