# SPDX-License-Identifier: Apache-2.0
# The slices of harness/ as libraries of objects. Objects, not archives: nothing is left out because no one calls it by
# name. What a slice may include is in scripts/checks/layers.py.

# add_slice(<target> [COLD | OUTER] <glob>...): a slice, or a part of one. COLD is never hot; OUTER is never slow to wait for.
# Parts that are libraries of their own are left out of the slice around them: tests, commands, views, border and inside.
function(add_slice target)
  cmake_parse_arguments(PARSE_ARGV 1 slice "COLD;OUTER" "" "")
  slice_sources(files ${slice_UNPARSED_ARGUMENTS})
  if(NOT target MATCHES "_views$")
    list(FILTER files EXCLUDE REGEX "harness/(gate|client)/views/|/gate/canary/")
  endif()
  list(FILTER files EXCLUDE REGEX "/command/")
  add_library(${target} OBJECT ${files})
  target_link_libraries(${target} PRIVATE flags)
  target_compile_options(${target} PRIVATE ${AFTERLIFE_HARNESS_FLAGS})
  if(slice_COLD OR slice_OUTER)
    target_link_libraries(${target} PRIVATE cold)
  endif()
  if(slice_OUTER)
    target_link_libraries(${target} PRIVATE outer)
  endif()
endfunction()

# join_objects(<name> <target>...): what links <name> has the objects of the targets, in this order.
function(join_objects name)
  add_library(${name} INTERFACE)
  foreach(target ${ARGN})
    target_sources(${name} INTERFACE $<TARGET_OBJECTS:${target}>)
  endforeach()
endfunction()
