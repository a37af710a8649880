// SPDX-License-Identifier: Apache-2.0
// Vocabulary: the basic types of a Python program under a JIT, for statements, facts and judges.
//
// The classes are the report's context managers: _NoGrad has `_prev`; _Autocast `_enabled`,
// `_dtype`, `_scale`, `_prev`; _ProfileScope `_name`, `_start`.
#pragma once

#include <cstdint>

#include "harness/driver/runtime.h"

namespace targets::managed_dict {

enum class Class : std::uint8_t { no_grad, autocast, profile_scope };
inline constexpr std::uint32_t kClassCountOfPath = 3;

/// A global of the script.
using Variable = std::uint32_t;
inline constexpr Variable kVariableCount = 6;

/// An attribute, by its index in the class's shared keys. Above the class's own attributes are
/// `extra0`, `extra1`...
using Attribute = std::uint32_t;
inline constexpr Attribute kAttributeLimit = 34;  ///< More than shared keys have room for.

/// Kinds of values to store.
enum class ValueKind : std::uint8_t {
  number,       ///< A new int.
  boolean,      ///< True or False: immortal.
  shared,       ///< The dtype: one mortal object with many references.
  instance,     ///< The instance itself: a cycle.
  called_back,  ///< A new instance; the callback of a weak reference to it reads the
                ///< attribute.
  finalized,    ///< A new instance of a class whose __del__ reads the attribute.
};

enum class Status : std::uint8_t {
  ok,
  name_error,
  attribute_error,
  type_error,
  memory_error,
  driver_error,
};
harness::Label to_label(Status status);

/// Compiled functions of the workload.
enum class Function : std::uint8_t { script, init, enter, exit };
inline constexpr std::uint32_t kFunctionCount = 4;

/// The statement inside a with block.
enum class Body : std::uint8_t { launch, pass };

}  // namespace targets::managed_dict
