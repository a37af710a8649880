// SPDX-License-Identifier: Apache-2.0
// How it works. tp_alloc and tp_free of the recorded classes are hooked, as in the report's
// design: there a watchpoint is set and removed. Lines are written by write(2), so that nothing is
// lost when the interpreter crashes; the crash handler adds the address and does not prevent the
// crash.
#include "scenarios/managed_dict/tests/embedded/recorder.h"

#include <signal.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "harness/core/instruments/code_place.h"
#include "harness/core/instruments/hardware_watch.h"
#include "scenarios/managed_dict/tests/embedded/slot.h"
#include "scenarios/managed_dict/tests/embedded/tracked_allocator.h"

namespace scenarios::managed_dict::embedded {
namespace {

using harness::instruments::code_place;
using harness::instruments::CodePlace;
using harness::instruments::HardwareWatch;

struct Instance {
  std::uint64_t id;
  TrackedBlock chunk;                  ///< Its values' first known chunk.
  std::vector<std::uintptr_t> values;  ///< Last known values.
};

struct State {
  HardwareWatch* watch = nullptr;
  std::uint64_t tick = 0;
  std::uint64_t stores = 0;
  std::map<PyObject*, Instance> instances;
  std::map<PyTypeObject*, std::pair<allocfunc, freefunc>> originals;
};

State& state() {
  static State& the_state = *new State;  // Outlives the interpreter.
  return the_state;
}

__attribute__((format(printf, 1, 2))) void say(const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) != length) _exit(2);
}

/// Returns the kind of module that contains a code address.
const char* module_of(const CodePlace& place) {
  if (place.module.empty()) return "jit";
  if (place.module.find("libpython") == std::string::npos) return "unknown";
  const bool allocates = place.function.find("malloc") != std::string::npos;
  return allocates ? "allocator" : "interpreter";
}

/// Returns the prefix of a chunk, for which PyMem_Malloc gets size values and size+2 bytes, rounded
/// up.
std::uint8_t prefix_for(std::size_t bytes) {
  for (std::size_t size = 1; size <= 64; ++size) {
    const std::size_t prefix = (size + 2 + 7) / 8 * 8;
    if (prefix + size * 8 == bytes) return static_cast<std::uint8_t>(prefix);
  }
  return 0;
}

/// Returns how far one of the instance's values has moved since it was last seen; 0 if none has. A
/// reference counted at a wrong address moves a value by one.
long value_shift(Instance& instance) {
  const TrackedBlock& chunk = instance.chunk;
  if (chunk.id == 0) return 0;
  const std::size_t prefix = prefix_for(chunk.bytes);
  const auto* values = reinterpret_cast<const std::byte*>(chunk.address + prefix);
  instance.values.resize((chunk.bytes - prefix) / sizeof(std::uintptr_t));
  long found = 0;
  for (std::size_t i = 0; i < instance.values.size(); ++i) {
    std::uintptr_t value;  // Copied, because a misplaced chunk is not aligned.
    std::memcpy(&value, values + i * sizeof value, sizeof value);
    const auto shift = static_cast<long>(value - instance.values[i]);
    constexpr long kReach = 8;
    if (shift != 0 && shift > -kReach && shift < kReach) found = shift;
    instance.values[i] = value;
  }
  return found;
}

void probe(PyObject* object, const Instance& instance, long shift) {
  say("probe %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %ld\n", state().tick,
      std::uint64_t{reinterpret_cast<std::uintptr_t>(object)}, instance.id, instance.chunk.id,
      std::uint64_t{*slot_of(object)}, shift);
}

void on_free(std::uintptr_t pointer, const TrackedBlock& block) {
  State& known = state();
  bool is_values = false;
  for (auto& [object, instance] : known.instances)
    if (instance.chunk.id == block.id) {
      is_values = true;
      probe(object, instance, value_shift(instance));
      instance.chunk = {};
    }
  if (!is_values && pointer == block.address) return;  // Nothing to report.
  // free() gets values[0] minus the prefix that was read, which can be computed from its argument.
  const long expected = is_values ? prefix_for(block.bytes) : 0;
  const long read = expected + static_cast<long>(block.address - pointer);
  say("release %" PRIu64 " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %ld %ld\n", known.tick,
      is_values ? "values" : "none", block.id, std::uint64_t{pointer}, std::uint64_t{block.address},
      read, expected);
}

/// Bytes of the collector and the managed dict before an object.
constexpr std::uintptr_t kBefore = 32;

