// SPDX-License-Identifier: Apache-2.0
// Slot: the place of an instance's attributes in this CPython, by its own internal headers.
#pragma once

#include <Python.h>

#include <cstdint>

namespace scenarios::managed_dict::embedded {

/// 3.12 has one tagged word; 3.11 has two words, of which this is the one for the values.
inline constexpr bool kTagged = PY_VERSION_HEX >= 0x030C0000;

/// Returns the watched word: values, a dict, or nothing.
std::uintptr_t* slot_of(PyObject* object);

/// Returns the address of values[0], or 0 if the word does not mean values.
std::uintptr_t values_in(std::uintptr_t word);

}  // namespace scenarios::managed_dict::embedded
