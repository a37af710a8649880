// SPDX-License-Identifier: Apache-2.0
// How it works. A failure is represented as a fault, so that it is found, minimized, replayed and
// reported like one. Its signature has the call, the error and the function of the program that got
// it, or the program's end. So it does not change when lines move.
#include "harness/client/outside/search/failure.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "harness/client/outside/client.h"

namespace harness::client {
namespace {

constexpr const char* kCall = "a call";
constexpr const char* kProgram = "the program";
constexpr const char* kTookTooLong = "hang";

/// Returns the user's function in words, or "". Machine code has function names only if its lines
/// were looked up.
std::string where(const Place& place) {
  const Frame* frame = users_frame(place);
  if (frame == nullptr || frame->line == 0) return {};
  return fmt::format(" in {}:{}", frame->file_name(), frame->function);
}

bool is_crash(const ClientRun& run) {
  constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  return std::ranges::find(kCrashes, -run.ended.code) != kCrashes.end();
}

/// Returns whether the function ends the object that its first argument names.
bool ends_its_object(std::string_view function) {
  constexpr std::array kOthers{"EndCapture", "Node", "GraphReleaseUserObject"};
  return ends_something(function) && std::ranges::none_of(kOthers, [&](const char* word) {
           return function.find(word) != function.npos;
         });
}

/// `is_end`: the program has ended, so that what is alive now stays so.
ToldFault failure_of(const ToldError& error, const std::string& ended, bool is_end) {
  const bool is_leak = error.is_alive && is_end && ends_its_object(error.function);
  ToldFault failure;
  failure.kind = is_leak ? kLeak : kFailure;
  failure.object = is_leak ? error.object : kCall;
  if (is_leak) failure.birth = error.birth;
  failure.use = {error.function, error.place, error.thread, "", error.call, 0};
  failure.decision_count = error.decision_count;
  failure.signature =
      fmt::format("{} {} {}{}", failure.kind, error.function, error.status, where(error.place));
  const std::string alive =
      is_leak ? fmt::format(", and the {} is alive at the end of the program", error.object) : "";
  failure.detail =
      fmt::format("returned {}{}; without these choices it does not", error.status, alive);
  failure.ended = ended;
  return failure;
}

/// Returns the frame in a line of a traceback as Python prints it: `File "x.py", line 3, in f`.
std::optional<Frame> traced_frame(std::string_view line) {
  constexpr std::string_view kBegin = "  File \"", kLine = "\", line ", kIn = ", in ";
  const std::size_t number = line.find(kLine);
  if (!line.starts_with(kBegin) || number == line.npos) return std::nullopt;
  Frame frame;
  frame.file = line.substr(kBegin.size(), number - kBegin.size());
  const char* const digits = line.data() + number + kLine.size();
  const auto [end, error] = std::from_chars(digits, line.data() + line.size(), frame.line);
  const auto rest = line.substr(static_cast<std::size_t>(end - line.data()));
  if (error != std::errc() || !rest.starts_with(kIn)) return std::nullopt;
  frame.function = rest.substr(kIn.size());
  const auto is_below = [&](const char* folder) { return frame.file.find(folder) != line.npos; };
  frame.is_library = is_below("/site-packages/") || is_below("/dist-packages/") ||
                     is_below("/lib/python3") || frame.file.starts_with('<');
  return frame;
}

/// Returns where the last exception of the text was raised, the innermost function first.
Place traced(std::string_view text) {
  constexpr std::string_view kTraceback = "Traceback (most recent call last):\n";
  Place place;
  const std::size_t begin = text.rfind(kTraceback);
  if (begin == text.npos) return place;
  for (std::string_view rest = text.substr(begin); !rest.empty();) {
    if (const std::optional<Frame> frame = traced_frame(rest.substr(0, rest.find('\n')));
        frame.has_value())
      place.insert(place.begin(), *frame);
    const std::size_t end = rest.find('\n');
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return place;
}

/// Takes the first two threads of a process that hung as parties, and puts the number of others
/// into words.
void take_stuck(ToldFault& failure, const ClientRun& run) {
  constexpr std::size_t kParties = 2;
  for (const Report& report : run.reports) {
    if (report.stuck.empty()) continue;
    failure.use = report.stuck[0];
    if (report.stuck.size() < kParties) return;
    failure.other = report.stuck[1];
    if (report.stuck.size() > kParties)
      failure.detail = fmt::format("and {} more", report.stuck.size() - kParties);
    return;
  }
}

/// Takes the host function in which the process crashed as the party. Returns the words of a
/// signature for it.
std::string take_called(ToldFault& failure, const ClientRun& run) {
  for (const Report& report : run.reports) {
    if (report.called.empty() || run.ended.code >= 0) continue;  // It was not ended by a signal.
    failure.use = report.called.front();
    return fmt::format(" in a {}", failure.use.site);
  }
  return {};
}

/// Returns the unsupported driver call of the run, in the words that the driver printed to stderr,
/// or "". Libraries that probe the driver's features make such calls, too.
std::string told_unsupported(const ClientRun& run) {
  constexpr std::string_view kOurs = "afterlife: ", kStatus = "CUDA_ERROR_NOT_SUPPORTED";
  const std::string& err = run.ended.err;
  const std::size_t status = err.find(kStatus);
  if (status == err.npos) return {};
  const std::size_t begin = err.rfind('\n', status) + 1;
  const std::string_view line = std::string_view(err).substr(begin, err.find('\n', status) - begin);
  if (!line.starts_with(kOurs)) return {};
  return fmt::format("this may be a limit of Afterlife: {}", line.substr(kOurs.size()));
}

ToldFault end_of(const ClientRun& run, const std::string& ended) {
  ToldFault failure;
  failure.kind = kFailure;
  failure.object = kProgram;
  failure.use.place = traced(run.ended.err);
  std::string how = without_numbers(ended) + take_called(failure, run);
  if (!run.ended.hang.empty()) {
    take_stuck(failure, run);
    how = std::ranges::any_of(run.reports, &Report::is_deadlock) ? "deadlock" : kTookTooLong;
  }
  failure.signature =
      fmt::format("{} {}{}{}", kFailure, how, where(failure.use.place), where(failure.other.place));
  if (failure.detail.empty()) failure.detail = told_unsupported(run);
  if (failure.detail.empty()) failure.detail = run.last_call();
  failure.ended = ended;
  return failure;
}

bool has_named_fault(const ClientRun& run) {
  return std::ranges::any_of(run.reports, [](const Report& report) {
    return std::ranges::any_of(report.faults,
                               [](const ToldFault& fault) { return fault.pedantic.empty(); });
  });
}

/// Returns whether both are errors of the same call at the same line.
bool is_same(const ToldFault& left, const ToldFault& right) {
  const Frame* here = users_frame(left.use.place);
  const Frame* there = users_frame(right.use.place);
  const bool is_here = here == nullptr || there == nullptr ? here == there : *here == *there;
  return left.signature == right.signature && is_here;
}

bool is_among(const std::vector<ToldFault>& expected, const ToldFault& failure) {
  return std::ranges::any_of(expected,
                             [&](const ToldFault& known) { return is_same(known, failure); });
}

/// Returns whether the end is one that error handling code chooses after an injected error: an
/// exception, an abort or an exit code.
bool is_giving_up(const ClientRun& run) {
  const bool has_error = run.failure() != nullptr && run.ended.hang.empty() && !is_crash(run);
  return has_error || is_giving_up_in_time(run);
}

}  // namespace

bool is_giving_up_in_time(const ClientRun& run) {
  return run.has_passed_limit() && !is_crash(run) &&
         std::ranges::none_of(run.reports, &Report::is_deadlock);
}

bool took_too_long(const ToldFault& failure) {
  return failure.signature.starts_with(fmt::format("{} {}", kFailure, kTookTooLong));
}

bool ends_something(std::string_view function) {
  constexpr std::array kEnds{"Free",    "Destroy",    "Unmap", "Unload",
                             "Release", "Unregister", "Close", "EndCapture"};
  return std::ranges::any_of(
      kEnds, [&](const char* word) { return function.find(word) != function.npos; });
}

std::string without_numbers(std::string_view text) {
  std::string words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_hex = text.substr(i).starts_with("0x");
    if (!is_hex && std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      words += text[i];
      continue;
    }
    words += '#';
    if (is_hex) i += 2;
    const auto goes_on = [&](char next) {
      return (is_hex ? std::isxdigit(static_cast<unsigned char>(next))
                     : std::isdigit(static_cast<unsigned char>(next))) != 0;
    };
    while (i + 1 < text.size() && goes_on(text[i + 1])) ++i;
  }
  return words;
}

std::vector<ToldFault> failures_of(const ClientRun& run) {
  std::vector<ToldFault> failures;
  const std::string ended = run.ended.stopped ? "" : run.ended.complaint(0);
  for (const Report& report : run.reports)
    for (const ToldError& error : report.errors)
      if (!error.is_injected) failures.push_back(failure_of(error, ended, report.is_whole));
  if (!ended.empty()) failures.push_back(end_of(run, ended));
  return failures;
}

const ToldFault* suspect(const ClientRun& run, const std::vector<ToldFault>& expected,
                         bool pedantic) {
  if (has_named_fault(run)) return nullptr;
  for (const ToldFault& failure : run.failures) {
    if (failure.object == kProgram) return is_giving_up(run) ? nullptr : &failure;
    if (is_among(expected, failure)) continue;
    if (pedantic || !failure.ended.empty() || ends_something(failure.use.site)) return &failure;
  }
  return nullptr;
}

const ToldFault* survived(const ClientRun& run, const std::vector<ToldFault>& expected) {
  if (has_named_fault(run)) return nullptr;
  const auto found = std::ranges::find_if(run.failures, [&](const ToldFault& failure) {
    return failure.object == kCall && failure.ended.empty() && !ends_something(failure.use.site) &&
           !is_among(expected, failure);
  });
  return found != run.failures.end() ? &*found : nullptr;
}

}  // namespace harness::client