PyObject* recorded_alloc(PyTypeObject* type, Py_ssize_t items) {
  State& known = state();
  PyObject* object = known.originals[type].first(type, items);
  if (object == nullptr) return nullptr;
  const TrackedBlock block = block_at(reinterpret_cast<std::uintptr_t>(object) - kBefore);
  known.instances[object] = {block.id, {}, {}};
  say("born %" PRIu64 " instance %" PRIu64 " %" PRIu64 " %zu\n", known.tick, block.id,
      std::uint64_t{block.address}, block.bytes);
  if (known.watch != nullptr) known.watch->watch(slot_of(object), sizeof(std::uintptr_t));
  return object;
}

void recorded_free(void* pointer) {
  State& known = state();
  auto* object = static_cast<PyObject*>(pointer);
  drain_writes();
  if (known.watch != nullptr) known.watch->forget(slot_of(object));
  known.instances.erase(object);
  known.originals[Py_TYPE(object)].second(pointer);
}

/// Returns the instance at `object`, and finds its chunk; or null.
Instance* look_at(PyObject* object) {
  State& known = state();
  drain_writes();
  const auto found = known.instances.find(object);
  if (found == known.instances.end()) return nullptr;
  Instance& instance = found->second;
  const std::uintptr_t values = values_in(*slot_of(object));
  if (const TrackedBlock chunk = block_at(values); values != 0 && chunk.id != instance.chunk.id) {
    instance.chunk = chunk;
    instance.values.clear();
    say("born %" PRIu64 " values %" PRIu64 " %" PRIu64 " %zu\n", known.tick, chunk.id,
        std::uint64_t{chunk.address}, chunk.bytes);
  }
  return &instance;
}

/// Reports writes that exceeded the buffer: the record is incomplete.
void say_lost() {
  const HardwareWatch* watch = state().watch;
  if (watch != nullptr && watch->lost_count() != 0)
    say("lost %" PRIu64 "\n", std::uint64_t{watch->lost_count()});
}

/// Handles SIGSEGV or SIGABRT: reports what a debugger would, then lets the process die.
void died(int number, siginfo_t* info, void*) {
  drain_writes();
  say_lost();
  const auto address = number == SIGSEGV ? reinterpret_cast<std::uintptr_t>(info->si_addr) : 0;
  say("crash %" PRIu64 " %" PRIu64 "\n", state().tick, std::uint64_t{address});
  signal(number, SIG_DFL);
  raise(number);
}

void handle_death() {
  struct sigaction action{};
  action.sa_sigaction = &died;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT}) sigaction(number, &action, nullptr);
}

}  // namespace

void start_recording(const Instruments& instruments) {
  state().stores = 0;
  say("evidence %s\n", kTagged ? "cpython312" : "cpython311");
  handle_death();
  install_tracked_allocator(&on_free);
  const std::string& why_not = HardwareWatch::why_not();
  if (instruments.hardware_watch && why_not.empty())
    state().watch = new HardwareWatch(instruments.write_limit);
  say("# hardware watch: %s\n", state().watch != nullptr     ? "on"
                                : instruments.hardware_watch ? why_not.c_str()
                                                             : "off");
}

void record_class(PyTypeObject* type) {
  state().originals[type] = {type->tp_alloc, type->tp_free};
  type->tp_alloc = &recorded_alloc;
  type->tp_free = &recorded_free;
}

void next_statement() { ++state().tick; }

void record_store(PyObject* object) {
  ++state().stores;
  if (Instance* instance = look_at(object)) probe(object, *instance, value_shift(*instance));
}

void record_load(PyObject* object) {
  Instance* instance = look_at(object);
  if (instance == nullptr) return;
  if (const long shift = value_shift(*instance); shift != 0) probe(object, *instance, shift);
}

void record_reading() { say("reading\n"); }

void drain_writes() {
  State& known = state();
  if (known.watch == nullptr) return;
  for (const HardwareWatch::Write& write : known.watch->writes()) {
    const CodePlace place = code_place(write.code - 1);
    std::uint64_t id = 0;
    for (const auto& [object, instance] : known.instances)
      if (slot_of(object) == write.place) id = instance.id;
    // A masked vector store to a word before it also traps, but writes nothing here.
    if (write.before == write.after) {
      say("# touched by %s %s\n", place.module.c_str(), place.function.c_str());
      continue;
    }
    say("# written by %s %s, before %#" PRIxPTR "\n", place.module.c_str(), place.function.c_str(),
        write.code);
    const int begin =
        write.store.width != 0
            ? static_cast<int>(write.store.address - reinterpret_cast<std::uintptr_t>(write.place))
            : 0;
    say("write %" PRIu64 " %s %" PRIu64 " %d %" PRIu64 " %" PRIu64 " %u %d\n", known.tick,
        module_of(place), id, kTagged ? 8 : 0, write.before, write.after, write.store.width, begin);
  }
  known.watch->clear_writes();
}

void stop_recording() {
  drain_writes();
  say_lost();
  say("counters %" PRIu64 "\nend\n", state().stores);
}

}  // namespace scenarios::managed_dict::embedded
