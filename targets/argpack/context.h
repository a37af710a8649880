// SPDX-License-Identifier: Apache-2.0
// LaunchContext: the arguments that a launch has been given before it starts.
#pragma once

#include "targets/argpack/external.h"
#include "targets/argpack/program.h"

namespace targets::argpack {

struct PackArgument {
  bool bound = false;
  harness::Borrowed<ArgPack> pack;
  DeviceAllocation handle;  ///< Used by policies that keep the handle instead.
};

struct ArrayArgument {
  bool bound = false;
  harness::Borrowed<Ndarray> array;
  /// The CPU launcher has resolved it and says so here, though `array` still holds what it held.
  bool resolved = false;
};

struct ExternalArgument {
  bool bound = false;
  Storage storage = Storage::host;
  harness::Borrowed<HostStorage> host;
  CUdeviceptr device = 0;
};

/// torch memory that the backend cannot reach, and the numpy array that stands in for it. In
/// kernel_impl.py the closure of a callback has both.
struct HostCopy {
  harness::Ref original;
  harness::Ref copy;
};

/// Taichi's LaunchContextBuilder. Everything is a raw pointer, unless the policy adds something.
/// Ownership: the script owns it through its wrapper; the policy is notified when it goes.
struct LaunchContext {
  std::uint32_t generation = 0;  ///< Generation of the program that made it.
  harness::Borrowed<Kernel> kernel;
  harness::Borrowed<CompiledKernel> compiled;
  std::uint32_t depth = 0;
  std::array<PackArgument, kDepthLimit> packs;
  ArrayArgument array;
  ArrayArgument gradient;
  ExternalArgument external;
  std::int32_t scalar = 0;
  bool has_scalar = false;
  bool launched = false;  ///< The kernel was submitted, or recorded.
  /// Where arg_buffer and result_buffer point after a launch on a device: into buffers that the
  /// launch has freed. None: at the host's own.
  harness::BirthId device_arguments = harness::BirthId::none;
  harness::BirthId device_results = harness::BirthId::none;
  HostCopy host_copy;             ///< Empty where `external` is bound in place.
  harness::Ref exported;          ///< Used by policies that pin external storage.
  ThingId thing = ThingId::none;  ///< Its number in facts.
  ArgumentBlock arguments{};
  ResultBlock results;  ///< Filled by the launch.

  /// Compiled, and no level of packs left out: two tasks may have bound to it at a time.
  bool complete() const {
    bool all = depth > 0 && compiled;
    for (std::uint32_t level = 0; level < depth; ++level) all = all && packs[level].bound;
    return all;
  }
};

}  // namespace targets::argpack
