# SPDX-License-Identifier: Apache-2.0
# The libraries and programs that `afterlife run` puts into and in front of a program.

# libcuda.so.1: the simulated device as a shared library, from the same objects. Only cu* leaves it;
# the programs export nothing, so theirs stay to themselves.
sources(libcuda_sources harness/client/inside/libcuda/*.cpp harness/client/inside/libcuda/guide/*.cpp harness/client/inside/libcuda/ipc/*.cpp
  harness/client/inside/libcuda/python/*.cpp harness/client/inside/libcuda/races/*.cpp harness/client/inside/libcuda/turns/*.cpp)
join_objects(simulated base core driver devices run border ptx ptx_device)
add_library(cuda_sim SHARED ${libcuda_sources})
target_link_libraries(cuda_sim PRIVATE flags simulated)
precompile(cuda_sim FROM base)
set_source_files_properties(harness/client/inside/libcuda/unsupported.cpp PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON)  # Its functions have names of cuda.h, and other types.
unite(cuda_sim 8 ONLY libcuda/ APART turns/baton native_threads unsupported)
set(exports ${PROJECT_SOURCE_DIR}/scripts/cmake/libcuda.map)
# What no entry point reaches (runs) is left out, and with it the need for the tables.
# It is never unloaded: its threads do not end before the process.
target_link_options(cuda_sim PRIVATE -Wl,--version-script=${exports} -Wl,--gc-sections -Wl,-z,nodelete -Wl,-z,defs)
set_target_properties(cuda_sim PROPERTIES LINK_DEPENDS ${exports}
  OUTPUT_NAME cuda SOVERSION 1
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
add_dependencies(cuda_sim nvrtc_front nvjitlink_front)
# What Python imports in further runs of a finding that does not repeat.
configure_file(harness/client/outside/world_reads/sitecustomize.py
  ${PROJECT_BINARY_DIR}/lib/world_reads/sitecustomize.py COPYONLY)
# Loaded before a program's libraries by `afterlife run`, and by all that the program starts: they need
# nothing but the C library. The one that sees reads is loaded in further runs of a finding that does not repeat.
function(add_preload name folder)
  add_library(${name} SHARED ${ARGN})
  target_link_libraries(${name} PRIVATE flags)
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-sanitize=all)
  target_link_options(${name} PRIVATE -nostdlib++ -fno-sanitize=all -Wl,--as-needed)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  add_dependencies(cuda_sim ${name})
endfunction()
add_preload(afterlife_threads lib harness/client/inside/preload/preload.cpp harness/client/inside/preload/outside.cpp
  harness/client/inside/preload/memory.cpp harness/client/inside/preload/sync.cpp harness/client/inside/preload/clocks.cpp
  harness/client/inside/preload/descent.cpp harness/client/inside/preload/cuda_runtime.cpp)
add_preload(afterlife_reads lib/world_reads harness/client/inside/preload/reads.cpp)
# The tool that NVTX loads.
add_preload(afterlife_nvtx lib harness/client/inside/libnvtx/front.cpp)
# Code that clang compiled with -fsanitize=thread calls it, in place of that sanitizer's run-time.
sources(instrumented_sources harness/client/inside/instrumented/*.cpp)
add_preload(afterlife_instrumented lib ${instrumented_sources})
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  target_compile_options(afterlife_instrumented PRIVATE -mcx16)
endif()
# The loader has it beside the program, and not in it: it needs nothing at all.
add_preload(afterlife_audit lib harness/client/inside/preload/audit.cpp)
target_compile_options(afterlife_audit PRIVATE -fno-stack-protector -ffreestanding)
target_link_options(afterlife_audit PRIVATE -nostdlib)
# A kernel runs checked only as the library's own copy; the conformance tests bring theirs.
sources(kernels targets/*/kernel.cu harness/devices/tests/kernels/conformance.cu)
foreach(kernel ${kernels})
  add_kernel(cuda_sim ${kernel})
endforeach()

