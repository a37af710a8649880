// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/python/api.h"

#include <dlfcn.h>

#include "harness/client/inside/libcuda/python/types.h"

namespace harness::entries {

PythonFunctions python;
PythonTypes python_types;

template <class Function>
static bool find_symbol(Function& function, const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  function = reinterpret_cast<Function>(found);
  return found != nullptr;
}

bool look_up_python() {
#define AFTERLIFE_FIND(result, name, parameters) &&find_symbol(python.name, #name)
#define AFTERLIFE_FIND_OBJECT(member, name) &&find_symbol(python.member, #name)
#define AFTERLIFE_FIND_TYPE(name) &&find_symbol(python_types.name, #name)
  return true AFTERLIFE_PYTHON_FUNCTIONS(AFTERLIFE_FIND)
      AFTERLIFE_PYTHON_OBJECTS(AFTERLIFE_FIND_OBJECT) AFTERLIFE_PYTHON_TYPES(AFTERLIFE_FIND_TYPE);
#undef AFTERLIFE_FIND_TYPE
#undef AFTERLIFE_FIND_OBJECT
#undef AFTERLIFE_FIND
}

const char* present_python_version() {
  int (*is_initialized)() = nullptr;
  const char* (*version)() = nullptr;
  const bool is_there =
      find_symbol(is_initialized, "Py_IsInitialized") && find_symbol(version, "Py_GetVersion");
  return is_there && is_initialized() != 0 ? version() : nullptr;
}

}  // namespace harness::entries
