// How it works. Python.h is not included: what is used of it has been the same since 3.10, and a
// build needs no Python. Objects are addresses.
#include "harness/entries/libcuda/python.h"

#include <dlfcn.h>

#include <string_view>
#include <utility>

namespace harness::entries {
namespace {

using Object = void*;
using Trace = int (*)(Object self, Object frame, int what, Object argument);
constexpr int kLine = 2;  ///< PyTrace_LINE.

/// Functions of Python.h that are used, by their names there: what they return, and what they take.
#define AFTERLIFE_PYTHON_FUNCTIONS(FUNCTION)                      \
  FUNCTION(int, Py_IsInitialized, ())                             \
  FUNCTION(void, Py_DecRef, (Object))                             \
  FUNCTION(int, Py_AddPendingCall, (int (*)(void*), void*))       \
  FUNCTION(int, PyGILState_Ensure, ())                            \
  FUNCTION(void, PyGILState_Release, (int))                       \
  FUNCTION(Object, PyGILState_GetThisThreadState, ())             \
  FUNCTION(Object, PyEval_GetFrame, ())                           \
  FUNCTION(void, PyEval_SetTrace, (Trace, Object))                \
  FUNCTION(Object, PyFrame_GetBack, (Object))                     \
  FUNCTION(Object, PyFrame_GetCode, (Object))                     \
  FUNCTION(int, PyFrame_GetLineNumber, (Object))                  \
  FUNCTION(Object, PyObject_GetAttrString, (Object, const char*)) \
  FUNCTION(Object, PyObject_CallNoArgs, (Object))                 \
  FUNCTION(Object, PySys_GetObject, (const char*))                \
  FUNCTION(const char*, PyUnicode_AsUTF8, (Object))               \
  FUNCTION(long, PyGC_Collect, ())                                \
  FUNCTION(Object, PyImport_ImportModule, (const char*))          \
  FUNCTION(Object, PyObject_CallMethod, (Object, const char*, const char*, ...))

struct Functions {
#define AFTERLIFE_DECLARE(result, name, parameters) result(*name) parameters = nullptr;
  AFTERLIFE_PYTHON_FUNCTIONS(AFTERLIFE_DECLARE)
#undef AFTERLIFE_DECLARE
  Object none = nullptr;
};

Functions python;
Python::Question when_to_collect = nullptr;
/// From when a collection is wanted until it is over. Finalizers run in it: one that had another
/// collection pending would have 3.11 look for ever whether it is its turn.
bool is_collecting = false;

template <class Function>
bool find_symbol(Function& function, const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  function = reinterpret_cast<Function>(found);
  return found != nullptr;
}

/// The interpreter's lock, held for as long as it lives.
class Locked {
 public:
  Locked() : state_(python.PyGILState_Ensure()) {}
  ~Locked() { python.PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int state_;
};

/// Something of the interpreter's that we have a reference to.
class Owned {
 public:
  explicit Owned(Object object) : object_(object) {}
  ~Owned() {
    if (object_ != nullptr) python.Py_DecRef(object_);
  }
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Object get() const { return object_; }

 private:
  Object object_;
};

std::string text_of(Object object, const char* attribute) {
  const Owned value(python.PyObject_GetAttrString(object, attribute));
  const char* text = value.get() != nullptr ? python.PyUnicode_AsUTF8(value.get()) : nullptr;
  return text != nullptr ? text : "";
}

/// Was installed, or is Python's own: not where a user's mistakes are.
bool is_library(std::string_view file) {
  return file.starts_with('<') || file.find("/site-packages/") != file.npos ||
         file.find("/dist-packages/") != file.npos || file.find("/lib/python3") != file.npos;
}

client::Frame describe(Object frame) {
  const Owned code(python.PyFrame_GetCode(frame));
  client::Frame described{text_of(code.get(), "co_filename"), python.PyFrame_GetLineNumber(frame),
                          text_of(code.get(), "co_name"), 0, false};
  described.is_library = is_library(described.file);
  return described;
}

int collect(void*) {
  python.PyGC_Collect();
  is_collecting = false;
  return 0;
}

int on_event(Object, Object frame, int what, Object) {
  if (what != kLine || is_collecting) return 0;
  const client::Frame here = describe(frame);
  if (here.is_library || !when_to_collect(here.file.c_str(), here.line)) return 0;
  is_collecting = true;
  if (python.Py_AddPendingCall(collect, nullptr) != 0) is_collecting = false;
  return 0;
}

}  // namespace

bool Python::look_up() {
#define AFTERLIFE_FIND(result, name, parameters) &&find_symbol(python.name, #name)
  return find_symbol(python.none, "_Py_NoneStruct") AFTERLIFE_PYTHON_FUNCTIONS(AFTERLIFE_FIND);
#undef AFTERLIFE_FIND
}

const Python* Python::find() {
  static Python interpreter;
  static const bool is_there = interpreter.look_up();
  return is_there && python.Py_IsInitialized() != 0 ? &interpreter : nullptr;
}

client::Place Python::place() const {
  constexpr std::size_t kFrameLimit = 32;
  client::Place place;
  if (python.PyGILState_GetThisThreadState() == nullptr) return place;
  const Locked lock;
  Object borrowed = python.PyEval_GetFrame();
  if (borrowed == nullptr) return place;
  place.push_back(describe(borrowed));
  Owned frame(python.PyFrame_GetBack(borrowed));
  while (frame.get() != nullptr && place.size() < kFrameLimit) {
    place.push_back(describe(frame.get()));
    frame = Owned(python.PyFrame_GetBack(frame.get()));
  }
  return place;
}

/// Has it run no more by itself. It stays enabled, unless the program disables it: then it does not
/// run where it is asked, either.
static void stop_collector() {
  const Owned gc(python.PyImport_ImportModule("gc"));
  if (gc.get() != nullptr)
    const Owned none(python.PyObject_CallMethod(gc.get(), "set_threshold", "i", 0));
}

bool Python::ask_when_to_collect(Question question) const {
  if (python.PyGILState_GetThisThreadState() == nullptr) return false;
  const Locked lock;
  if (Object function = python.PySys_GetObject("gettrace"); function != nullptr) {
    const Owned present(python.PyObject_CallNoArgs(function));
    if (present.get() != python.none) return false;
  }
  stop_collector();
  when_to_collect = question;
  python.PyEval_SetTrace(on_event, nullptr);
  return true;
}

}  // namespace harness::entries
