// Report: what the driver of one process tells of itself: its faults with their places in the
// program, and the answers that were not plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/client/forced.h"
#include "harness/pick.h"

namespace harness::client {

/// A function of the program that was running.
struct Frame {
  std::string file;
  int line = 0;  ///< 0 where it is not known.
  std::string function;
  std::uint64_t offset = 0;  ///< In the module `file`, where it is machine code; else 0.
  bool is_library = false;   ///< Installed, not the user's.
  /// Returns the last part of the file's name.
  std::string_view file_name() const { return std::string_view(file).substr(file.rfind('/') + 1); }
  bool operator==(const Frame&) const = default;
};

/// Where a call was made, the innermost function first. Empty where nobody looked.
using Place = std::vector<Frame>;

/// Returns the innermost function of the user's; of libraries where there is no other; else null.
const Frame* users_frame(const Place& place);

/// A decision, and who asked for it in words: "cuMemAllocAsync 3 of thread 1".
struct ToldDecision {
  Decision decision{};
  std::string who;
  std::string answer;
  Place place;  ///< Where in the program it is, if it is a call's; empty where nobody looked.
  /// Returns whether a call was told to fail.
  bool is_failure() const { return decision.site_tag == site_tag(Site::failure); }
  /// Returns whether uses of an allocation by the program itself were to be seen.
  bool is_watch() const { return decision.site_tag == site_tag(Site::watch); }
  /// Returns whether the program's Python cannot come to it by itself.
  bool is_forced() const { return client::is_forced(decision); }
  bool operator==(const ToldDecision&) const = default;
};

/// The sites of what the program does itself, without a call of the driver.
inline constexpr const char* kOwnRead = "the program's own read";
inline constexpr const char* kOwnWrite = "the program's own write";
/// The sites of threads in a process that hangs: one that sleeps, and any other.
inline constexpr const char* kWait = "a wait";
inline constexpr const char* kStep = "a step";
/// The site of an allocation that an end or a use is not ordered with.
inline constexpr const char* kAllocation = "allocation";
/// The kind of memory of the program's own that is lent to the driver.
inline constexpr const char* kHostMemory = "host memory";
/// The site of a function of the program that the driver calls.
inline constexpr const char* kHostFunction = "host function";

/// A call of the program, or work of it, that has a part in a fault.
struct Party {
  std::string site;  ///< A CUDA function, or a kernel.
  Place place;
  std::string thread;  ///< The program's name of it; empty where there is one.
  std::string stream;  ///< "stream 2"; empty where it is not known, or there is none.
  Name call = 0;       ///< The name of the call that it comes from; 0 where none is known.
  Name on = 0;         ///< The name of the stream.
  std::string
      process{};  ///< Which process of the program, in words; empty where they share nothing.
  bool operator==(const Party&) const = default;
};

/// A question that a process was asked.
struct AskedQuestion {
  Name activation = 0;
  Site site{};
  std::uint16_t nth = 0;
  std::vector<std::uint32_t> values;  ///< Its options on a tape, without the plain one.
};

struct ToldFault {
  std::string signature;
  Name key = 0;    ///< A hash of its parties' calls: the same in each run that makes them.
  std::string at;  ///< The functions of its parties; empty where places were not noted.
  std::string kind;
  std::string object;  ///< The kind of thing that it is about.
  Party birth;
  Party capture;  ///< Where a graph took the reference; empty where none did.
  Party other;    ///< The use that came first, of two that race.
  Party death;
  Party use;
  Party record;  ///< The record of an event, too early to order two uses that nothing orders,
  Party wait;    ///< and the wait for it, which has no effect; both absent where there is none.
  std::string detail;
  std::string pedantic;            ///< Says why drivers of today go on; empty where they may not.
  std::string ended;               ///< How the program ended, where the fault is a failure.
  std::size_t decision_count = 0;  ///< How many decisions had been made.
  std::string free_threads;        ///< Says which threads had called the driver freely, or nothing.
  /// Returns whether the use was the program's own.
  /// Returns whether both are of the same bug, as far as is known: the same happens in the same
  /// functions, or by the same calls.
  bool is_same(const ToldFault& right) const;
  /// Returns whether both are about the same end and the same use, at the same places, as a
  /// data race is and the use after the end that it leads to.
  bool is_face_of(const ToldFault& right) const;
  bool is_own_use() const { return use.site == kOwnRead || use.site == kOwnWrite; }
  bool operator==(const ToldFault&) const = default;
};

/// A party of a fault, by the names that files and views give it.
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

/// An error that a call of the driver returned to the program, other than those that any caller
/// has to expect.
struct ToldError {
  std::string function;
  std::string status;              ///< "CUDA_ERROR_INVALID_VALUE".
  bool is_injected = false;        ///< A decision asked for it.
  Place place;                     ///< Without lines of machine code.
  std::string thread;              ///< The program's name of it; empty where there is one.
  std::size_t decision_count = 0;  ///< How many decisions had been made.
  Name call = 0;                   ///< The name of the call.
  bool operator==(const ToldError&) const = default;
};

struct Report {
  unsigned process = 1;  ///< Number of the process, in the order of their first calls.
  std::string path;  ///< Which process it is, by who started it: "1.2". Not in the order of time.
  std::uint64_t call_count = 0;
  std::uint64_t failable_count = 0;  ///< So many may fail, where failures are asked for.
  bool is_whole = false;             ///< The process came to its end in an orderly way.
  bool has_python = false;
  bool wants_table = false;  ///< It asked for an undocumented table, as the CUDA runtime does.
  bool has_work = false;     ///< It called for memory, a stream, a module, a graph or a launch.
  std::string note;          ///< A sentence that the user should read, or nothing.
  std::string refusal;       ///< Says why nothing of the process can be judged, or nothing.
  std::string doubt;         ///< The reason why it may not repeat, where there is one.
  std::string free_threads;  ///< Says which threads called the driver freely, or nothing.
  std::string forced;        ///< The reason why decisions are, where some are forced.
  std::vector<ToldFault> faults;  ///< One for each signature, in the order they were found.
  std::vector<ToldError> errors;  ///< The first of each function, status and line, in order.
  std::vector<ToldDecision> decisions;
  std::vector<AskedQuestion> asked;  ///< In order, where that was ordered; the first thousands.
  std::string last_call;     ///< The function, where the process did not end in an orderly way.
  std::vector<Party> stuck;  ///< Where each thread was, if the process hung: the main thread first.
  bool is_deadlock = false;  ///< It hung since each thread waited for another one.
  std::vector<Party> called;  ///< The host function that had not returned, if one had not.
};

/// Returns the file's name in the folder of the orders.
std::string report_file(const std::string& folder, unsigned process);

/// Takes the next number that no process of the run has, and makes its file. Returns 0 if there is
/// none.
unsigned take_report_number(const std::string& folder);

/// Returns the text of a report's file; parse_report() reads it.
std::string to_text(const Report& report);

/// Errors: std::runtime_error with one line.
Report parse_report(const std::string& text);

}  // namespace harness::client
