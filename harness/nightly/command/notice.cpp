// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/notice.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "harness/base/files/whole_file.h"
#include "harness/base/process/process.h"
#include "harness/nightly/command/report.h"
#include "harness/nightly/views/night_sentence.h"
#include "harness/nightly/views/night_views.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using nightly::Night;

constexpr double kNoticeSeconds = 60;

bool is_worth_a_look(const Night& night) { return night.is_red() || night.nights_missing > 0; }

bool was_worth_a_look(const NightlyOptions& options, nightly::History& history,
                      const Night& night) {
  const std::string before = history.night_before(night.terms.number);
  return !before.empty() && is_worth_a_look(night_of(history, before, options));
}

std::string write_json(const NightlyOptions& options, const Night& night) {
  const fs::path file = fs::absolute(fs::path(options.history) / "night.json");
  write_whole_file(file.string(), reports::night_json(night) + "\n");
  return file.string();
}

/// Runs the command. Returns why it failed, or "".
std::string run(const std::string& command, const std::string& line, const std::string& file,
                const std::atomic<bool>& stop) {
  const ProcessOptions options{
      kNoticeSeconds, {"AFTERLIFE_LINE=" + line, "AFTERLIFE_JSON=" + file}, kErrKept};
  const ProcessEnd ended = run_process({"/bin/sh", "-c", command}, options, stop);
  if (ended.timed_out) return fmt::format("did not end within {:g} s", kNoticeSeconds);
  return ended.complaint(kNoticeSeconds);
}

}  // namespace

void notify(const NightlyOptions& options, nightly::History& history, const Night& night,
            const std::atomic<bool>& stop) {
  if (options.notify.empty()) return;
  if (!is_worth_a_look(night) && !was_worth_a_look(options, history, night)) return;
  const std::string why = run(options.notify,
                              fmt::format("night {}, {}: {}", night.terms.number,
                                          reports::verdict_of(night), reports::sentence_of(night)),
                              write_json(options, night), stop);
  if (!why.empty()) fmt::print(stderr, "afterlife: the command of --notify {}\n", why);
}

}  // namespace harness::entries
