// SPDX-License-Identifier: Apache-2.0
// A user's program for nights and histories: a script with selectable bugs, and with lines that can
// be moved.
#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/client/tests/run_stage.h"

namespace harness::testing {

/// The bugs of the script: each is a use after the end, in its own function, that every run shows.
struct Bugs {
  bool first = false;
  bool second = false;
};

/// Returns the script, with `lines` more in front of everything.
inline std::string buggy_script(const Bugs& bugs, int lines = 0) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += fmt::format("# line {}\n", i);
  text +=
      "import ctypes\n"
      "cuda = ctypes.CDLL('libcuda.so.1')\n"
      "context, stream = ctypes.c_void_p(), ctypes.c_void_p()\n"
      "cuda.cuInit(0)\n"
      "cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\n"
      "cuda.cuCtxSetCurrent(context)\n"
      "cuda.cuStreamCreate(ctypes.byref(stream), 1)\n"
      "def use(address):\n"
      "  cuda.cuMemsetD8Async(address, 1, 64, stream)\n"
      "  cuda.cuStreamSynchronize(stream)\n"
      "def made():\n"
      "  address = ctypes.c_uint64()\n"
      "  cuda.cuMemAlloc_v2(ctypes.byref(address), 64)\n"
      "  return address\n";
  for (const auto& [name, has_bug] :
       {std::pair{"first", bugs.first}, std::pair{"second", bugs.second}})
    text += fmt::format(
        "def {0}():\n"
        "  address = made()\n"
        "  use(address)\n"
        "  cuda.cuMemFree_v2(address)\n"
        "{1}"
        "{0}()\n",
        name, has_bug ? "  use(address)\n" : "");
  return text;
}

}  // namespace harness::testing
