// SPDX-License-Identifier: Apache-2.0
#include "harness/entries/cli/nightly/compare.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/entries/cli/bisect/asked.h"
#include "harness/entries/cli/bisect/stopped.h"
#include "harness/entries/cli/streams.h"
#include "harness/files/scratch_folder.h"
#include "harness/files/whole_file.h"
#include "harness/nightly/cause.h"
#include "harness/printable.h"

namespace harness::entries {
namespace {

using nightly::Change;
using nightly::ChangeOutcome;
using nightly::Night;
using nightly::NightFinding;
using Json = nlohmann::json;

/// More new findings than this result from one bug that shows everywhere, or from a first night.
constexpr std::size_t kMostCompared = 40;
/// Long, because the first comparison builds two programs.
constexpr double kSeconds = 6 * 3600;

bool names_programs(const NightlyOptions& options) { return !options.good_program.empty(); }

/// Returns the options of `diverge` that name the two programs. Returns nothing, and sets `why`, if
/// there are none.
std::optional<Command> programs_of(const NightlyOptions& options, const Night& night,
                                   std::string& why) {
  if (names_programs(options))
    return Command{"--good-program", options.good_program, "--bad-program", options.bad_program};
  const std::string& now = night.terms.revision;
  if (now.empty() || now.ends_with("-dirty"))
    why = "this night searched no commit; name it with --revision";
  else if (night.commit_before.empty())
    why = "no earlier night searched another commit";
  else
    return Command{"--good", night.commit_before, "--bad", now};
  return std::nullopt;
}

/// Returns the findings to compare; none if the night was compared before.
std::vector<const NightFinding*> news_of(const Night& night) {
  std::vector<const NightFinding*> news;
  for (const NightFinding& finding : night.findings) {
    if (finding.change) return {};
    const bool is_new = finding.state == nightly::State::fresh;
    if (is_new && finding.kind == nightly::kFault && news.size() < kMostCompared)
      news.push_back(&finding);
  }
  return news;
}

/// Parses the output of `diverge --json`.
Change change_in(const Json& said) {
  if (said.value("good_shows_it", false)) return {ChangeOutcome::was_before};
  const auto place = [&](const char* name) { return said.value(name, Json()); };
  const Json decided = place("decided");
  if (!decided.is_object()) return {};
  Change change{ChangeOutcome::named, decided.value("function", ""), decided.value("file", ""),
                decided.value("line", std::uint64_t{0})};
  for (const Json& upon : place("upon")) change.upon.push_back(upon.value("function", ""));
  return change;
}

class Comparisons {
 public:
  Comparisons(Command programs, const nightly::Deadline& deadline, const std::atomic<bool>& stop)
      : programs_(std::move(programs)),
        deadline_(deadline),
        stop_(stop),
        folder_("afterlife-changes") {}

  Change compare(const NightFinding& finding, const std::string& reproducer) {
    const std::string file = folder_.name() + "/" + finding.file;
    write_whole_file(file, reproducer, OnDisk::later);
    Command command{"/proc/self/exe", "diverge", file, "--json"};
    command.insert(command.end(), programs_.begin(), programs_.end());
    const Answer answer = ask(command, stop_, std::min(kSeconds, deadline_.seconds_left()));
    if (answer.said) return change_in(*answer.said);
    complain(answer.why);
    return {};
  }

 private:
  /// Prints only the first reason, because it usually holds for all findings.
  void complain(std::string_view why) {
    static constexpr std::string_view kBegin = "afterlife: ";
    if (std::exchange(has_complained_, true)) return;
    if (why.starts_with(kBegin)) why.remove_prefix(kBegin.size());
    say_error(fmt::format("--diverge: {}", printable(why)));
  }

  Command programs_;
  const nightly::Deadline& deadline_;
  const std::atomic<bool>& stop_;
  ScratchFolder folder_;
  bool has_complained_ = false;
};

}  // namespace

bool compare_news(const NightlyOptions& options, nightly::History& history, const Night& night,
                  const nightly::Deadline& deadline, const std::atomic<bool>& stop) {
  const std::vector<const NightFinding*> news = news_of(night);
  if (news.empty()) return false;
  std::string why;
  const std::optional<Command> programs = programs_of(options, night, why);
  if (!programs) {
    say_error(fmt::format("--diverge: {}: nothing to compare with", why));
    return false;
  }
  if (!names_programs(options))
    fmt::print(
        stderr,
        "comparing {} new findings with {}: building both commits, unless they are built already\n",
        news.size(), printable(night.commit_before));
  Comparisons comparisons(*programs, deadline, stop);
  std::map<std::string, Change> changes;
  try {
    for (const NightFinding* finding : news) {
      if (deadline.has_passed()) {
        say_error(
            "--diverge: the night is out of time: `afterlife nightly merge --diverge` compares the "
            "findings later");
        return false;
      }
      const std::string& cause = finding->symptoms.front().cause;
      const std::optional<std::string> reproducer = history.reproducer(cause);
      if (reproducer && !reproducer->empty())
        changes[cause] = comparisons.compare(*finding, *reproducer);
    }
  } catch (const BisectionStopped&) {
    return false;
  }
  history.note_changes(night, changes);
  return true;
}

}  // namespace harness::entries
