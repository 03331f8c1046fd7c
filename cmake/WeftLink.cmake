# SPDX-License-Identifier: GPL-2.0-only
# What linkers do not agree on, all of it: GNU's, LLVM's and mold take the options, Apple's has others or does so anyway.
include(CheckLinkerFlag)
check_linker_flag(C -Wl,--as-needed WEFT_LINKER_AS_NEEDED)
check_linker_flag(C -Wl,-Bsymbolic WEFT_LINKER_SYMBOLIC)

# Only the libraries that are called are loaded.
set(WEFT_LINK_AS_NEEDED $<$<BOOL:${WEFT_LINKER_AS_NEEDED}>:-Wl,--as-needed>)
# A library that nothing calls is loaded all the same: what stands between the two.
set(WEFT_LINK_ALWAYS)
set(WEFT_LINK_ALWAYS_END)
if(WEFT_LINKER_AS_NEEDED)
  set(WEFT_LINK_ALWAYS -Wl,--push-state,--no-as-needed)
  set(WEFT_LINK_ALWAYS_END -Wl,--pop-state)
endif()
# A part of the program (frontend/parts): it binds what it calls of itself when it is linked, not when it is opened, and leaves what
# it calls of the program to that.
set(WEFT_LINK_PART $<$<BOOL:${WEFT_LINKER_SYMBOLIC}>:-Wl,-Bsymbolic> $<$<PLATFORM_ID:Darwin>:-Wl,-undefined,dynamic_lookup>)
