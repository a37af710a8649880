// Call mark: how many calls of the driver a process has made, and which was the last, in a file
// that says so however the process ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace harness::client {

/// Lifetime: the file stays. Threads: one at a time.
class CallMark {
 public:
  CallMark() = default;
  ~CallMark();
  CallMark(const CallMark&) = delete;
  CallMark& operator=(const CallMark&) = delete;

  /// Goes on with the file of this process, after so many calls. Where there can be none, nothing
  /// is kept.
  void open(const std::string& folder, unsigned process, std::uint64_t call_count);
  /// Keeps that a call begins.
  void begin_call(std::string_view function);
  /// Keeps that the driver calls a host function, until that has returned.
  void begin_function();
  void end_function();

 private:
  struct Page;

  Page* page_ = nullptr;
};

/// The last that is known of a process.
struct LastCall {
  std::uint64_t call_count = 0;  ///< 0: nothing is known.
  std::string function;
  bool is_in_function = false;  ///< A host function had not returned.
};

/// Reads the file of a process; one that cannot be read says nothing.
LastCall read_last_call(const std::string& folder, unsigned process);

/// Removes the file. Returns whether it was there.
bool remove_call_mark(const std::string& folder, unsigned process);

}  // namespace harness::client