# In front of nvcc and ptxas in PATH: the cubin that a program has them make is its PTX.
sources(stand_in_sources harness/client/inside/stand_ins/*.cpp)
add_executable(stand_in ${stand_in_sources}
  $<FILTER:$<TARGET_OBJECTS:base>,INCLUDE,/base/\(process/|printable\)>)
target_link_libraries(stand_in PRIVATE flags)
set(stand_in_folder ${PROJECT_BINARY_DIR}/lib/stand_ins/bin)
set_target_properties(stand_in PROPERTIES OUTPUT_NAME afterlife_stand_in
  RUNTIME_OUTPUT_DIRECTORY ${stand_in_folder})
foreach(tool nvcc ptxas)
  add_custom_command(TARGET stand_in POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink afterlife_stand_in ${stand_in_folder}/${tool})
endforeach()
add_dependencies(cuda_sim stand_in)

# libcudart.so.13: the CUDA runtime on libcuda.so.1, which it opens when it is called; and the same as an archive,
# for programs that are linked with a static runtime. libcudart.so.12 is the same sources by the names of CUDA 12, and
# what is different there.
sources(cudart_sources harness/client/inside/libcudart/*.cpp)
sources(cudart12_sources harness/client/inside/libcudart/cuda12/*.cpp)
set(cudart12_names "SHELL:-include ${PROJECT_SOURCE_DIR}/harness/client/inside/libcudart/cuda12/names.h")
add_library(cudart_objects OBJECT ${cudart_sources})
add_library(cudart12_objects OBJECT ${cudart_sources} ${cudart12_sources})
target_compile_options(cudart12_objects PRIVATE ${cudart12_names})
unite(cudart_objects 4 APART unsupported)
unite(cudart12_objects 4 APART unsupported cuda12/device)
foreach(runtime "cudart 13 lib" "cudart12 12 lib/cuda12")
  separate_arguments(runtime)
  list(POP_FRONT runtime name version folder)
  set(${name}_exports ${PROJECT_SOURCE_DIR}/scripts/cmake/lib${name}.map)
  target_link_libraries(${name}_objects PRIVATE flags)
  add_library(${name} SHARED $<TARGET_OBJECTS:${name}_objects>)
  add_library(${name}_static STATIC $<TARGET_OBJECTS:${name}_objects>)
  target_link_libraries(${name} PRIVATE flags)
  # Modules of a program may have a static runtime inside: a call of one runtime never ends in another.
  target_link_options(${name} PRIVATE -Wl,--version-script=${${name}_exports} -Wl,-Bsymbolic -Wl,-z,nodelete -Wl,--as-needed)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME cudart SOVERSION ${version} LINK_DEPENDS ${${name}_exports}
    BUILD_RPATH "\$ORIGIN;\$ORIGIN/.." LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  set_target_properties(${name}_static PROPERTIES OUTPUT_NAME cudart_static ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  add_dependencies(cuda_sim ${name} ${name}_static)
endforeach()
add_custom_command(TARGET cudart12 POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink cuda12/libcudart.so.12 ${PROJECT_BINARY_DIR}/lib/libcudart.so.12)

# The plug-in for PyTorch: Python, and C++ that is built for the user's PyTorch when it is first loaded.
foreach(file __init__.py __main__.py build.py)
  configure_file(harness/client/inside/torch/afterlife_torch/${file} ${PROJECT_BINARY_DIR}/lib/torch/afterlife_torch/${file} COPYONLY)
endforeach()
foreach(file METADATA entry_points.txt)
  configure_file(harness/client/inside/torch/afterlife_torch-1.dist-info/${file}
    ${PROJECT_BINARY_DIR}/lib/torch/afterlife_torch-1.dist-info/${file} COPYONLY)
endforeach()
sources(torch_sources harness/client/inside/torch/*.h harness/client/inside/torch/*.cpp)
list(TRANSFORM torch_sources REPLACE "^${PROJECT_SOURCE_DIR}/" "")
foreach(file harness/driver/cuda/host_work.h ${torch_sources})
  configure_file(${file} ${PROJECT_BINARY_DIR}/lib/torch/afterlife_torch/${file} COPYONLY)
endforeach()

# Their tests are programs on them, as others are.
sources(cudart_tests harness/client/inside/libcudart/tests/*.cpp)
sources(cudart12_tests harness/client/inside/libcudart/cuda12/tests/*.cpp harness/client/inside/libcudart/tests/runtime_stage.cpp)
foreach(name cudart cudart12)
  add_executable(${name}_tests EXCLUDE_FROM_ALL ${${name}_tests})
  target_link_libraries(${name}_tests PRIVATE flags cold outer ${name} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name}_tests PRIVATE AFTERLIFE_CUDA_INCLUDE="${CUDA_INCLUDE}")
endforeach()
target_compile_options(cudart12_tests PRIVATE ${cudart12_names})
# A program that takes a runtime by its path, a runtime that is not ours, and modules with a static one inside.
set(cudart_clients harness/client/inside/libcudart/tests/clients)
foreach(version 13 12)
  add_library(cudart_other_${version} SHARED ${cudart_clients}/other_runtime.cpp)
  set_target_properties(cudart_other_${version} PROPERTIES OUTPUT_NAME cudart SOVERSION ${version}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/other_runtime_${version})
endforeach()
target_link_options(cudart_other_13 PRIVATE -Wl,--version-script=${cudart_exports})
target_link_options(cudart_other_12 PRIVATE -Wl,--version-script=${cudart12_exports})
foreach(client "used used cudart" "other used cudart_other_13" "used_12 used cudart12" "other_12 used cudart_other_12"
    "late late cudart")
  separate_arguments(client)
  list(GET client 0 name)
  list(GET client 1 source)
  list(GET client 2 runtime)
  add_executable(client_cudart_${name} ${cudart_clients}/${source}.cpp)
  target_compile_options(client_cudart_${name} PRIVATE -g)
  target_link_libraries(client_cudart_${name} PRIVATE flags ${runtime})
  target_link_options(client_cudart_${name} PRIVATE -Wl,--disable-new-dtags)
  list(APPEND cudart_test_programs client_cudart_${name})
endforeach()
find_library(other_static_runtime libcudart_static.a PATHS ${CUDA_ROOT}/lib64 ${CUDA_ROOT}/lib NO_DEFAULT_PATH NO_CACHE)
foreach(module "cudart_module cudart_static" "cudart_module_other ${other_static_runtime}")
  separate_arguments(module)
  list(LENGTH module parts)
  if(parts EQUAL 2)
    list(GET module 0 name)
    list(GET module 1 runtime)
    add_library(${name} SHARED ${cudart_clients}/module.cpp)
    target_link_libraries(${name} PRIVATE flags ${runtime})
    target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
    list(APPEND cudart_test_programs ${name})
  endif()
endforeach()
set_target_properties(cudart_other_13 cudart_other_12 ${cudart_test_programs} PROPERTIES EXCLUDE_FROM_ALL ON)
foreach(tests cudart_tests cudart12_tests)
  add_dependencies(${tests} cuda_sim afterlife ${cudart_test_programs})
endforeach()

# libnvidia-ml.so.1: NVML, by the same device. It needs the C library alone.
sources(nvml_sources harness/client/inside/libnvml/*.cpp)
add_library(nvml SHARED ${nvml_sources})
target_link_libraries(nvml PRIVATE flags)
target_compile_options(nvml PRIVATE -fno-exceptions -fno-rtti -fno-threadsafe-statics)
set(nvml_exports ${PROJECT_SOURCE_DIR}/scripts/cmake/libnvml.map)
target_link_options(nvml PRIVATE -nostdlib++ -Wl,--as-needed -Wl,--version-script=${nvml_exports})
set_target_properties(nvml PROPERTIES OUTPUT_NAME nvidia-ml SOVERSION 1 LINK_DEPENDS ${nvml_exports}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
add_dependencies(cuda_sim nvml)

# The program that `afterlife selftest` runs, beside the script that it runs.
add_executable(selftest_program harness/client/selftest/program.cpp)
target_link_libraries(selftest_program PRIVATE flags)
target_link_options(selftest_program PRIVATE -nostdlib++ -Wl,--as-needed)
set_target_properties(selftest_program PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/selftest)
configure_file(harness/client/selftest/selftest.py ${PROJECT_BINARY_DIR}/lib/selftest/selftest.py COPYONLY)
add_dependencies(cuda_sim selftest_program)
