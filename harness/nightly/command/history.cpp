// SPDX-License-Identifier: Apache-2.0
// nightly export, import, show and mark: commands that read and edit the history.
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "harness/base/printable.h"
#include "harness/command/interrupt.h"
#include "harness/nightly/command/commands.h"
#include "harness/nightly/history.h"
#include "harness/nightly/transfer.h"

namespace harness::entries {
namespace {

[[noreturn]] void refuse_cause(const NightlyOptions& options) {
  throw UsageError(
      fmt::format("no finding of this history has the cause '{}'; `afterlife nightly "
                  "merge --json` names them",
                  shown(options.cause)));
}

}  // namespace

void require_history(const std::string& folder) {
  if (!std::filesystem::exists(std::filesystem::path(folder) / "history.sqlite"))
    throw std::runtime_error(fmt::format(
        "{}: contains no history; choose another folder with --history", printable(folder)));
}

int nightly_export(const NightlyOptions& options) {
  end_on_interrupts();
  require_history(options.history);
  nightly::History history(options.history);
  nightly::export_history(history.database(),
                          [](const std::string& line) { fmt::print("{}", line); });
  return kAsClaimed;
}

int nightly_import(const NightlyOptions& options) {
  end_on_interrupts();
  nightly::import_history(options.file, options.history);
  return kAsClaimed;
}

int nightly_show(const NightlyOptions& options) {
  end_on_interrupts();
  require_history(options.history);
  const auto reproducer = nightly::History(options.history).reproducer(options.cause);
  if (!reproducer) refuse_cause(options);
  if (reproducer->empty())
    throw std::runtime_error(fmt::format(
        "{}: the reproducer of '{}' was deleted by --keep, because the finding was closed",
        printable(options.history), shown(options.cause)));
  fmt::print("{}", *reproducer);
  return kAsClaimed;
}

int nightly_mark(const NightlyOptions& options) {
  end_on_interrupts();
  if (options.nights > 0 && options.state != "ignored")
    throw UsageError("--nights needs the state ignored");
  require_history(options.history);
  if (!nightly::History(options.history)
           .mark(options.cause, options.state, options.reason, options.nights))
    refuse_cause(options);
  return kAsClaimed;
}

}  // namespace harness::entries
