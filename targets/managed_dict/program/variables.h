// SPDX-License-Identifier: Apache-2.0
// Variables: the names of a script, and what they refer to.
#pragma once

#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

/// Ownership: the program's; each name has a reference.
struct Variables {
  std::array<Address, kVariableCount> objects{};  ///< 0 if the name is not defined.
  std::array<Class, kVariableCount>
      classes{};          ///< Classes of the objects, as the script made them.
  Address held_dict = 0;  ///< The last that vars() returned, or 0.
};

}  // namespace targets::managed_dict
