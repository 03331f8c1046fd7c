// SPDX-License-Identifier: GPL-2.0-only
// The unit whose precompiled headers all tests share; it has nothing of its own.
