// SPDX-License-Identifier: Apache-2.0
#define Py_BUILD_CORE 1
#include "scenarios/managed_dict/tests/embedded/slot.h"

extern "C" {
#include <internal/pycore_object.h>
}

namespace scenarios::managed_dict::embedded {

std::uintptr_t* slot_of(PyObject* object) {
#if PY_VERSION_HEX >= 0x030C0000
  return reinterpret_cast<std::uintptr_t*>(_PyObject_DictOrValuesPointer(object));
#else
  return reinterpret_cast<std::uintptr_t*>(_PyObject_ValuesPointer(object));
#endif
}

std::uintptr_t values_in(std::uintptr_t word) {
  if constexpr (kTagged) return (word & 1) != 0 ? word + 1 : 0;
  return word;
}

}  // namespace scenarios::managed_dict::embedded
