// SPDX-License-Identifier: Apache-2.0
// LaunchContext: the arguments of a launch before it starts.
#pragma once

#include "targets/argpack/external.h"
#include "targets/argpack/program.h"

namespace targets::argpack {

struct PackArgument {
  bool bound = false;
  harness::Borrowed<ArgPack> pack;
  DeviceAllocation handle;  ///< Used instead of `pack` by policies that keep the handle.
};

struct ArrayArgument {
  bool bound = false;
  harness::Borrowed<Ndarray> array;
  /// Set once the CPU launcher has resolved it: `array` then counts as a device address.
  bool resolved = false;
};

struct ExternalArgument {
  bool bound = false;
  Storage storage = Storage::host;
  harness::Borrowed<HostStorage> host;
  CUdeviceptr device = 0;
};

/// torch memory that the backend cannot access, and the numpy array that replaces it. In
/// kernel_impl.py the closure of a callback holds both.
struct HostCopy {
  harness::Ref original;
  harness::Ref copy;
};

/// Taichi's LaunchContextBuilder. Everything is a raw pointer unless the policy adds a holder.
/// Ownership: the script owns it through its wrapper; the policy is notified when it is destroyed.
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
  /// Freed buffers of an earlier launch on a device, to which arg_buffer and result_buffer still
  /// point. None: they point to the host's own buffers.
  harness::BirthId device_arguments = harness::BirthId::none;
  harness::BirthId device_results = harness::BirthId::none;
  HostCopy host_copy;             ///< Empty if `external` is bound in place.
  harness::Ref exported;          ///< Used by policies that pin external storage.
  ThingId thing = ThingId::none;  ///< Its id in facts.
  ArgumentBlock arguments{};
  ResultBlock results;  ///< Filled by the launch.

  /// Returns whether it is compiled and all packs are bound, also if two tasks have set arguments.
  bool complete() const {
    bool all = depth > 0 && compiled;
    for (std::uint32_t level = 0; level < depth; ++level) all = all && packs[level].bound;
    return all;
  }
};

}  // namespace targets::argpack
