// SPDX-License-Identifier: Apache-2.0
// Client: an unchanged program, run with our libcuda.so.1 instead of the system's.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/process/process.h"
#include "harness/client/border/orders.h"
#include "harness/client/border/report.h"

namespace harness::client {

struct Client {
  Command command;
  std::string library_folder;              ///< The folder of our libcuda.so.1.
  double timeout_seconds = 60;             ///< Time limit for one run.
  std::vector<std::string> environment{};  ///< "NAME=value", in addition to our own variables.
  bool notes_reads =
      false;  ///< Loads a library that records reads of clocks, random numbers and the like.
};

/// Returns the folder of the library that was built with this program. Errors: std::runtime_error
/// if it is missing, or other programs cannot load it.
std::string library_folder();

/// One run of a client.
struct ClientRun {
  ProcessEnd ended;
  std::vector<Report>
      reports;  ///< One for each process that called the driver, ordered by ancestry.
  std::vector<ToldFault> failures{};  ///< Failures without a named fault, from failures_of().
  bool is_forked = false;             ///< Forked from a process that waits at its first choice.

  /// Returns the number of driver calls of all processes.
  std::uint64_t call_count() const;
  /// Returns all choices of all processes.
  std::vector<ToldDecision> decisions() const;
  /// Returns the fault or failure with this signature, or null.
  const ToldFault* find(std::string_view signature) const;
  /// Returns the fault or failure that is the same as this one, or null.
  const ToldFault* find(const ToldFault& fault) const;
  /// Returns the last driver call of a process that ended abnormally, or "".
  std::string last_call() const;
  /// Returns the last choice that injected an error, or null.
  const ToldDecision* failure() const;
  /// Returns whether a time limit passed by choice.
  bool has_passed_limit() const;
  /// Returns the end of a program that failed, if neither our faults nor an injected error nor a
  /// time limit that passed explain it. A program that gives up cleanly after an injected error has
  /// an exit code.
  std::string own_failure(double timeout_seconds) const;
};

/// Returns the time limit of a run with these orders, in seconds.
double limit_of(const Client& client, const Orders& orders);

/// Returns the command and environment of a process of the client, with the orders of a folder.
/// Borrows `watch`.
ProcessOptions process_options(const Client& client, const std::string& folder,
                               const Orders& orders, ProcessWatch* watch = nullptr);

/// Reads the existing reports. A process that was killed early may have left an empty one.
std::vector<Report> read_reports(const std::string& folder);

/// Determines from the end and the reports of a run whether it hung, and how it failed.
void judge_end(ClientRun& run, const Client& client, const Orders& orders);

/// Runs the client once. Places in machine code have source lines if they are known. Errors:
/// std::runtime_error if it cannot be started.
ClientRun run_client(const Client& client, const Orders& orders, const std::atomic<bool>& stop);

}  // namespace harness::client
