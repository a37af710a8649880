// SPDX-License-Identifier: Apache-2.0
// Report: written by the driver in one process: its faults with their places in the program, and
// the choices that were not the default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/client/border/forced.h"
#include "harness/core/pick/pick.h"

namespace harness::client {

/// A function of the program that was running.
struct Frame {
  std::string file;
  int line = 0;  ///< 0 if unknown.
  std::string function;
  std::uint64_t offset = 0;  ///< In the module `file`, if it is machine code; else 0.
  bool is_library = false;   ///< Installed, not the user's.
  /// Returns the last part of the file's name.
  std::string_view file_name() const { return std::string_view(file).substr(file.rfind('/') + 1); }
  bool operator==(const Frame&) const = default;
};

/// Call stack of a call, the innermost function first. Empty if it was not recorded.
using Place = std::vector<Frame>;

/// Returns a hash of a place as the driver recorded it, without source lines of machine code; 0 if
/// none was recorded.
Name hash_of(const Place& place);

/// Returns the innermost function of the user's code, else of a library, else null.
const Frame* users_frame(const Place& place);

/// The kind of the choice whether a time limit passes although other threads can run.
inline constexpr Site kTimeLimit = Site::skew;

/// A choice, and its place in words: "cuMemAllocAsync 3 of thread 1".
struct ToldDecision {
  Decision decision{};
  std::string who;
  std::string answer;
  Place place;  ///< Its place in the program; empty if it belongs to no call, or none was recorded.
  /// Returns whether it injects an error.
  bool is_failure() const { return decision.site_tag == site_tag(Site::failure); }
  /// Returns whether a time limit passes by it.
  bool is_time_limit() const { return decision.site_tag == site_tag(kTimeLimit); }
  /// Returns whether it makes host accesses to an allocation watched.
  bool is_watch() const { return decision.site_tag == site_tag(Site::watch); }
  /// Returns whether the program's Python cannot make this choice by itself.
  bool is_forced() const { return client::is_forced(decision); }
  bool operator==(const ToldDecision&) const = default;
};

/// Sites of the program's own accesses, without a driver call.
inline constexpr const char* kOwnRead = "the program's own read";
inline constexpr const char* kOwnWrite = "the program's own write";
/// Sites of threads in a process that hangs: a sleeping one, and any other.
inline constexpr const char* kWait = "a wait";
inline constexpr const char* kStep = "a step";
/// Site of an allocation that is not ordered with a free or a use.
inline constexpr const char* kAllocation = "allocation";
/// Kind of the program's host memory while the driver uses it.
inline constexpr const char* kHostMemory = "host memory";
/// Site of a function of the program that the driver calls.
inline constexpr const char* kHostFunction = "host function";

/// A call or a piece of work of the program that takes part in a fault.
struct Party {
  std::string site;  ///< A CUDA function, or a kernel.
  Place place;
  std::string thread;     ///< The program's name for it; empty if there is only one.
  std::string stream;     ///< "stream 2"; empty if unknown or none.
  Name call = 0;          ///< The name of the call that caused it; 0 if unknown.
  Name on = 0;            ///< The name of the stream.
  std::string process{};  ///< The process, in words; empty if processes share nothing.
  Name code = 0;          ///< hash_of() its place, from a run that recorded places; not in a file.
  bool operator==(const Party&) const = default;
};

/// A choice that was offered to a process.
struct AskedQuestion {
  Name activation = 0;
  Site site{};
  std::uint16_t nth = 0;
  std::vector<std::uint32_t> values;  ///< Its options on a tape, without the default.
};

struct ToldFault {
  std::string signature;
  Name key = 0;    ///< A hash of the calls of its parties, equal in each run that makes them.
  std::string at;  ///< The functions of its parties; empty if places were not recorded.
  std::string former_at;  ///< The same, as older versions wrote it; empty if it has no other form.
  std::string kind;
  std::string object;  ///< The kind of the object.
  Party birth;
  Party capture;  ///< The place where a graph took the reference; empty if none did.
  Party other;    ///< The first of two racing uses.
  Party death;
  Party use;
  Party record;  ///< The record of an event that is too early to order two uses.
  Party wait;    ///< The wait for that event, which has no effect; both empty if there is none.
  Party again;   ///< A later record of the event, for which it waits instead; empty if none.
  std::string record_error;  ///< The error that the record returned; empty if it succeeded.
  bool is_reversed = false;  ///< The program made the second use, or the end, before the first.
  std::string detail;
  std::string pedantic;            ///< Why current drivers tolerate it; empty if they may not.
  std::string ended;               ///< The end of the program, if the fault is a failure.
  std::size_t decision_count = 0;  ///< Number of choices made before it.
  std::string free_threads;  ///< Names the threads that had called the driver freely, or nothing.
  /// Returns whether both show the same bug, as far as is known: the same fault in the same
  /// functions, or by the same calls.
  bool is_same(const ToldFault& right) const;
  /// Returns whether both have the same end and the same use at the same places, like a data race
  /// and the use after free that it leads to, or are one race: the same two uses in either order.
  bool is_face_of(const ToldFault& right) const;
  /// Returns whether both are races of the same two calls, in either order.
  bool is_race_of_calls(const ToldFault& right) const;
  /// Returns whether it is a race of two known uses.
  bool has_two_uses() const;
  /// Returns whether it is a race with a write of the host at an unknown place.
  bool is_with_unknown_write() const;
  /// Returns whether it is a race with an allocation.
  bool is_with_allocation() const;
  /// Returns whether the use was an access of the program itself.
  bool is_own_use() const { return use.site == kOwnRead || use.site == kOwnWrite; }
  bool operator==(const ToldFault&) const = default;
};

/// A party of a fault, with its names in files and views.
struct PartyInfo {
  const char* name;   ///< "born".
  const char* place;  ///< "birth".
  Party ToldFault::* party;
};

/// The parties in the order of a report.
inline constexpr PartyInfo kParties[] = {{"born", "birth", &ToldFault::birth},
                                         {"captured", "capture", &ToldFault::capture},
                                         {"first", "other", &ToldFault::other},
                                         {"died", "death", &ToldFault::death},
                                         {"used", "use", &ToldFault::use}};

/// An error that a driver call returned to the program, except errors that any caller must expect.
struct ToldError {
  std::string function;
  std::string status;              ///< "CUDA_ERROR_INVALID_VALUE".
  bool is_injected = false;        ///< A choice injected it.
  Place place;                     ///< Without lines of machine code.
  std::string thread;              ///< The program's name for it; empty if there is only one.
  std::size_t decision_count = 0;  ///< Number of choices made before it.
  Name call = 0;                   ///< The name of the call.
  std::string object{};            ///< The kind of the object that was passed to it first, or "".
  Party birth{};                   ///< The call that made that object.
  bool is_alive = false;           ///< The object was alive when the report was written.
  bool operator==(const ToldError&) const = default;
};

struct Report {
  unsigned process = 1;  ///< Number of the process, in the order of first calls.
  std::string path;      ///< The process by its ancestry: "1.2". Not in the order of time.
  std::uint64_t call_count = 0;
  std::uint64_t failable_count = 0;  ///< Number of calls that may fail, if errors are injected.
  bool is_whole = false;             ///< The process ended normally.
  bool has_python = false;
  bool wants_table = false;  ///< It asked for an undocumented table, as the CUDA runtime does.
  bool has_work = false;     ///< It called for memory, a stream, a module, a graph or a launch.
  std::string note;          ///< Why nothing about the process can be judged; empty if it can.
  std::string refusal;       ///< Says why nothing of the process can be judged, or nothing.
  std::string doubt;         ///< The reason why it may not repeat; empty if none is known.
  std::string free_threads;  ///< Says which threads called the driver freely, or nothing.
  std::string forced;        ///< The reason why some choices are forced; empty if none is.
  std::vector<ToldFault> faults;  ///< One for each signature, in the order they were found.
  std::vector<ToldError> errors;  ///< The first of each function, status and line, in order.
  std::vector<ToldDecision> decisions;
  std::vector<AskedQuestion>
      asked;  ///< The first few thousand choices, in order; empty unless the orders request them.
  std::string last_call;  ///< The running function, if the process ended abnormally.
  std::vector<Party>
      stuck;  ///< The place of each thread, if the process hung; the main thread first.
  bool is_deadlock = false;   ///< It hung because each thread waited for another one.
  std::vector<Party> called;  ///< The host function that had not returned, if any.
};

/// Returns the file's name in the folder of the orders.
std::string report_file(const std::string& folder, unsigned process);

/// Takes the next free number of the run, and creates its file. Returns 0 if there is none.
unsigned take_report_number(const std::string& folder);

/// Returns the text of a report's file; parse_report() reads it.
std::string to_text(const Report& report);

/// Errors: std::runtime_error with one line.
Report parse_report(const std::string& text);

}  // namespace harness::client
