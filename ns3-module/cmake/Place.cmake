# SPDX-License-Identifier: GPL-2.0-only
# weft_place(SOURCE FOLDER): tells base/place.c of the sources in SOURCE where weft's own files are. FOLDER: that of the program,
# or of the library, when it is built.
include(GNUInstallDirs)
function(weft_place source folder)
  if(NOT folder)
    set(folder ${CMAKE_BINARY_DIR}/lib)
  endif()
  string(REGEX MATCH "[^/]+/[^/]+$" built_in "${folder}")
  file(RELATIVE_PATH from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/weft)
  file(RELATIVE_PATH from_lib ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_DATADIR}/weft)
  file(RELATIVE_PATH from_build ${folder} ${source})
  set(definitions)
  foreach(definition "SOURCE_DIR=${source}" "SOURCE_FROM_BUILD=${from_build}" "BUILT_IN=${built_in}" "DATA_FROM_BIN=${from_bin}"
          "DATA_FROM_LIB=${from_lib}" "DATA_DIR=${CMAKE_INSTALL_FULL_DATADIR}/weft")
    string(REGEX REPLACE "=(.*)" "=\"\\1\"" definition "WEFT_${definition}")
    list(APPEND definitions "${definition}")
  endforeach()
  set_source_files_properties(${source}/frontend/base/place.c PROPERTIES COMPILE_DEFINITIONS "${definitions}")
endfunction()
