# SPDX-License-Identifier: Apache-2.0
# Where CUDA is: scripts/setup.sh finds or installs a toolkit and writes its root down.
#   CUDA_INCLUDE  the folder of cuda.h
#   NVCC          the compiler for the GPU; empty where there is none, and then no fatbin is built
#   DEVICE_RUNTIME  what kernels that set conditions are linked with; without it these have no fatbin
set(toolkit_note ${PROJECT_SOURCE_DIR}/build/cuda_root.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${toolkit_note})
if(NOT EXISTS ${toolkit_note})
  message(FATAL_ERROR "No CUDA toolkit is set up: run ./scripts/setup.sh first.")
endif()
file(STRINGS ${toolkit_note} CUDA_ROOT LIMIT_COUNT 1)
set(CUDA_INCLUDE ${CUDA_ROOT}/include)
if(NOT EXISTS ${CUDA_INCLUDE}/cuda.h)
  message(FATAL_ERROR "${CUDA_INCLUDE}/cuda.h is gone: run ./scripts/setup.sh again.")
endif()
find_program(NVCC nvcc PATHS ${CUDA_ROOT}/bin NO_DEFAULT_PATH NO_CACHE)
if(NOT NVCC)
  set(NVCC "")
endif()
find_library(DEVICE_RUNTIME cudadevrt PATHS ${CUDA_ROOT}/lib ${CUDA_ROOT}/lib64 NO_DEFAULT_PATH NO_CACHE)
message(STATUS "CUDA headers: ${CUDA_INCLUDE}; nvcc: ${NVCC}")
