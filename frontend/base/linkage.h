/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers in C that C++ includes: what stands between these two has the linkage of C there. */
#ifndef WEFT_BASE_LINKAGE_H
#define WEFT_BASE_LINKAGE_H

#ifdef __cplusplus
#define WEFT_C_BEGIN extern "C" {
#define WEFT_C_END }
#else
#define WEFT_C_BEGIN
#define WEFT_C_END
#endif

#endif
