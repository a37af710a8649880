# SPDX-License-Identifier: Apache-2.0
# Kernels that come as text: the translator of PTX, and the libraries that compile and link it.

# Kernels that come as text, which libcuda.so.1 alone takes.
sources(ptx_sources harness/device_code/ptx/*.cpp)
sources(ptx_device harness/device_code/ptx/device/*.h)
add_library(ptx OBJECT ${ptx_sources})
target_link_libraries(ptx PRIVATE flags cold)
precompile(ptx FROM ${cold_headers})
unite(ptx 4 APART lexer link module parser parser_body
  "instructions_(matrix|texture)")  # Those are in libnvJitLink.so, too.
add_library(ptx_device OBJECT harness/device_code/ptx/device.S)
target_include_directories(ptx_device PRIVATE ${PROJECT_SOURCE_DIR})
set_source_files_properties(harness/device_code/ptx/device.S PROPERTIES OBJECT_DEPENDS "${ptx_device}")

# libnvrtc.so.13: kernels in CUDA C++, by compilers of this machine. It is in front of every program that
# `afterlife run` runs, needs libc alone, and opens libafterlife_nvrtc.so when it is called.
sources(nvrtc_sources harness/device_code/nvrtc/*.cpp)
sources(nvrtc_device harness/device_code/nvrtc/device/*.cuh)
add_library(nvrtc OBJECT ${nvrtc_sources})
target_link_libraries(nvrtc PRIVATE flags cold)
unite(nvrtc 2)
# Found by harness/base/process/cuda_tool.cpp from where it is: no program names a folder of this machine.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
file(CREATE_LINK ${CUDA_ROOT} ${PROJECT_BINARY_DIR}/lib/toolkit SYMBOLIC)
add_library(nvrtc_device OBJECT harness/device_code/nvrtc/device.S)
target_include_directories(nvrtc_device PRIVATE ${PROJECT_SOURCE_DIR})
set_source_files_properties(harness/device_code/nvrtc/device.S PROPERTIES OBJECT_DEPENDS "${nvrtc_device}")
add_library(nvrtc_rest SHARED harness/device_code/libnvrtc/nvrtc.cpp $<TARGET_OBJECTS:nvrtc> $<TARGET_OBJECTS:nvrtc_device>
  $<FILTER:$<TARGET_OBJECTS:base>,INCLUDE,/base/\(files|process\)/|/base/printable>)
target_link_libraries(nvrtc_rest PRIVATE flags)
add_library(nvrtc_front SHARED harness/device_code/libnvrtc/front.cpp)
set(nvrtc_exports ${PROJECT_SOURCE_DIR}/scripts/cmake/libnvrtc.map)
set_target_properties(nvrtc_rest PROPERTIES OUTPUT_NAME afterlife_nvrtc)
set_target_properties(nvrtc_front PROPERTIES OUTPUT_NAME nvrtc SOVERSION 13)

# libnvJitLink.so.13: modules in PTX as one; likewise in front, of libafterlife_nvjitlink.so.
add_library(nvjitlink_rest SHARED harness/device_code/libnvjitlink/nvjitlink.cpp
  $<FILTER:$<TARGET_OBJECTS:ptx>,INCLUDE,/harness/device_code/ptx/\(lexer|link|module|parser|parser_body\)[.]>)
target_link_libraries(nvjitlink_rest PRIVATE flags)
add_library(nvjitlink_front SHARED harness/device_code/libnvjitlink/front.cpp)
set(nvjitlink_exports ${PROJECT_SOURCE_DIR}/scripts/cmake/libnvjitlink.map)
set_target_properties(nvjitlink_rest PROPERTIES OUTPUT_NAME afterlife_nvjitlink)
set_target_properties(nvjitlink_front PROPERTIES OUTPUT_NAME nvJitLink SOVERSION 13)

# Both of each: one with the functions, and one in front that needs the C library alone.
foreach(name nvrtc nvjitlink)
  target_link_libraries(${name}_front PRIVATE flags)
  target_compile_options(${name}_front PRIVATE -fno-exceptions -fno-rtti)
  target_link_options(${name}_front PRIVATE -nostdlib++ -Wl,--as-needed)
  foreach(library ${name}_rest ${name}_front)
    target_link_options(${library} PRIVATE -Wl,--version-script=${${name}_exports} -Wl,--gc-sections -Wl,-z,nodelete)
    set_target_properties(${library} PROPERTIES LINK_DEPENDS ${${name}_exports}
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  endforeach()
  # Clients of CUDA 12 look for them by that name.
  get_target_property(soname ${name}_front OUTPUT_NAME)
  add_custom_command(TARGET ${name}_front POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink lib${soname}.so.13 ${PROJECT_BINARY_DIR}/lib/lib${soname}.so.12)
  add_dependencies(${name}_front ${name}_rest)
endforeach()
