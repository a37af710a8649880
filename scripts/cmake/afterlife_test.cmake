# SPDX-License-Identifier: Apache-2.0
# For projects that use Afterlife: find_package(afterlife), or include() this file, and add tests that run under
# `afterlife run`.
#
#   afterlife_add_test(NAME name [PROGRAM afterlife] [RUNS 20] [OPTIONS option...] COMMAND command...)
#
# PROGRAM is the installed one where the package was found, OPTIONS are those of `afterlife run`. The test fails where
# the program fails by itself, or something is found; findings go to the test's folder in afterlife-found of the
# build. A command may be a target's name.
function(afterlife_add_test)
  cmake_parse_arguments(test "" "NAME;PROGRAM;RUNS" "OPTIONS;COMMAND" ${ARGN})
  if(NOT test_NAME OR NOT test_COMMAND)
    message(FATAL_ERROR "afterlife_add_test: NAME and COMMAND are wanted")
  endif()
  if(NOT test_PROGRAM AND AFTERLIFE_PROGRAM)
    set(test_PROGRAM ${AFTERLIFE_PROGRAM})
  elseif(NOT test_PROGRAM)
    set(test_PROGRAM afterlife)
  endif()
  if(NOT test_RUNS)
    set(test_RUNS 20)
  endif()
  list(POP_FRONT test_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${test_NAME} COMMAND ${test_PROGRAM} run --runs ${test_RUNS}
    --out ${CMAKE_BINARY_DIR}/afterlife-found/${test_NAME} ${test_OPTIONS} -- ${program} ${test_COMMAND})
endfunction()
