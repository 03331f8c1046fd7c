# SPDX-License-Identifier: GPL-2.0-only
# ./quickstart with stand-ins for the programs of a system: what it asks for, and how it builds.
#   cmake -DROOT=/path/to/weft -DBASH=/bin/bash -DWORK=/tmp/x -P quickstart_test.cmake
# Builds on real systems are tried by tests/platforms/run.
cmake_minimum_required(VERSION 3.25)

set(bin ${WORK}/bin)

function(program name text)
  file(WRITE ${bin}/${name} "#!${BASH}\n${text}\n")
  file(CHMOD ${bin}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# A system with POSIX's tools alone.
function(make_system)
  file(REMOVE_RECURSE ${WORK})
  foreach(tool awk bash cat cut dirname env getconf grep id sed sort tr)
    find_program(found_${tool} ${tool} REQUIRED)
    file(REAL_PATH ${found_${tool}} path)
    file(MAKE_DIRECTORY ${bin})
    file(CREATE_LINK ${path} ${bin}/${tool} SYMBOLIC)
  endforeach()
endfunction()

# And with all that weft needs; cmake and its build only say what they were asked.
function(make_complete)
  foreach(tool cc c++ ninja pkg-config protoc-c gnuplot ccache nproc)
    program(${tool} "exit 0")
  endforeach()
  program(nproc "echo 3")
  program(cmake "case \"$*\" in
--version) echo cmake version 3.30.1 ;;
--build*) for i in {1..40}; do echo \"[$i/40] Building C object $i.o\"; done; echo \"x.c:1: warning: odd\"; echo \"$*\" >>${WORK}/calls ;;
*) echo quiet; echo \"$*\" >>${WORK}/calls ;;
esac")
  file(WRITE ${WORK}/ns3/include/ns3.43/ns3/core-module.h "")
endfunction()

function(expect what code pattern)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${bin} NS3_ROOT=${WORK}/ns3 WEFT_BUILD=${WORK}/build --unset=WEFT_JOBS
                          --unset=CC --unset=CXX --unset=PKG_CONFIG_PATH ${ENV_MORE} ${bin}/bash ${ROOT}/quickstart ${ARGN}
                  WORKING_DIRECTORY ${WORK} RESULT_VARIABLE got OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT got EQUAL code OR NOT output MATCHES "${pattern}")
    message(SEND_ERROR "${what}: exit code ${got} and\n${output}\nexpected ${code} and ${pattern}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

make_system()
expect("help" 0 "WEFT_JOBS=N.*WEFT_BUILD=DIR" --help)
expect("an unknown word" 2 "there is no 'biuld'; did you mean 'build'\\? usage: ./quickstart \\[build" biuld)
expect("an unknown word with another" 2 "there is no 'tset'; did you mean 'test'\\?" tset -R style)
expect("a word too many" 2 "'build' takes no arguments" build x)
expect("nothing there" 4 "no apt-get[^\n]*install what was not found[^\n]*\n    a C compiler [^\n]*\n.*CMake 3.25.*libyaml \\(Debian: libyaml-dev\\)" build)
if(output MATCHES "command not found|GoogleTest|ccache")
  message(SEND_ERROR "it said: ${output}")
endif()
expect("doctor, nothing there" 1 "MISSING +CMake 3.25.*absent +tshark +tests that read capture files.*apt-get install .*clang-format-14.*libns3-dev.*openmpi-bin" doctor)

# A fresh container: apt-cache knows of no package before the first update.
make_system()
program(id "echo 0")
program(apt-get "echo apt-get $1 $* >>${WORK}/apt; exit 0")
program(apt-cache "[ ! -e ${WORK}/apt ] || echo '  Candidate: 3.43-2'")
expect("a fresh container" 4 "quickstart: installing [^\n]*libns3-dev[^\n]*\n.*still not found" build)
program(apt-cache "[ ! -e ${WORK}/apt ] || echo '  Candidate: 3.31-1'")
expect("an ns-3 that is too old" 4 "quickstart: installing [^\n]*cmake" build)
if(output MATCHES "installing [^\n]*libns3-dev")
  message(SEND_ERROR "it said: ${output}")
endif()

# What a release does not have would make apt-get install nothing at all.
make_system()
program(apt-cache "[ $2 = clang-format-14 ] || [ $2 = libns3-dev ] || echo '  Candidate: 4.0'")
expect("doctor, a release without some" 1 "apt-get install [^\n]*clang cmake" doctor)
if(output MATCHES "install [^\n]*(clang-format-14|libns3-dev)")
  message(SEND_ERROR "it said: ${output}")
endif()

make_system()
make_complete()
program(cmake "echo cmake version 3.22.1")
expect("an old cmake" 4 "not found, then run this again:\n    CMake 3.25 or newer \\(Debian: cmake\\)\nLibraries" build)
make_complete()
set(ENV_MORE WEFT_JOBS=0)
expect("no jobs" 2 "WEFT_JOBS=0: must be a number from 1" build)
set(ENV_MORE WEFT_JOBS=7)
expect("seven jobs" 0 "configuring ${WORK}/build\n.*7 at a time.*\nquickstart: built 4 of 40\n.*built 40 of 40\nx.c:1: warning: odd" build)
if(output MATCHES "Building C object|quiet")
  message(SEND_ERROR "it said: ${output}")
endif()
file(READ ${WORK}/calls calls)
if(NOT calls MATCHES "-S ${ROOT} -B ${WORK}/build --preset release -DWEFT_NS3=ON -DWEFT_TESTS=OFF\n--build ${WORK}/build -j 7\n")
  message(SEND_ERROR "it ran: ${calls}")
endif()
set(ENV_MORE)
# Never more than processors or than the memory that is free has 1.5 GB for.
expect("doctor, all that is needed" 0 "ok +ns-3 .*quickstart builds with [123] jobs" doctor)
program(nproc "echo 9000")
cmake_host_system_information(RESULT mib QUERY TOTAL_PHYSICAL_MEMORY)
expect("doctor, many processors" 0 "builds with [0-9]+ jobs" doctor)
string(REGEX MATCH "with ([0-9]+) jobs" found "${output}")
math(EXPR most "${mib} * 1048576 / 1500000000 + 1")
if(CMAKE_MATCH_1 GREATER most)
  message(SEND_ERROR "${CMAKE_MATCH_1} jobs with ${mib} MiB")
endif()

# Without ns-3, as where there is none.
file(REMOVE ${WORK}/calls)
set(ENV_MORE WEFT_NS3=OFF)
expect("no ns-3" 0 "building weft without it, and so without TCP" build)
file(READ ${WORK}/calls calls)
if(NOT calls MATCHES "--preset release -DWEFT_NS3=OFF -DWEFT_TESTS=OFF\n")
  message(SEND_ERROR "without ns-3 it ran: ${calls}")
endif()
