# SPDX-License-Identifier: Apache-2.0
# add_kernel(<target> <file.cu> [PLAIN]): adds a kernel to the target, compiled twice.
#
# By nvcc to a fatbin for the GPU, held in the program as
#     extern "C" const unsigned char afterlife_fatbin_<name>[];
#     extern "C" const std::uint64_t afterlife_fatbin_<name>_size;   // 0 where there is no nvcc
# and by clang as plain C++ for the simulated device, where each load and store calls __prov_*.
# Name: that of the file, or of the folder if the file is called kernel.cu.
# PLAIN leaves the calls out, for benchmarks. No build's own sanitizer ever sees a kernel: the
# checks are the harness's, so that all builds agree.
set(kernel_flags -include harness/devices/sim/kernel.h
  -O2 -g1 -ffp-contract=off -fno-exceptions
  -Wall -Wextra -Werror)
set(kernel_provenance -fsanitize=kernel-address
  "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0"
  "SHELL:-mllvm -asan-stack=0" "SHELL:-mllvm -asan-globals=0"
  "SHELL:-mllvm -asan-memory-access-callback-prefix=__prov_"
  "SHELL:-mllvm -asan-kernel-mem-intrinsic-prefix=1"  # Struct copies and memset idioms: __prov_memcpy.
  "SHELL:-mllvm -asan-opt-same-temp=0"  # Else the store of a read-modify-write goes unseen.
  "SHELL:-mllvm -asan-constructor-kind=none")
# PTX of the oldest architecture runs on every newer one; the code is for two common ones.
set(fatbin_flags -std=c++20 -fmad=false)
set(fatbin_code -gencode=arch=compute_75,code=compute_75
  -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90)
# What is linked with the device runtime is no PTX any more: code for each architecture there is.
foreach(architecture IN ITEMS 75 80 90 100 120)
  list(APPEND fatbin_linked_code -gencode=arch=compute_${architecture},code=sm_${architecture})
endforeach()

function(add_kernel target file)
  cmake_parse_arguments(PARSE_ARGV 2 kernel "PLAIN" "" "")
  cmake_path(GET file STEM name)
  if(name STREQUAL "kernel")
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
  endif()

  set(host kernel_${name}_in_${target})
  set_source_files_properties(${file} PROPERTIES LANGUAGE CXX)
  add_library(${host} OBJECT ${file})
  target_include_directories(${host} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${host} PRIVATE ${kernel_flags} ${AFTERLIFE_PREFIX_MAP})
  if(NOT kernel_PLAIN)
    target_compile_options(${host} PRIVATE ${kernel_provenance})
  endif()
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL "SHARED_LIBRARY")
    set_target_properties(${host} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  add_objects_to(${target} $<TARGET_OBJECTS:${host}>)

  fatbin(${name} ${file})
  add_objects_to(${target} $<TARGET_OBJECTS:fatbin_${name}>)
endfunction()

# Objects do not pass through an object library: there they go to everything that links it.
function(add_objects_to target)
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL "OBJECT_LIBRARY")
    target_sources(everything INTERFACE ${ARGN})
  else()
    target_sources(${target} PRIVATE ${ARGN})
  endif()
endfunction()

function(fatbin name file)
  if(TARGET fatbin_${name})
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/generated/fatbins)
  file(MAKE_DIRECTORY ${folder})
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE source)
  file(STRINGS ${source} conditional REGEX cudaGraphSetConditional)
  if(NVCC AND (DEVICE_RUNTIME OR NOT conditional))
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    set(nvcc ${NVCC} -ccbin ${CMAKE_CXX_COMPILER})
    set(compile COMMAND ${nvcc} -fatbin ${fatbin_flags} ${fatbin_code} -I .
                -o ${folder}/${name}.fatbin ${file})
    if(conditional)
      set(compile COMMAND ${nvcc} -dc ${fatbin_flags} ${fatbin_linked_code} -I .
                  -o ${folder}/${name}.o ${file}
                  COMMAND ${nvcc} -dlink -fatbin ${fatbin_linked_code} -o ${folder}/${name}.fatbin
                  ${folder}/${name}.o ${DEVICE_RUNTIME})
    endif()
    add_custom_command(OUTPUT ${folder}/${name}.fatbin ${compile}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}  # Relative names: the fatbin holds no path of ours.
      DEPENDS ${PROJECT_SOURCE_DIR}/${file} ${PROJECT_SOURCE_DIR}/harness/devices/sim/kernel.h
      COMMENT "nvcc ${file}" VERBATIM)
  else()
    file(WRITE ${folder}/${name}.fatbin "")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/fatbin.S.in ${folder}/${name}.S @ONLY)
  set_source_files_properties(${folder}/${name}.S PROPERTIES OBJECT_DEPENDS ${folder}/${name}.fatbin)
  add_library(fatbin_${name} OBJECT ${folder}/${name}.S)
  target_include_directories(fatbin_${name} PRIVATE ${folder})
endfunction()
