# SPDX-License-Identifier: GPL-2.0-only
# Options, compiler flags and the two functions every directory uses: weft_library and weft_test.

option(WEFT_NS3 "TCP in the weft program, and the module for ns-3 scripts (needs libns3-dev)" ON)
option(WEFT_REPLAY "Repeated traffic can be taken over instead of simulated (run.replay)" ON)
option(WEFT_PARALLEL "Switches in windows, several threads and processes (run.threads, mpirun)" ON)
option(WEFT_TESTS "Build the tests (needs libgtest-dev)" ON)
option(WEFT_WERROR "Treat warnings as errors" $ENV{WEFT_WERROR})
option(WEFT_ASAN "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(WEFT_TSAN "ThreadSanitizer" OFF)
option(WEFT_FUZZ "Build the libFuzzer program (needs clang)" OFF)
option(WEFT_COVERAGE "gcov instrumentation" OFF)
option(WEFT_MPI "Several processes run one simulation under mpirun, where an MPI is installed (libopenmpi-dev, libmpich-dev)" ON)
option(WEFT_BUNDLE "Install the libraries that the program needs beside it (packaging/tarball)" OFF)
option(WEFT_LTO "Link-time optimisation" OFF)
set(WEFT_PGO "off" CACHE STRING "Profile-guided optimisation: off, generate (runs leave a profile in the build folder), use")
set_property(CACHE WEFT_PGO PROPERTY STRINGS off generate use)
if(NOT WEFT_PGO MATCHES "^(off|generate|use)$")
  message(FATAL_ERROR "WEFT_PGO=${WEFT_PGO}: must be off, generate or use")
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # glibc's POSIX functions, __int128
set(CMAKE_CXX_STANDARD 17) # exactly: ns-3.37's headers are not valid C++20 under GCC 12
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# -O3 for the engine; NDEBUG is not set: weft's invariants are always on.
set(CMAKE_C_FLAGS_RELEASE "-O3")
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
# The sanitizers: half the compile time of -O2 -g, and names and lines in their reports all the same.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")

if(WEFT_PGO STREQUAL "off")
  include(WeftCcache)
endif()

add_library(weft_flags INTERFACE)
target_include_directories(weft_flags INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}
                           ${CMAKE_CURRENT_SOURCE_DIR}/frontend)
# Floating point must give the same bits at every optimisation level: no contraction into fused multiply-add.
target_compile_options(weft_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers -ffp-contract=off
  $<$<COMPILE_LANGUAGE:C>:-Wpedantic -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter>)
# Records of some hundred bytes are cleared by stores: "rep stos", which GCC takes from 128 bytes on, begins slowly.
include(CheckCCompilerFlag)
set(WEFT_CLEARS -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
check_c_compiler_flag(${WEFT_CLEARS} WEFT_CAN_CLEAR)
if(WEFT_CAN_CLEAR)
  target_compile_options(weft_flags INTERFACE ${WEFT_CLEARS})
endif()
# Preconditions of hot functions (base/require.h) are checked where speed does not matter.
if(CMAKE_BUILD_TYPE STREQUAL "Debug" OR WEFT_ASAN)
  target_compile_definitions(weft_flags INTERFACE WEFT_CHECKED)
endif()
if(WEFT_WERROR)
  target_compile_options(weft_flags INTERFACE -Werror)
endif()
if(WEFT_ASAN)
  target_compile_options(weft_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer)
  # NULL + 0, the end of an empty list, is an error to clang's check alone, and C23 allows it.
  target_compile_options(weft_flags INTERFACE $<$<C_COMPILER_ID:Clang>:-fno-sanitize=pointer-overflow>)
  target_link_options(weft_flags INTERFACE -fsanitize=address,undefined)
endif()
if(WEFT_TSAN)
  target_compile_options(weft_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(weft_flags INTERFACE -fsanitize=thread)
endif()
if(WEFT_FUZZ)
  target_compile_options(weft_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(WEFT_LTO)
  target_compile_options(weft_flags INTERFACE -flto=auto)
  target_link_options(weft_flags INTERFACE -flto=auto)
endif()
# The profile belongs to object files by their path: both steps use one build folder.
set(WEFT_PROFILE_DIR ${CMAKE_BINARY_DIR}/profile)
if(WEFT_PGO STREQUAL "generate")
  target_compile_options(weft_flags INTERFACE -fprofile-generate=${WEFT_PROFILE_DIR} -fprofile-update=single)
  target_link_options(weft_flags INTERFACE -fprofile-generate=${WEFT_PROFILE_DIR})
elseif(WEFT_PGO STREQUAL "use")
  if(NOT IS_DIRECTORY ${WEFT_PROFILE_DIR})
    message(FATAL_ERROR "WEFT_PGO=use, but there is no profile in ${WEFT_PROFILE_DIR}: build the preset "
                        "pgo-generate and run the benchmarks first (docs/explanation/performance.md)")
  endif()
  # What the benchmarks did not run is optimised as without a profile.
  target_compile_options(weft_flags INTERFACE -fprofile-use=${WEFT_PROFILE_DIR} -fprofile-partial-training
                         -fprofile-correction -Wno-missing-profile)
endif()
if(WEFT_COVERAGE)
  target_compile_options(weft_flags INTERFACE --coverage)
  target_link_options(weft_flags INTERFACE --coverage)
endif()

# weft_library(NAME SOURCES ... [LIBS ...]): a static library with the project's flags.
function(weft_library name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC weft_flags ${A_LIBS})
endfunction()

# weft_test(NAME SOURCES ... [LIBS ...] [LABELS quick|system|slow]): one GoogleTest program, one CTest per case.
# Tests find outside data through WEFT_SHARED and the source tree through WEFT_SOURCE_DIR (environment).
function(weft_test name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT A_LABELS)
    set(A_LABELS quick)
  endif()
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE ${A_LIBS} weft_flags GTest::gtest_main)
  # What is tested is optimised, the tests are not: they compile in half the time.
  target_compile_options(${name} PRIVATE -O0)
  target_precompile_headers(${name} REUSE_FROM weft_test_headers)
  set(in_c ${A_SOURCES})
  list(FILTER in_c INCLUDE REGEX "\\.c$")
  set_source_files_properties(${in_c} ${PROJECT_SOURCE_DIR}/ns3-module/bridge/ns3_part_linked.c
                              PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_CASES
    PROPERTIES LABELS "${A_LABELS}" TIMEOUT 600)
  # A list-valued ENVIRONMENT does not survive gtest_discover_tests: it is set by a file of its own, read after the cases are known.
  set(env_file ${CMAKE_CURRENT_BINARY_DIR}/${name}_env.cmake)
  file(WRITE ${env_file} "set_tests_properties(\${${name}_CASES} PROPERTIES ENVIRONMENT \
\"WEFT_SOURCE_DIR=${PROJECT_SOURCE_DIR};WEFT_BINARY_DIR=${PROJECT_BINARY_DIR};WEFT_SHARED=${WEFT_SHARED};WEFT_NO_FALLBACK=1\")\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${env_file})
endfunction()

# Where tests look for data that is not part of the project; absent data skips those tests.
if(DEFINED ENV{WEFT_SHARED})
  set(WEFT_SHARED "$ENV{WEFT_SHARED}" CACHE PATH "Outside test data")
else()
  set(WEFT_SHARED "${CMAKE_CURRENT_SOURCE_DIR}/../shared" CACHE PATH "Outside test data")
endif()
