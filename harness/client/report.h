// Report: what the driver of one process tells of itself: its faults with their places in the
// program, and the answers that were not plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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
  bool operator==(const Frame&) const = default;
};

/// Where a call was made, the innermost function first. Empty where nobody looked.
using Place = std::vector<Frame>;

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

/// The program's names of the threads on which something happened; empty where there is one.
struct ToldThreads {
  std::string birth, death, use, capture;
  bool operator==(const ToldThreads&) const = default;
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
  std::string kind;
  std::string object;      ///< The kind of thing that it is about.
  std::string birth_site;  ///< A CUDA function, as are those that follow; or a kernel.
  std::string death_site;
  std::string use_site;
  std::string capture_site;  ///< Where a graph took the reference; empty where none did.
  std::string detail;
  std::string pedantic;  ///< Says why drivers of today go on; empty where they may not.
  Place birth, death, use, capture;
  ToldThreads threads;
  std::size_t decision_count = 0;  ///< How many decisions had been made.
  std::string free_threads;        ///< Says which threads had called the driver freely, or nothing.
  /// Returns whether the use was the program's own.
  bool is_own_use() const { return use_site == kOwnRead || use_site == kOwnWrite; }
  bool operator==(const ToldFault&) const = default;
};

struct Report {
  unsigned process = 1;  ///< Number of the process, in the order of their first calls.
  std::uint64_t call_count = 0;
  std::uint64_t failable_count = 0;  ///< So many may fail, where failures are asked for.
  bool is_whole = false;             ///< The process came to its end in an orderly way.
  bool has_python = false;
  bool wants_table = false;  ///< It asked for an undocumented table, as the CUDA runtime does.
  bool has_work = false;     ///< It called for memory, a stream, a module, a graph or a launch.
  std::string note;          ///< A sentence that the user should read, or nothing.
  std::string doubt;         ///< The reason why it may not repeat, where there is one.
  std::string free_threads;  ///< Says which threads called the driver freely, or nothing.
  std::string forced;        ///< The reason why decisions are, where some are forced.
  std::vector<ToldFault> faults;  ///< One for each signature, in the order they were found.
  std::vector<ToldDecision> decisions;
  std::vector<AskedQuestion> asked;  ///< In order, where that was ordered; the first thousands.
  std::string last_call;  ///< The function, where the process did not end in an orderly way.
};

/// Returns the file's name in the folder of the orders.
std::string report_file(const std::string& folder, unsigned process);

/// Returns the text of a report's file; parse_report() reads it.
std::string to_text(const Report& report);

/// Errors: std::runtime_error with one line.
Report parse_report(const std::string& text);

}  // namespace harness::client
