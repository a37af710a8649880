// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA 12 that are a single driver call, one for each such row of interface.def.
#include "harness/client/inside/libcudart/forward.h"

#include "harness/client/inside/libcudart/cuda12/functions.h"

#define CUDART_FORWARD(name, needs, target, group, test, parameters, ...) \
  CUDART_FORWARDED(name, needs, target, parameters, __VA_ARGS__)
#include "harness/client/inside/libcudart/cuda12/interface.def"
