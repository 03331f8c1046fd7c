# SPDX-License-Identifier: GPL-2.0-only
#[[
`cpack` makes an archive of the program: weft-VERSION-SYSTEM-PROCESSOR.tar.gz. With -DWEFT_BUNDLE=ON the libraries that the
program needs lie beside it in lib/weft/libraries, all but the C library, so that it runs on any system with this C
library or a newer one (packaging/tarball does all of it). The part for MPI is left out then: it must be the MPI of
the cluster.
]]
include(GNUInstallDirs)
if(WEFT_BUNDLE)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    message(FATAL_ERROR "WEFT_BUNDLE=ON: known on Linux alone")
  endif()
  # RPATH, not RUNPATH: it holds for what the libraries themselves need, too.
  set(libraries ${CMAKE_INSTALL_LIBDIR}/weft/libraries)
  file(RELATIVE_PATH from_program /${CMAKE_INSTALL_BINDIR} /${libraries})
  set_target_properties(weft PROPERTIES INSTALL_RPATH "$ORIGIN/${from_program}")
  target_link_options(weft PRIVATE -Wl,--disable-new-dtags)
  set(weft_parts "")
  foreach(part weft_xml_part weft_ns3_part)
    if(TARGET ${part})
      set_target_properties(${part} PROPERTIES INSTALL_RPATH "$ORIGIN/libraries" INSTALL_RPATH_USE_LINK_PATH OFF)
      target_link_options(${part} PRIVATE -Wl,--disable-new-dtags)
      string(APPEND weft_parts " \"$<TARGET_FILE:${part}>\"")
    endif()
  endforeach()
  set_target_properties(weft_shared PROPERTIES INSTALL_RPATH "$ORIGIN/weft/libraries")
  target_link_options(weft_shared PRIVATE -Wl,--disable-new-dtags)
  if(TARGET libweft_ns3_part)
    set_target_properties(libweft_ns3_part PROPERTIES INSTALL_RPATH "$ORIGIN/libraries:$ORIGIN/.." INSTALL_RPATH_USE_LINK_PATH OFF)
    target_link_options(libweft_ns3_part PRIVATE -Wl,--disable-new-dtags)
  endif()
  install(CODE "
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:weft>\" MODULES${weft_parts}
         RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing CONFLICTING_DEPENDENCIES_PREFIX twice
         PRE_EXCLUDE_REGEXES \"^(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv)\\\\.so\")
    if(missing OR twice_FILENAMES)
      message(FATAL_ERROR \"libraries that weft needs: not found \${missing}, found twice \${twice_FILENAMES}\")
    endif()
    file(INSTALL \${found} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${libraries}\" FOLLOW_SYMLINK_CHAIN)
    # Their licences, where Debian's packages have them.
    find_program(dpkg_query dpkg-query)
    foreach(library \${found})
      file(REAL_PATH \${library} library)
      if(dpkg_query)
        execute_process(COMMAND \${dpkg_query} -S \${library} OUTPUT_VARIABLE owner ERROR_QUIET)
        string(REGEX REPLACE \"[:,].*\" \"\" owner \"\${owner}\")
        if(EXISTS /usr/share/doc/\${owner}/copyright)
          configure_file(/usr/share/doc/\${owner}/copyright
                         \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/libraries/\${owner}\" COPYONLY)
        endif()
      endif()
    endforeach()" COMPONENT weft)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT weft)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME ${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_COMPONENTS_ALL weft)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
