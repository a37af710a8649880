// SPDX-License-Identifier: Apache-2.0
// How it works. The statements are Python functions, compiled once: running one allocates almost
// nothing except its own objects, so that pymalloc's free lists are as the path leaves them. Each
// attribute store follows a call of storing(), which is the probe and may plant the fault.
#include "scenarios/managed_dict/tests/embedded/program.h"

#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "scenarios/managed_dict/tests/embedded/recorder.h"
#include "scenarios/managed_dict/tests/embedded/slot.h"

namespace scenarios::managed_dict::embedded {
namespace {

constexpr const char* kSource = R"(
import gc
import weakref
from afterlife import loading, number, reading, recorded, storing

class DType: pass
dtype = DType()

class _NoGrad:
    _enabled = True
    def __enter__(self):
        storing(self); self._prev = _NoGrad._enabled
        _NoGrad._enabled = False
        return self
    def __exit__(self, kind, value, trace):
        loading(self)
        _NoGrad._enabled = self._prev

class _Autocast:
    _current = None
    def __init__(self):
        storing(self); self._enabled = True
        storing(self); self._dtype = dtype
        storing(self); self._scale = number()
    def __enter__(self):
        storing(self); self._prev = _Autocast._current
        return self
    def __exit__(self, kind, value, trace):
        loading(self)
        _Autocast._current = self._prev

class _ProfileScope:
    def __init__(self):
        storing(self); self._name = dtype
    def __enter__(self):
        storing(self); self._start = number()
        return self
    def __exit__(self, kind, value, trace):
        loading(self)
        self._start

CLASSES = [_NoGrad, _Autocast, _ProfileScope]
NAMES = [['_prev'], ['_enabled', '_dtype', '_scale', '_prev'], ['_name', '_start']]
NAMES = [own + ['extra%d' % i for i in range(34)] for own in NAMES]
PLAIN = list(CLASSES)
V = [None] * 6
WHICH = [0] * 6
WANT = [[None] * 40 for _ in V]
NOISE = []

def new_instance(v, c):
    V[v] = CLASSES[c]()
    WHICH[v] = c
    for a in range(40): WANT[v][a] = None
def del_instance(v): V[v] = None
class _Closing:
    def __init__(self, place): self.place = place
    def __del__(self): look(*self.place)
REFERENCES = set()
GUARDS = set()
def look(v, a):
    if V[v] is not None: getattr(V[v], NAMES[WHICH[v]][a], None)
def guarded(v, a, k):
    made = guard(v, a, k)
    GUARDS.add(id(made))
    return made
def guard(v, a, k):
    if k == 5: return _Closing((v, a))
    made = PLAIN[2].__new__(PLAIN[2])
    def going(reference):
        REFERENCES.discard(reference)
        look(v, a)
    REFERENCES.add(weakref.ref(made, going))
    return made
def store_attr(v, a, k):
    value = guarded(v, a, k) if k > 3 else V[v] if k == 3 else dtype if k == 2 else True if k == 1 else number()
    storing(V[v])
    setattr(V[v], NAMES[WHICH[v]][a], value)
    WANT[v][a] = None if k >= 3 else value
def load_attr(v, a):
    loading(V[v])
    got = getattr(V[v], NAMES[WHICH[v]][a], None)
    if WANT[v][a] is not None and got is not WANT[v][a]: reading()
def delete_attr(v, a):
    if NAMES[WHICH[v]][a] in V[v].__dict__: delattr(V[v], NAMES[WHICH[v]][a])
    WANT[v][a] = None
def access_dict(v): V[v].__dict__
def replace_dict(v): V[v].__dict__ = {}; forget(v)
def delete_dict(v): del V[v].__dict__; forget(v)
def forget(v):
    for a in range(40): WANT[v][a] = None
def set_class(v, c): V[v].__class__ = CLASSES[c]; WHICH[v] = c; forget(v)
def set_type_attr(c): CLASSES[c]._revision = number()
def subclass(c): CLASSES[c] = recorded(type('Sub', (CLASSES[c],), {}))
def collect(): gc.collect()
def hold_noise(size): NOISE.append(bytes(max(size - 33, 0)))
def drop_noise(): NOISE and NOISE.pop()
def with_block(depth, body):
    with CLASSES[0]() as outer:
        if depth == 1: run_body(body, outer, 0)
        else:
            with CLASSES[1]() as cast:
                if depth == 2: run_body(body, cast, 1)
                else:
                    with CLASSES[2](): run_body(body, cast, 1)
def run_body(body, instance, c):
    if body == 0: launch_with(instance, c)
def launch_with(instance, c):
    for a in range(3 if c == 1 else 1):
        loading(instance)
        got = getattr(instance, NAMES[c][a], None)
        if got is None or got is instance or id(got) in GUARDS: return
        if c == 1 and a == 0 and got is not True: reading()
def launch(v): launch_with(V[v], WHICH[v])
def clear_up():
    for v in range(6): V[v] = None
    NOISE.clear()
    gc.collect()
gc.disable()
)";

struct State {
  PyObject* names = nullptr;  ///< Globals of the source above.
  std::map<long, std::string> strays;
  std::multimap<long, std::string> stray_loads;
  long store_count = 0;
  long load_count = 0;
  long long last_number = 1'000'000;
  int wanted_bit23 = -1;
  std::vector<PyObject*> elsewhere;  ///< Numbers with the other bit in their address.
};

State& state() {
  static State& the_state = *new State;
  return the_state;
}

[[noreturn]] void raise_python_error(const std::string& where) {
  PyErr_Print();
  throw std::runtime_error(where + ": the interpreter raised");
}

/// Plants other faults: illegal stores to the word, of each width. Returns false if `kind` is not
/// one of them.
bool store_to_word(const std::string& kind, std::uintptr_t* slot) {
#if defined(__x86_64__)
  if (kind == "and_byte") {
    asm volatile("andb $0xfe, %0" : "+m"(*slot));
  } else if (kind == "and_two") {
    asm volatile("andw $0xfffe, %0" : "+m"(*slot));
  } else if (kind == "sub_four") {
    asm volatile("subl $1, %0" : "+m"(*slot));
  } else if (kind == "sub_eight") {
    asm volatile("subq $1, %0" : "+m"(*slot));
  } else if (kind == "store_sixteen") {
    const std::uintptr_t words[2] = {slot[-1], slot[0] & ~std::uintptr_t{1}};
    asm volatile("movups (%0), %%xmm0\n\tmovups %%xmm0, (%1)"
                 :
                 : "r"(words), "r"(slot - 1)
                 : "xmm0", "memory");
  } else if (kind == "clear_sixteen") {
    asm volatile("pxor %%xmm0, %%xmm0\n\tmovups %%xmm0, (%0)" : : "r"(slot - 1) : "xmm0", "memory");
  } else {
    return false;
  }
  return true;
#else
  return false;
#endif
}

/// Plants the fault of a compiler that treats the tagged word as an owned object. The interpreter's
/// own functions count, so that our code has no undefined behaviour.
void stray(const std::string& kind, PyObject* object) {
  if (store_to_word(kind, slot_of(object))) return;
  const std::uintptr_t word = *slot_of(object);
  // Not a fault: like a store to its neighbours that masks out the word's bytes.
  if (kind == "rewrite") *static_cast<volatile std::uintptr_t*>(slot_of(object)) = word;
  auto* seeming = reinterpret_cast<PyObject*>(kind == "incref_values" ? values_in(word) : word);
  const auto times = [&](const char* what) {
    return kind == what || kind == "balanced" ? 1 : kind == std::string(what) + "2" ? 2 : 0;
  };
  for (int i = times("incref") + (kind == "incref_values"); i > 0; --i) Py_IncRef(seeming);
  for (int i = times("decref"); i > 0; --i) Py_DecRef(seeming);
}

PyObject* loading(PyObject*, PyObject* object) {
  record_load(object);
  State& known = state();
  const auto [first, last] = known.stray_loads.equal_range(++known.load_count);
  for (auto due = first; due != last; ++due) stray(due->second, object);
  Py_RETURN_NONE;
}

/// Returns its argument, a class whose instances are recorded from now on.
PyObject* recorded(PyObject*, PyObject* type) {
  record_class(reinterpret_cast<PyTypeObject*>(type));
  return Py_NewRef(type);
}

PyObject* storing(PyObject*, PyObject* object) {
  record_store(object);
  State& known = state();
  if (const auto due = known.strays.find(++known.store_count); due != known.strays.end())
    stray(due->second, object);
  Py_RETURN_NONE;
}

PyObject* number(PyObject*, PyObject*) {
  constexpr std::size_t kPatience = 1 << 20;
  State& known = state();
  ++known.last_number;
  for (std::size_t attempt = 0; attempt < kPatience; ++attempt) {
    PyObject* made = PyLong_FromLongLong(known.last_number);
    const int bit23 = static_cast<int>(reinterpret_cast<std::uintptr_t>(made) >> 23 & 1);
    if (known.wanted_bit23 < 0 || bit23 == known.wanted_bit23) return made;
    known.elsewhere.push_back(made);
  }
  PyErr_SetString(PyExc_MemoryError, "no number at an address with that bit");
  return nullptr;
}

PyObject* reading(PyObject*, PyObject*) {
  record_reading();
  Py_RETURN_NONE;
}

PyMethodDef kFunctions[] = {
    {"storing", storing, METH_O, nullptr},      {"loading", loading, METH_O, nullptr},
    {"recorded", recorded, METH_O, nullptr},    {"number", number, METH_NOARGS, nullptr},
    {"reading", reading, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "afterlife",
                       nullptr,
                       -1,
                       kFunctions,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

void call(const std::string& name, const std::vector<long>& numbers) {
  PyObject* function = PyDict_GetItemString(state().names, name.c_str());
  if (function == nullptr || !PyFunction_Check(function))
    throw std::runtime_error("no statement is called '" + name + "'");
  PyObject* arguments[3];
  std::size_t count = 0;
  for (const long each : numbers) arguments[count++] = PyLong_FromLong(each);
  PyObject* result = PyObject_Vectorcall(function, arguments, count, nullptr);
  if (result == nullptr) raise_python_error(name);
  Py_DECREF(result);
  for (std::size_t i = 0; i < count; ++i) Py_DECREF(arguments[i]);
}

void run_line(const std::string& line) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  if (name.empty() || name[0] == '#') return;
  std::vector<long> numbers;
  for (long each = 0; numbers.size() < 3 && words >> each;) numbers.push_back(each);
  words.clear();
  std::string kind;
  words >> kind;
  if (name == "stray") {
    state().strays[numbers.at(0)] = kind;
  } else if (name == "stray_load") {
    state().stray_loads.emplace(numbers.at(0), kind);
  } else if (name == "bit23") {
    state().wanted_bit23 = static_cast<int>(numbers.at(0));
  } else {
    next_statement();
    call(name, numbers);
    drain_writes();
  }
}

}  // namespace

void define_program() {
  PyObject* module = PyModule_Create(&kModule);
  PyDict_SetItemString(PyImport_GetModuleDict(), "afterlife", module);
  state().names = PyModule_GetDict(PyImport_AddModule("__main__"));
  PyObject* done = PyRun_String(kSource, Py_file_input, state().names, state().names);
  if (done == nullptr) raise_python_error("the program's own source");
  Py_DECREF(done);
  constexpr int kWarmUp = 40;
  for (int i = 0; i < kWarmUp; ++i) call("with_block", {3, 0});
  call("clear_up", {});
  state().store_count = state().load_count = 0;
}

void record_program() {
  PyObject* classes = PyDict_GetItemString(state().names, "CLASSES");
  for (Py_ssize_t i = 0; i < PyList_Size(classes); ++i)
    record_class(reinterpret_cast<PyTypeObject*>(PyList_GetItem(classes, i)));
}

void run_program(std::istream& statements) {
  for (std::string line; std::getline(statements, line);) run_line(line);
}

}  // namespace scenarios::managed_dict::embedded
