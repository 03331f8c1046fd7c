# SPDX-License-Identifier: GPL-2.0-only
# Run at every build: writes FILE, a header that says which commit of the repository SOURCE is built. Its time
# changes only with its content, so that a build of the same commit compiles nothing. Outside a repository
# (a tarball, also one unpacked inside another repository) and without git the commit is empty.
set(commit "")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH "${SOURCE}" source)
  if(top STREQUAL source)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
    if(commit AND changes)
      string(APPEND commit ", modified")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${FILE}" CONTENT "#define WEFT_COMMIT \"${commit}\"\n" @ONLY)
