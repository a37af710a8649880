# SPDX-License-Identifier: Apache-2.0
# find_package(afterlife): what an installed Afterlife gives to other projects.
#
#   afterlife::afterlife        the command
#   afterlife::libcuda          the simulated driver, libcuda.so.1
#   afterlife::runtime          the CUDA runtime on it, libcudart.so.13
#   afterlife::runtime_static   the same as an archive, in place of NVIDIA's libcudart_static.a
#   afterlife_add_test()        a test that runs under `afterlife run` (afterlife_test.cmake)
#   afterlife_instrument()      races and atomics of a target's code are seen (afterlife_instrument.cmake)
#
# Each of the libraries gives the folder of <afterlife/host_work.h> and <afterlife/launch_count.h>. Headers of CUDA are not
# among them: they are the toolkit's.
get_filename_component(AFTERLIFE_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
set(AFTERLIFE_PROGRAM ${AFTERLIFE_PREFIX}/bin/afterlife)
set(AFTERLIFE_LIBRARIES ${AFTERLIFE_PREFIX}/lib/afterlife)
set(AFTERLIFE_INCLUDE ${AFTERLIFE_PREFIX}/include)

if(NOT TARGET afterlife::afterlife)
  add_executable(afterlife::afterlife IMPORTED)
  set_target_properties(afterlife::afterlife PROPERTIES IMPORTED_LOCATION ${AFTERLIFE_PROGRAM})
  foreach(library "libcuda libcuda.so.1" "runtime libcudart.so.13" "instrumented libafterlife_instrumented.so")
    separate_arguments(library)
    list(GET library 0 name)
    list(GET library 1 file)
    add_library(afterlife::${name} SHARED IMPORTED)
    set_target_properties(afterlife::${name} PROPERTIES IMPORTED_LOCATION ${AFTERLIFE_LIBRARIES}/${file}
      IMPORTED_SONAME ${file} INTERFACE_INCLUDE_DIRECTORIES ${AFTERLIFE_INCLUDE})
  endforeach()
  add_library(afterlife::runtime_static STATIC IMPORTED)
  set_target_properties(afterlife::runtime_static PROPERTIES
    IMPORTED_LOCATION ${AFTERLIFE_LIBRARIES}/link/libcudart_static.a
    INTERFACE_INCLUDE_DIRECTORIES ${AFTERLIFE_INCLUDE} INTERFACE_LINK_LIBRARIES "stdc++;${CMAKE_DL_LIBS}")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/afterlife_test.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/afterlife_instrument.cmake)
