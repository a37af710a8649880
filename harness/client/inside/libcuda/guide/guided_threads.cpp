// SPDX-License-Identifier: Apache-2.0
// Guided, its threads that take turns: the next one to run, their time limits, a deadlock, and a
// thread that was lost.
#include <fmt/format.h>
#include <unistd.h>

#include "harness/client/border/hang_watch.h"
#include "harness/client/inside/libcuda/guide/guided.h"
#include "harness/client/inside/libcuda/native_place.h"
#include "harness/client/inside/libcuda/thread_options.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {

thread_local Label Guided::next_function_;

void Guided::are_not_watched() {
  if (report_.note.empty())
    report_.note =
        "another tool traces the lines of the program's threads: they switch only at driver calls "
        "and waits";
}

std::size_t Guided::next(const BatonThread& asking, Baton::At at,
                         std::span<BatonThread* const> options) {
  if (asking.is_native) return next_native(asking, at, options);
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  claim_process();
  const ThreadOptions told(options);
  const Activation turn = askers_.turn(asking, at, next_function_);
  const auto count = static_cast<std::uint32_t>(options.size());
  const std::uint32_t chosen = client::is_forced(turn.name)
                                   ? ask_forced(turn, Site::schedule, count, &told)
                                   : process.ask(turn, Site::schedule, count, &told);
  flush();
  process.unlock();
  return chosen;
}

/// Only excludes other threads, because the choice is frequent and does not change the driver.
std::size_t Guided::next_native(const BatonThread& asking, Baton::At at,
                                std::span<BatonThread* const> options) {
  client::Place place = orders_.locates ? native_place() : client::Place{};
  ProcessWorld& process = ProcessWorld::get();
  const ProcessWorld::Asking is_asking(process);
  const ThreadOptions told(options, at == Baton::At::sync || at == Baton::At::call);
  const Activation turn = askers_.turn(asking, at, next_function_);
  const std::uint32_t chosen =
      process.ask(turn, Site::schedule, static_cast<std::uint32_t>(options.size()), &told);
  if (chosen != 0 && orders_.locates) parties_.note(turn.name, std::move(place));
  flush();
  return chosen;
}

/// Does not take the driver either. If a limit passes, writes the report, because the program may
/// end in any way now.
std::size_t Guided::expires(const BatonThread& asking, Baton::At at,
                            std::span<BatonThread* const> waiters) {
  const bool locates = orders_.locates && asking.is_native;
  client::Place place = locates ? native_place() : client::Place{};
  ProcessWorld& process = ProcessWorld::get();
  const ProcessWorld::Asking is_asking(process);
  claim_process();
  std::vector<BatonThread*> none_or_one{nullptr};
  none_or_one.insert(none_or_one.end(), waiters.begin(), waiters.end());
  const ThreadOptions told(none_or_one);
  const Activation limit = askers_.time_limit(asking, at, next_function_);
  const std::uint32_t chosen =
      process.ask(limit, client::kTimeLimit, static_cast<std::uint32_t>(none_or_one.size()), &told);
  if (chosen != 0 && locates) parties_.note(limit.name, std::move(place));
  if (chosen != 0)
    report(process.world());
  else
    flush();
  return chosen;
}

/// Makes the main thread check whether an event from outside could end the deadlock.
void Guided::stand() { client::ask_thread(::getpid(), ::getpid(), client::kMainStands); }

void Guided::lost(const BatonThread& thread, bool is_busy) {
  const std::string place =
      thread.file != nullptr ? fmt::format(" at {}:{}", *thread.file, thread.line) : "";
  const char* why =
      is_busy ? "is busy for long" : "waits for something that Afterlife does not see";
  doubt(fmt::format("{} {}{}, so others ran beside it", thread.shown, why, place));
}

void Guided::doubt(const std::string& why) {
  const std::lock_guard lock(doubt_mutex_);
  if (doubt_.empty() || why.empty()) doubt_ = why;
}

}  // namespace harness::entries
