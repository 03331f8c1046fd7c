# SPDX-License-Identifier: GPL-2.0-only
# cmake -DMPIRUN=mpirun -DSCRIPT=weft-ranks -DREFUSED=ranks_refused -P ranks_test.cmake
#
# A script run by several ranks prints the lines that one process prints, also when it is stopped, and what they can't
# share out ends the program with the reason. An ns-3 without MPI gives no SCRIPT that knows ranks: the test is skipped.
cmake_policy(VERSION 3.23)
if(NOT MPIRUN OR NOT REFUSED)
  message("skipped: this ns-3 is built without MPI, or there is no mpirun")
  return()
endif()
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)

# run(N ARGS...): sets code and output.
function(run n)
  execute_process(COMMAND ${MPIRUN} -n ${n} ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  set(code ${code} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

foreach(stop 0s 3100ns 77777ps 20us)
  set(expected)
  foreach(n 1 2 3)
    run(${n} ${SCRIPT} --stop=${stop})
    if(NOT code EQUAL 0)
      message(FATAL_ERROR "${n} ranks, stop ${stop}: exit code ${code}\n${errors}")
    endif()
    string(REPLACE "\n" ";" lines "${output}")
    list(SORT lines)
    if(n EQUAL 1)
      set(expected "${lines}")
    elseif(NOT lines STREQUAL expected)
      message(FATAL_ERROR "${n} ranks, stop ${stop}: other lines than one rank\n${output}")
    endif()
  endforeach()
endforeach()

foreach(refusal "threads:attribute Threads is not 1" "drops:packets, queues or queue pairs are watched"
        "post:host 0 is of rank 0: rank 1 can't post its messages" "rank:is of rank 7, and there are 2"
        "hosts:no host of the fabric is of rank 1" "delay:a link without a delay" "link:changes of links: not in a fabric"
        "look:looked at by all of them, when Simulator::Run is over" "setup:WeftFabricHelper::Setup.. after MpiInterface::Enable")
  string(REGEX MATCH "^([^:]*):(.*)$" refusal "${refusal}")
  set(why "${CMAKE_MATCH_2}")
  run(2 ${REFUSED} ${CMAKE_MATCH_1})
  if(code EQUAL 0 OR NOT errors MATCHES "${why}")
    message(FATAL_ERROR "${CMAKE_MATCH_1}: exit code ${code}, and not '${why}'\n${errors}")
  endif()
endforeach()
run(2 ${REFUSED})
if(NOT code EQUAL 0)
  message(FATAL_ERROR "nothing to refuse: exit code ${code}\n${errors}")
endif()
