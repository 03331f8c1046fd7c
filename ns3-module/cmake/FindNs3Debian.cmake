# SPDX-License-Identifier: GPL-2.0-only
#[[
Finds an installed ns-3 and defines two kinds of targets:

  weft_ns3_<component>   one per library found, named like ns-3's modules: weft_ns3_core, weft_ns3_point-to-point
  weft_ns3_system        core and network, with the link option that keeps them loaded
  weft_ns3_all           every library found, likewise

and the variables Ns3Debian_FOUND, Ns3Debian_VERSION, NS3_INCLUDE_DIR.

ns-3's own CMake package as Debian 12 ships it (3.37) is not used: its targets name absolute files
of packages that libns3-dev does not depend on (libgsl.so, libxml2.so, a Python include folder), so that a
build without them fails, and each target ends its link line with --as-needed. A library that a program
names only by the text of a TypeId would then be left out and TypeId::LookupByName would fail at run time.
Hence --no-as-needed here, in front of the libraries.

Set NS3_ROOT to look in another prefix first.
]]

find_path(NS3_INCLUDE_DIR ns3/simulator-impl.h HINTS ${NS3_ROOT} $ENV{NS3_ROOT} PATH_SUFFIXES include)

set(Ns3Debian_VERSION "")
if(NS3_INCLUDE_DIR AND EXISTS ${NS3_INCLUDE_DIR}/ns3/version-defines.h)
  file(STRINGS ${NS3_INCLUDE_DIR}/ns3/version-defines.h _lines
       REGEX "^#define NS3_VERSION_(MAJOR|MINOR) ")
  foreach(_part MAJOR MINOR)
    if("${_lines}" MATCHES "NS3_VERSION_${_part} ([0-9]+)")
      set(_v_${_part} ${CMAKE_MATCH_1})
    endif()
  endforeach()
  if(DEFINED _v_MAJOR AND DEFINED _v_MINOR)
    set(Ns3Debian_VERSION ${_v_MAJOR}.${_v_MINOR})
  endif()
endif()

# The core library says where the others are and how they are called (a version or a profile may be in the name).
find_library(NS3_CORE_LIBRARY NAMES ns3-core HINTS ${NS3_ROOT} $ENV{NS3_ROOT} PATH_SUFFIXES lib)
set(_targets)
if(NS3_CORE_LIBRARY)
  get_filename_component(_dir ${NS3_CORE_LIBRARY} DIRECTORY)
  file(GLOB _files ${_dir}/libns3-*.so)
  foreach(_file ${_files})
    string(REGEX REPLACE "^.*/libns3-(.*)\\.so$" "\\1" _component ${_file})
    set(_target weft_ns3_${_component})
    if(NOT TARGET ${_target})
      add_library(${_target} UNKNOWN IMPORTED GLOBAL)
      set_target_properties(${_target} PROPERTIES IMPORTED_LOCATION ${_file}
                            INTERFACE_INCLUDE_DIRECTORIES ${NS3_INCLUDE_DIR})
    endif()
    list(APPEND _targets ${_target})
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Ns3Debian
  REQUIRED_VARS NS3_CORE_LIBRARY NS3_INCLUDE_DIR
  VERSION_VAR Ns3Debian_VERSION
  REASON_FAILURE_MESSAGE "install libns3-dev, or set NS3_ROOT to the prefix of an installed ns-3")
mark_as_advanced(NS3_INCLUDE_DIR NS3_CORE_LIBRARY)

if(Ns3Debian_FOUND AND NOT TARGET weft_ns3_system)
  add_library(weft_ns3_system INTERFACE IMPORTED GLOBAL)
  target_link_options(weft_ns3_system INTERFACE -Wl,--no-as-needed)
  # NS_LOG works in every build type; Debian's libraries have it on as well.
  target_compile_definitions(weft_ns3_system INTERFACE NS3_LOG_ENABLE $<$<CONFIG:Debug>:NS3_ASSERT_ENABLE>)
  target_link_libraries(weft_ns3_system INTERFACE weft_ns3_network weft_ns3_core)
  add_library(weft_ns3_all INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft_ns3_all INTERFACE weft_ns3_system ${_targets})
endif()
