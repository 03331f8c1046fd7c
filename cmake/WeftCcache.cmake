# SPDX-License-Identifier: GPL-2.0-only
# Compiles through ccache, where there is one that works. It keeps what it has in the home folder; where that can't be written, as in
# containers with a user of their own, in the build folder.
find_program(CCACHE_PROGRAM ccache)

# Sets out to whether ccache compiles, with ARGN in front.
function(weft_ccache_works out)
  set(folder ${CMAKE_BINARY_DIR}/CMakeFiles/weft-ccache)
  file(WRITE ${folder}/trial.c "int weft_trial;\n")
  execute_process(COMMAND ${ARGN} ${CCACHE_PROGRAM} ${CMAKE_C_COMPILER} -c trial.c -o trial.o WORKING_DIRECTORY ${folder}
                  RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
  if(code EQUAL 0)
    set(${out} ON PARENT_SCOPE)
  else()
    set(${out} OFF PARENT_SCOPE)
  endif()
endfunction()

if(CCACHE_PROGRAM)
  set(ccache_env)
  weft_ccache_works(works)
  if(NOT works)
    set(ccache_env CCACHE_DIR=${CMAKE_BINARY_DIR}/ccache)
    weft_ccache_works(works ${CMAKE_COMMAND} -E env ${ccache_env})
    if(works)
      message(STATUS "ccache can't write to its folder: it uses ${CMAKE_BINARY_DIR}/ccache")
    endif()
  endif()
  if(works)
    # Clones and work trees share what was compiled: paths are hashed relative to the source. Objects for a debugger name their folder, and
    # are shared only by the builds for fuzzing.
    list(APPEND ccache_env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR})
    if(CMAKE_BUILD_TYPE STREQUAL "Release" OR WEFT_FUZZ)
      list(APPEND ccache_env CCACHE_NOHASHDIR=1)
    endif()
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${ccache_env} ${CCACHE_PROGRAM})
    # The tests' precompiled headers: ccache looks at what they are, not when they were made.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${ccache_env} ${CCACHE_PROGRAM})
  else()
    message(STATUS "ccache does not work here, and is not used")
  endif()
endif()
