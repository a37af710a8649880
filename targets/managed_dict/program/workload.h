// SPDX-License-Identifier: Apache-2.0
// Workload: the report's context managers, and the statements inside them.
#pragma once

#include "targets/managed_dict/program/bytecodes.h"
#include "targets/managed_dict/program/launcher.h"
#include "targets/managed_dict/program/noise.h"

namespace targets::managed_dict {

/// Ownership: owned by the program; owns the CUDA side until close().
class Workload {
 public:
  Workload(Core& core, Bytecodes& code, Noise& noise)
      : core_(core), code_(code), noise_(noise), launcher_(core.runtime) {}

  bool open() { return launcher_.open(); }
  bool close() { return launcher_.close(); }

  /// Makes an instance and runs its class's __init__. Returns 0 on failure.
  Address make(Class of);
  Status with_block(std::uint32_t depth, Body body);
  /// Runs the kernel with the attributes of the object, which is of that class.
  Status launch(Function in, Address object, Class of);

 private:
  // Attributes of the workload's classes, in the order of their methods.
  static constexpr Attribute kPrev = 0;  ///< _NoGrad
  static constexpr Attribute kEnabled = 0;
  static constexpr Attribute kDtype = 1;
  static constexpr Attribute kScale = 2;
  static constexpr Attribute kAutocastPrev = 3;
  static constexpr Attribute kName = 0;  ///< _ProfileScope
  static constexpr Attribute kStart = 1;

  Status initialise(Address object, Class of);
  Status enter(Address object, Class of);
  Status exit(Address object, Class of);
  bool argument(Function in, Address object, Attribute attribute, std::int32_t& passed);

  Core& core_;
  Bytecodes& code_;
  Noise& noise_;
  Launcher launcher_;
};

}  // namespace targets::managed_dict
