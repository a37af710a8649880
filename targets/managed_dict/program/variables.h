// SPDX-License-Identifier: Apache-2.0
// Variables: the names of a script, and the objects that they refer to.
#pragma once

#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

/// Ownership: owned by the program; each name holds a reference.
struct Variables {
  std::array<Address, kVariableCount> objects{};  ///< 0 if the name is not defined.
  std::array<Class, kVariableCount>
      classes{};          ///< Class that each of the objects was created with.
  Address held_dict = 0;  ///< Last result of vars(), or 0.
};

}  // namespace targets::managed_dict
