// Client: somebody's program as it is, run with our libcuda.so.1 in place of the system's.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/client/orders.h"
#include "harness/client/report.h"
#include "harness/process/process.h"

namespace harness::client {

struct Client {
  Command command;
  std::string library_folder;              ///< Holds our libcuda.so.1.
  double timeout_seconds = 60;             ///< Longest time that one run may take.
  std::vector<std::string> environment{};  ///< "NAME=value", beside what we need ourselves.
  bool notes_reads = false;                ///< A library that notes reads of the world is loaded.
};

/// Returns the folder of the library that was built with this program. Errors: std::runtime_error
/// where there is none, or none that other programs can load.
std::string library_folder();

/// One run of a client.
struct ClientRun {
  ProcessEnd ended;
  std::vector<Report> reports;  ///< One for each process that called the driver, by its number.
  std::vector<ToldFault> failures{};  ///< The ways in which it failed; failures_of() says which.
  bool is_forked = false;             ///< From a process that stands at the first question.

  /// Returns how many calls of the driver all processes made.
  std::uint64_t call_count() const;
  /// Returns all decisions of all processes.
  std::vector<ToldDecision> decisions() const;
  /// Returns the fault or failure with this signature, or null.
  const ToldFault* find(std::string_view signature) const;
  /// Returns the fault or failure that is the same as this one, or null.
  const ToldFault* find(const ToldFault& fault) const;
  /// Says which call of the driver was the last of a process that ended in no orderly way, or "".
  std::string last_call() const;
  /// Returns the last decision that told a call to fail, or null.
  const ToldDecision* failure() const;
  /// Returns how the program ended where that is no success, and neither our faults nor a call that
  /// was told to fail explain it. What gives up cleanly after such a call has an exit code.
  std::string own_failure(double timeout_seconds) const;
};

/// Returns how long a run with these orders may take, in seconds.
double limit_of(const Client& client, const Orders& orders);

/// Returns how a process of the client is run with the orders of a folder. Borrows `watch`.
ProcessOptions process_options(const Client& client, const std::string& folder,
                               const Orders& orders, ProcessWatch* watch = nullptr);

/// Reads the reports that there are. A process that was killed early may have left an empty one.
std::vector<Report> read_reports(const std::string& folder);

/// Says how a run ended whose end and reports are there: whether it hung, and how it failed.
void judge_end(ClientRun& run, const Client& client, const Orders& orders);

/// Runs it once. Machine code's places have lines where they are known. Errors: std::runtime_error
/// where it cannot be started.
ClientRun run_client(const Client& client, const Orders& orders, const std::atomic<bool>& stop);

}  // namespace harness::client
