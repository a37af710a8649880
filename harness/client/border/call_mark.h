// SPDX-License-Identifier: Apache-2.0
// Call mark: the number of driver calls of a process and the last one, in a file that survives any
// end of the process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace harness::client {

/// Lifetime: the file outlives the object. Threads: one at a time.
class CallMark {
 public:
  CallMark() = default;
  ~CallMark();
  CallMark(const CallMark&) = delete;
  CallMark& operator=(const CallMark&) = delete;

  /// Continues the file of this process, after this many calls. Without a file nothing is recorded.
  void open(const std::string& folder, unsigned process, std::uint64_t call_count);
  /// Records that a call begins.
  void begin_call(std::string_view function);
  /// Records that the driver calls a host function, until the function has returned.
  void begin_function();
  void end_function();

 private:
  struct Page;

  Page* page_ = nullptr;
};

/// The last known state of a process that ended.
struct LastCall {
  std::uint64_t call_count = 0;  ///< 0 if nothing is known.
  std::string function;
  bool is_in_function = false;  ///< It ended in a host function that the driver had called.
};

/// Reads the file of a process. The result is empty if it cannot be read.
LastCall read_last_call(const std::string& folder, unsigned process);

/// Removes the file. Returns whether it existed.
bool remove_call_mark(const std::string& folder, unsigned process);

}  // namespace harness::client
