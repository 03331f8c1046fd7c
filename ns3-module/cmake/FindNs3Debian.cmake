# SPDX-License-Identifier: GPL-2.0-only
#[[
Finds an installed ns-3, Debian's (libns3-core.so) or upstream's (libns3.48-core-default.so), or the folder build/ of an
ns-3 source tree, and defines two kinds of targets:

  weft_ns3_<component>   one per library found, named like ns-3's modules: weft_ns3_core, weft_ns3_point-to-point
  weft_ns3_system        core and network, with the link option that keeps them loaded
  weft_ns3_all           every library found, likewise

and the variables Ns3Debian_FOUND, Ns3Debian_VERSION (3.48), Ns3Debian_STANDARD (23: of C++, that its headers need),
Ns3Debian_PREFIX, NS3_INCLUDE_DIR, NS3_CORE_LIBRARY.

Set NS3_ROOT (a variable of CMake or of the environment) to the prefix to look in; no other is looked in then. Headers
and libraries come from one prefix, and all libraries from one version and one build profile: where a prefix has several
versions, the one that its headers or its CMake package name, and a failure where nothing names one.

ns-3's own CMake package as Debian 12 ships it (3.37) is not used: its targets name absolute files
of packages that libns3-dev does not depend on (libgsl.so, libxml2.so, a Python include folder), so that a
build without them fails, and each target ends its link line with --as-needed. A library that a program
names only by the text of a TypeId would then be left out and TypeId::LookupByName would fail at run time.
Hence --no-as-needed here, in front of the libraries.
]]

set(_ns3_root "${NS3_ROOT}")
if(NOT _ns3_root)
  set(_ns3_root "$ENV{NS3_ROOT}")
endif()
if(_ns3_root)
  get_filename_component(_ns3_root "${_ns3_root}" ABSOLUTE)
  if(NS3_INCLUDE_DIR AND NOT NS3_INCLUDE_DIR STREQUAL "${_ns3_root}/include")
    unset(NS3_INCLUDE_DIR CACHE) # of an earlier search
  endif()
  find_path(NS3_INCLUDE_DIR ns3/simulator-impl.h PATHS ${_ns3_root} PATH_SUFFIXES include NO_DEFAULT_PATH)
else()
  find_path(NS3_INCLUDE_DIR ns3/simulator-impl.h PATH_SUFFIXES include)
endif()

