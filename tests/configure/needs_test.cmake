# SPDX-License-Identifier: GPL-2.0-only
# WeftNeeds.cmake where libraries are elsewhere, are missing, and for 32 bits.
#   cmake -DROOT=/path/to/weft -DWORK=/tmp/x -DCC=gcc -DYAML_LIBRARY=libyaml.so -DYAML_HEADER=yaml.h -P needs_test.cmake

# Configures a project that needs what weft does, with ARGN; sets code and output.
function(configure)
  file(REMOVE_RECURSE ${WORK}/project/build)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/project/build -DCMAKE_C_COMPILER=${CC} ${ARGN}
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(code ${code} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/project/CMakeLists.txt "cmake_minimum_required(VERSION 3.23)
project(x C)
list(APPEND CMAKE_MODULE_PATH ${ROOT}/cmake ${ROOT}/ns3-module/cmake)
if(BITS)
  math(EXPR CMAKE_SIZEOF_VOID_P \"\${BITS} / 8\")
endif()
include(WeftNeeds)
get_target_property(libraries weft::yaml INTERFACE_LINK_LIBRARIES)
get_target_property(folder weft::yaml INTERFACE_INCLUDE_DIRECTORIES)
message(STATUS \"found: \${libraries} \${folder} end\")
")

# A prefix of its own, as Homebrew and module systems have them.
file(COPY ${YAML_HEADER} DESTINATION ${WORK}/prefix/include)
get_filename_component(library ${YAML_LIBRARY} REALPATH)
get_filename_component(name ${YAML_LIBRARY} NAME)
file(MAKE_DIRECTORY ${WORK}/prefix/lib)
file(COPY_FILE ${library} ${WORK}/prefix/lib/${name})
configure(-DCMAKE_PREFIX_PATH=${WORK}/prefix)
if(NOT output MATCHES "found: ${WORK}/prefix/lib/${name} ${WORK}/prefix/include end")
  message(SEND_ERROR "libyaml in a prefix of its own is not found: ${output}")
endif()

# By pkg-config alone.
file(WRITE ${WORK}/pc/yaml-0.1.pc "Name: yaml\nDescription: x\nVersion: 0.2.5\nCflags: -I${WORK}/prefix/include\n\
Libs: -L${WORK}/prefix/lib -lyaml\n")
set(ENV{PKG_CONFIG_PATH} ${WORK}/pc)
configure()
if(NOT output MATCHES "found: ${WORK}/prefix/lib/${name} ${WORK}/prefix/include end")
  message(SEND_ERROR "libyaml of pkg-config is not found: ${output}")
endif()
unset(ENV{PKG_CONFIG_PATH})

# All that is missing is said at once.
configure(-DWEFT_YAML_INCLUDE_DIR=OFF -DWEFT_UTHASH_INCLUDE_DIR=OFF)
if(code EQUAL 0 OR NOT output MATCHES "without: yaml.h and libyaml \\(Debian: libyaml-dev;.* uthash.h \\(Debian: uthash-dev;.*CMAKE_PREFIX_PATH")
  message(SEND_ERROR "what is missing is not said: ${output}")
endif()

configure(-DBITS=32)
if(code EQUAL 0 OR NOT output MATCHES "weft needs a target of 64 bits, and [^ ]* makes code of 32")
  message(SEND_ERROR "32 bits are not refused: ${output}")
endif()
