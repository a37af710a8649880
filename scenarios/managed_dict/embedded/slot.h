// SPDX-License-Identifier: Apache-2.0
// Slot: where this CPython keeps the attributes of an instance, as its own internal headers say.
#pragma once

#include <Python.h>

#include <cstdint>

namespace scenarios::managed_dict::embedded {

/// 3.12 has one tagged word; 3.11 two words, of which this is the one that points at the values.
inline constexpr bool kTagged = PY_VERSION_HEX >= 0x030C0000;

/// The word that the watch is on: values, a dict, or nothing.
std::uintptr_t* slot_of(PyObject* object);

/// Where values[0] is, or 0 if the word means no values.
std::uintptr_t values_in(std::uintptr_t word);

}  // namespace scenarios::managed_dict::embedded
