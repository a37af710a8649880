#include "harness/entries/libcuda/python_api.h"

#include <dlfcn.h>

namespace harness::entries {

PythonFunctions python;

template <class Function>
static bool find_symbol(Function& function, const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  function = reinterpret_cast<Function>(found);
  return found != nullptr;
}

bool look_up_python() {
#define AFTERLIFE_FIND(result, name, parameters) &&find_symbol(python.name, #name)
  return find_symbol(python.none, "_Py_NoneStruct") AFTERLIFE_PYTHON_FUNCTIONS(AFTERLIFE_FIND);
#undef AFTERLIFE_FIND
}

}  // namespace harness::entries
