// SPDX-License-Identifier: Apache-2.0
// How it works. On the first watched thread, a collection is requested as a pending call, which the
// interpreter makes on its main thread only. On other threads it runs at once, before a line at
// which the interpreter has just checked for pending work.
#include "harness/client/inside/libcuda/python/python.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "harness/client/inside/libcuda/python/api.h"
#include "harness/client/inside/libcuda/python/code.h"
#include "harness/client/inside/libcuda/python/libraries.h"

namespace harness::entries {
namespace {

constexpr int kCall = 0;    ///< PyTrace_CALL.
constexpr int kLine = 2;    ///< PyTrace_LINE.
constexpr int kReturn = 3;  ///< PyTrace_RETURN.

/// The current line of each function on a thread's stack, up to a limited depth.
class FrameLines {
 public:
  void begin() {
    if (depth_++ < lines_.size()) lines_[depth_ - 1] = 0;
  }
  void end() {
    if (depth_ > 0) --depth_;
  }
  /// Notes the next line of the innermost function. Returns whether it is not after the previous
  /// one.
  bool goes_back(int line) {
    if (depth_ == 0) begin();  // The function began before the watch.
    if (depth_ > lines_.size()) return false;
    return std::exchange(lines_[depth_ - 1], line) >= line;
  }

 private:
  std::array<int, 256> lines_{};
  std::size_t depth_ = 0;
};

/// A thread whose lines are watched.
struct Watched {
  PythonCode* code = nullptr;  ///< The code of the previous line.
  int line = 0;                ///< The number of the previous line.
  bool has_looked = false;     ///< The interpreter has checked, at the beginning of a function.
  bool is_first = false;
  bool is_collecting = false;
  FrameLines lines;
};

thread_local Watched watched;
Python::Lines* lines = nullptr;
/// The thread with a pending collection, until it is over. Its finalizers must not request another
/// one, because 3.11 would then check for pending calls without end.
Watched* wants_collection = nullptr;

client::Frame describe(PythonObject frame) {
  PythonCode& code = PythonCode::of(frame);
  const int line = python.PyFrame_GetLineNumber(frame);
  const std::uint32_t offset = code.is_library() ? 0 : code.offset_of(line);
  return {code.file(), line, code.function(), offset, code.is_library()};
}

int collect(void*) {
  python.PyGC_Collect();
  wants_collection = nullptr;
  return 0;
}

void collect_at_once() {
  watched.is_collecting = true;
  python.PyGC_Collect();
  watched.is_collecting = false;
}

void begin_collection() {
  if (!watched.is_first) return collect_at_once();
  wants_collection = &watched;
  if (python.Py_AddPendingCall(collect, nullptr) != 0) wants_collection = nullptr;
}

/// Notes that the thread has reached this line. If it is not after the previous one, a jump back is
/// assumed, at which the interpreter checks.
Python::Since come_to(PythonCode& code, int line) {
  const bool looks =
      lines->has_several_threads() &&
      (watched.has_looked || (watched.code != nullptr && watched.code->looks_in(watched.line)));
  const bool jumps_back = watched.lines.goes_back(line);
  const bool collects_here = looks && !watched.is_first;
  const Python::Since since{looks, watched.has_looked || jumps_back || collects_here};
  watched.has_looked = false;
  watched.code = &code;
  watched.line = line;
  return since;
}

void begin_collection(Python::Collects when, Python::Since since) {
  if (when == Python::Collects::at_once)
    collect_at_once();
  else if (when == Python::Collects::when_it_looks && (since.has_looked || watched.is_first))
    begin_collection();
}

int on_event(PythonObject, PythonObject frame, int what, PythonObject) {
  if (what == kCall) {
    watched.has_looked = true;
    watched.lines.begin();
  } else if (what == kReturn) {
    watched.lines.end();
  }
  if (what != kLine || wants_collection == &watched || watched.is_collecting) return 0;
  PythonCode& code = PythonCode::of(frame);
  const int line = python.PyFrame_GetLineNumber(frame);
  const Python::Since since = come_to(code, line);
  if (code.is_library())
    lines->library_line();
  else
    begin_collection(lines->line({code.file(), line, code.name_of(line)}, since), since);
  return 0;
}

/// Disables automatic collections by the threshold. The collector stays enabled unless the program
/// disables it: then it does not run on request either.
void stop_collector() {
  const PythonOwned gc(python.PyImport_ImportModule("gc"));
  if (gc) const PythonOwned none(python.PyObject_CallMethod(gc.get(), "set_threshold", "i", 0));
}

/// Called in a new thread as its trace function: replaces itself by the real one.
PythonObject watch_this_thread(PythonObject, PythonObject) {
  python.PyEval_SetTrace(on_event, nullptr);
  python.Py_IncRef(python.none);
  return python.none;
}

/// Returns the beginning of a version's text: "3.12".
std::string short_version(std::string_view all) {
  return std::string(all.substr(0, all.find('.', all.find('.') + 1)));
}

int minor_of(std::string_view told) {
  int minor = 0;
  std::from_chars(told.data() + told.find('.') + 1, told.data() + told.size(), minor);
  return minor;
}

/// Returns whether it is a build without the interpreter's lock. Its threads run concurrently, so
/// the functions here, which rely on the lock, are not valid for it.
bool is_free_threaded(std::string_view all) { return all.find("free-threading build") != all.npos; }

}  // namespace

static bool is_there() {
  static const bool found = look_up_python() && !is_free_threaded(python.Py_GetVersion());
  return found;
}

const Python* Python::find() {
  static Python interpreter;
  return is_there() && python.Py_IsInitialized() != 0 ? &interpreter : nullptr;
}

// During its finalization the interpreter no longer counts as initialized, but runs finalizers on
// its first thread.
client::Place Python::calling_place() {
  static Python interpreter;
  const bool is_first = ::getpid() == ::gettid();
  if (!is_there() || (python.Py_IsInitialized() == 0 && !is_first)) return {};
  return interpreter.place();
}

client::Place Python::place() const {
  constexpr std::size_t kFrameLimit = 32;
  client::Place place;
  if (!knows_thread()) return place;
  const PythonLocked lock;
  PythonObject borrowed = python.PyEval_GetFrame();
  if (borrowed == nullptr) return place;
  place.push_back(describe(borrowed));
  PythonOwned frame(python.PyFrame_GetBack(borrowed));
  while (frame && place.size() < kFrameLimit) {
    place.push_back(describe(frame.get()));
    frame = PythonOwned(python.PyFrame_GetBack(frame.get()));
  }
  return place;
}

bool Python::knows_thread() const { return python.PyGILState_GetThisThreadState() != nullptr; }

bool Python::has_lock() const { return knows_thread() && python.PyGILState_Check() != 0; }

bool Python::watch(Lines& wanted) const {
  if (!knows_thread()) return false;
  const PythonLocked lock;
  if (PythonObject function = python.PySys_GetObject("gettrace"); function != nullptr) {
    const PythonOwned present(python.PyObject_CallNoArgs(function));
    if (present.get() != python.none) return false;
  }
  stop_collector();
  pass_over_libraries();
  lines = &wanted;
  watched.is_first = true;
  python.PyEval_SetTrace(on_event, nullptr);
  return true;
}

bool Python::watch_new_threads() const {
  constexpr int kAnyArguments = 1;  // METH_VARARGS.
  static PythonMethod method{"afterlife", watch_this_thread, kAnyArguments, nullptr};
  if (lines == nullptr) return false;
  const PythonOwned threading(python.PyImport_ImportModule("threading"));
  const PythonOwned present(
      threading ? python.PyObject_CallMethod(threading.get(), "gettrace", nullptr) : nullptr);
  if (present.get() != python.none) return python.PyErr_Clear(), false;
  const PythonOwned watcher(python.PyCFunction_NewEx(&method, nullptr, nullptr));
  const PythonOwned set(
      python.PyObject_CallMethod(threading.get(), "settrace", "O", watcher.get()));
  python.PyErr_Clear();
  return bool(set);
}

bool Python::can_be_forced() const {
  const bool is_watched = watched.is_first || watched.code != nullptr;
  return is_watched && wants_collection != &watched && !watched.is_collecting;
}

// Uses no PythonLocked: finalizers may end the thread, which does not have the interpreter's lock
// by then, so a destructor must not release it.
void Python::collect() const {
  const int state = python.PyGILState_Ensure();
  collect_at_once();
  python.PyGILState_Release(state);
}

std::pair<std::string, bool> Python::version() {
  constexpr int kLooksSince = 12;
  const std::string told = short_version(python.Py_GetVersion());
  return {told, minor_of(told) >= kLooksSince};
}

std::string Python::why_refused() {
  const char* const all = present_python_version();
  if (all == nullptr || !is_free_threaded(all)) return {};
  return fmt::format(
      "Python {} is free-threaded, which is not supported yet: use a build with the GIL",
      short_version(all));
}

std::string Python::why_not_asked() {
  constexpr int kFirstKnown = 10;
  const char* const all = present_python_version();
  if (all == nullptr) return {};
  const std::string told = short_version(all);
  const bool is_old = !told.starts_with("3.") || minor_of(told) < kFirstKnown;
  const char* const why = is_old ? "is older than 3.10" : "lacks functions of the public interface";
  return fmt::format(
      "Python {} {}: its collector and threads make no choices, and lines of the program are not "
      "reported",
      told, why);
}

std::string Python::starting_thread() const {
  PythonObject frame = python.PyEval_GetFrame();
  if (frame == nullptr) return {};
  const PythonCode& code = PythonCode::of(frame);
  if (!code.is_library() || !code.file().ends_with("/threading.py") || code.function() != "start")
    return {};
  const PythonOwned locals(python.PyObject_GetAttrString(frame, "f_locals"));
  const PythonOwned self(locals ? python.PyMapping_GetItemString(locals.get(), "self") : nullptr);
  const PythonOwned name(self ? python.PyObject_GetAttrString(self.get(), "name") : nullptr);
  const char* text = name ? python.PyUnicode_AsUTF8(name.get()) : nullptr;
  python.PyErr_Clear();
  return text != nullptr && *text != '\0' ? text : "a thread";
}

}  // namespace harness::entries