set(Ns3Debian_PREFIX "")
set(Ns3Debian_VERSION "")
set(NS3_CORE_LIBRARY "")
set(_ns3_why "install libns3-dev, or set NS3_ROOT to the prefix of an installed ns-3")
set(_ns3_files)
if(NS3_INCLUDE_DIR)
  get_filename_component(Ns3Debian_PREFIX ${NS3_INCLUDE_DIR} DIRECTORY)
  set(_ns3_folders lib64 lib)
  if(CMAKE_LIBRARY_ARCHITECTURE)
    list(PREPEND _ns3_folders lib/${CMAKE_LIBRARY_ARCHITECTURE})
  endif()
  list(TRANSFORM _ns3_folders PREPEND ${Ns3Debian_PREFIX}/)
  foreach(_dir ${_ns3_folders})
    file(GLOB _cores ${_dir}/libns3*-core*.so)
    list(APPEND _ns3_files ${_cores})
  endforeach()

  # The version that the headers say, or else the package beside the libraries: "major.minor".
  if(EXISTS ${NS3_INCLUDE_DIR}/ns3/version-defines.h)
    file(STRINGS ${NS3_INCLUDE_DIR}/ns3/version-defines.h _lines REGEX "^#define NS3_VERSION_(MAJOR|MINOR) ")
    if("${_lines}" MATCHES "NS3_VERSION_MAJOR ([0-9]+).*NS3_VERSION_MINOR ([0-9]+)")
      set(Ns3Debian_VERSION ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
    endif()
  endif()
  foreach(_dir ${_ns3_folders})
    set(_file ${_dir}/cmake/ns3/ns3ConfigVersion.cmake)
    if(NOT Ns3Debian_VERSION AND EXISTS ${_file})
      file(STRINGS ${_file} _lines REGEX "^set\\(PACKAGE_VERSION \"[0-9]")
      if("${_lines}" MATCHES "\"([0-9]+\\.[0-9]+)")
        set(Ns3Debian_VERSION ${CMAKE_MATCH_1})
      endif()
    endif()
  endforeach()
endif()

# Each core library says a folder, a version (none in Debian's names) and a profile: /usr/lib|3.48|-default.
set(_ns3_sets)
set(_ns3_versions)
foreach(_file ${_ns3_files})
  get_filename_component(_dir ${_file} DIRECTORY)
  get_filename_component(_name ${_file} NAME)
  if(_name MATCHES "^libns(3[^-]*|3-dev)-core(-[a-z]+)?\\.so$")
    set(_stem ${CMAKE_MATCH_1})
    set(_profile "${CMAKE_MATCH_2}")
    string(REGEX MATCH "^3\\.[0-9]+" _version ${_stem})
    if(Ns3Debian_VERSION AND _version AND NOT _version STREQUAL Ns3Debian_VERSION)
      list(APPEND _ns3_others ${_stem})
      continue()
    endif()
    list(APPEND _ns3_sets "${_dir}|${_stem}|${_profile}")
    list(APPEND _ns3_versions ${_stem})
  endif()
endforeach()
list(REMOVE_DUPLICATES _ns3_versions)
list(LENGTH _ns3_versions _count)
if(_count GREATER 1)
  string(REPLACE ";" ", " _text "${_ns3_versions}")
  set(_ns3_why "${Ns3Debian_PREFIX} has libraries of several ns-3 (${_text}), and nothing says which its headers are of: \
set NS3_ROOT to a prefix with one")
elseif(_count EQUAL 0 AND _ns3_others)
  list(REMOVE_DUPLICATES _ns3_others)
  string(REPLACE ";" ", " _text "${_ns3_others}")
  set(_ns3_why "the headers in ${NS3_INCLUDE_DIR} are of ns-3 ${Ns3Debian_VERSION}, the libraries beside them of ${_text}")
elseif(_count EQUAL 0 AND NS3_INCLUDE_DIR)
  set(_ns3_why "there are headers in ${NS3_INCLUDE_DIR}, and no libns3*-core*.so beside them")
elseif(_count EQUAL 1)
  # One profile for all: the fastest.
  set(_set "")
  foreach(_profile "" -release -optimized -minsizerel -default -relwithdebinfo -debug)
    foreach(_one ${_ns3_sets})
      if(NOT _set AND _one MATCHES "\\|${_profile}$")
        set(_set ${_one})
      endif()
    endforeach()
  endforeach()
  if(NOT _set)
    list(GET _ns3_sets 0 _set)
  endif()
  string(REGEX MATCH "^(.*)\\|(.*)\\|(.*)$" _set "${_set}")
  set(_dir ${CMAKE_MATCH_1})
  set(_stem ${CMAKE_MATCH_2})
  set(_profile "${CMAKE_MATCH_3}")
  set(NS3_CORE_LIBRARY ${_dir}/libns${_stem}-core${_profile}.so)
  if(NOT Ns3Debian_VERSION)
    string(REGEX MATCH "^3\\.[0-9]+" Ns3Debian_VERSION ${_stem})
  endif()
endif()

set(_targets)
if(NS3_CORE_LIBRARY)
  file(GLOB _files ${_dir}/libns${_stem}-*${_profile}.so)
  foreach(_file ${_files})
    get_filename_component(_name ${_file} NAME)
    string(REGEX REPLACE "^libns${_stem}-(.*)${_profile}\\.so$" "\\1" _component ${_name})
    # Not weft itself, which this ns-3 may have in its contrib folder or beside it; no suites of tests; and no library of
    # another name: libns3-dev-core.so is no "dev-core", libns3.48-core-debug.so no "core-debug".
    if(_component STREQUAL "weft" OR _component MATCHES "^dev-|-test$|-(release|optimized|minsizerel|default|relwithdebinfo|debug)$")
      continue()
    endif()
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
  REASON_FAILURE_MESSAGE "${_ns3_why}")
mark_as_advanced(NS3_INCLUDE_DIR)

# What the headers of each release need at least.
set(Ns3Debian_STANDARD 17)
if(Ns3Debian_VERSION VERSION_GREATER_EQUAL 3.46)
  set(Ns3Debian_STANDARD 23)
elseif(Ns3Debian_VERSION VERSION_GREATER_EQUAL 3.41)
  set(Ns3Debian_STANDARD 20)
endif()

if(Ns3Debian_FOUND AND NOT TARGET weft_ns3_system)
  add_library(weft_ns3_system INTERFACE IMPORTED GLOBAL)
  target_link_options(weft_ns3_system INTERFACE -Wl,--no-as-needed)
  target_compile_features(weft_ns3_system INTERFACE cxx_std_${Ns3Debian_STANDARD})
  # NS_LOG works in every build type; Debian's libraries have it on as well.
  target_compile_definitions(weft_ns3_system INTERFACE NS3_LOG_ENABLE $<$<CONFIG:Debug>:NS3_ASSERT_ENABLE>)
  target_link_libraries(weft_ns3_system INTERFACE weft_ns3_network weft_ns3_core)
  add_library(weft_ns3_all INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft_ns3_all INTERFACE weft_ns3_system ${_targets})
endif()
