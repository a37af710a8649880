// SPDX-License-Identifier: Apache-2.0
// bisect: judges both ends, then lets git select revisions between them, builds each in a worktree
// and checks whether it shows the fault.
#include "harness/entries/cli/bisect/bisect.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/entries/cli/bisect/builds.h"
#include "harness/entries/cli/bisect/judge.h"
#include "harness/entries/cli/bisect/repository.h"
#include "harness/entries/cli/bisect/stopped.h"
#include "harness/entries/cli/commands.h"
#include "harness/entries/cli/interrupt.h"
#include "harness/entries/cli/streams.h"
#include "harness/files/held_folder.h"
#include "harness/printable.h"
#include "harness/reports/html.h"
#include "harness/reports/json_text.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using reports::shell_word;
using Json = nlohmann::ordered_json;

/// The exit code with which `git bisect run` skips a revision.
constexpr int kUntestable = 125;

/// The probability that a search misses an existing fault (judge.h).
const double kMissed = std::exp(-static_cast<double>(kCare));

struct Look {
  std::string commit;
  std::string words;
  Judgement judgement;
  bool was_built = false;
  double seconds = 0;
};

const char* in_words(Standing standing) {
  switch (standing) {
    case Standing::shown:
      return "shown";
    case Standing::absent:
      return "absent";
    case Standing::unknown:
      return "unknown";
  }
  return "";
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Bisection {
 public:
  explicit Bisection(const BisectOptions& options)
      : options_(options),
        stop_(take_interrupts()),
        repository_(stop_),
        builds_(repository_, options.build, stop_),
        judge_(fs::absolute(options.file), read_subject(options.file), repository_.folder(), stop_),
        held_(repository_.folder()) {}

  int run() {
    const std::string good = repository_.commit_of(options_.good);
    const std::string bad = repository_.commit_of(options_.bad);
    is_fixed_ = repository_.is_ancestor(bad, good);
    if (good == bad || (!is_fixed_ && !repository_.is_ancestor(good, bad)))
      throw UsageError(fmt::format("neither {} nor {} is an ancestor of the other", options_.good,
                                   options_.bad));
    look_at_ends(good, bad);
    repository_.begin(is_fixed_ ? bad : good, is_fixed_ ? good : bad);
    while (repository_.goes_on()) repository_.answer(answer_to(look(repository_.current())));
    repository_.end();
    tell();
    return repository_.left().size() == 1 ? kAsClaimed : kNotAsClaimed;
  }

 private:
  void look_at_ends(const std::string& good, const std::string& bad) {
    const Look shown = look(bad);
    if (shown.judgement.standing != Standing::shown)
      throw std::runtime_error(
          fmt::format("{} does not show the fault ({}): name a revision that does with --bad",
                      options_.bad, shown.judgement.how));
    judge_.calibrate(*builds_.of(bad).program, options_.runs);
    const Look absent = look(good);
    if (absent.judgement.standing != Standing::absent)
      throw std::runtime_error(fmt::format("{} may have the fault, too ({}): name another revision",
                                           options_.good, absent.judgement.how));
  }

  const Look& look(const std::string& commit) {
    const auto begin = std::chrono::steady_clock::now();
    const Build build = builds_.of(commit);
    Look look{commit,
              repository_.words_of(commit),
              {Standing::unknown, build.why, false},
              build.was_built,
              0};
    if (build.program) look.judgement = judge_.judge(*build.program);
    look.seconds = seconds_since(begin);
    looks_.push_back(look);
    if (!options_.json)
      fmt::print("{:7}  {}: {}{}\n", in_words(look.judgement.standing), printable(look.words),
                 printable(look.judgement.how), look.was_built && build.program ? ", built" : "");
    return looks_.back();
  }

  Repository::Answer answer_to(const Look& look) const {
    if (look.judgement.standing == Standing::unknown) return Repository::Answer::untestable;
    const bool is_older = (look.judgement.standing == Standing::shown) == is_fixed_;
    return is_older ? Repository::Answer::older : Repository::Answer::newer;
  }

  /// Returns a command line with which git makes the same bisection.
  std::string git_line() const {
    const std::string& older = is_fixed_ ? options_.bad : options_.good;
    const std::string& newer = is_fixed_ ? options_.good : options_.bad;
    return fmt::format(
        "git bisect start {} {} && git bisect run {} bisect {} --step{} --build {} --program {}",
        shell_word(newer), shell_word(older),
        shell_word(fs::read_symlink("/proc/self/exe").string()),
        shell_word(fs::absolute(options_.file).string()), is_fixed_ ? " --fixed" : "",
        shell_word(options_.build.command), shell_word(options_.build.program));
  }

  std::string confidence() const {
    std::size_t by_search = 0, judged = 0;
    for (const Look& look : looks_) {
      by_search += look.judgement.by_search;
      judged += look.judgement.standing != Standing::unknown;
    }
    if (!judge_.found_within())
      return fmt::format(
          "by the recorded schedule alone: a search of {} runs does not find the fault",
          options_.runs);
    return fmt::format(
        "{} of {} by the recorded schedule, {} by {} runs each; the fault is found within {} runs, "
        "so a bad revision is missed with a probability of about {:.0e}",
        judged - by_search, judged, by_search, judge_.search_runs(), *judge_.found_within(),
        kMissed);
  }

  void tell() const {
    if (options_.json) return fmt::print("{}\n", reports::to_text(as_json()));
    const auto& left = repository_.left();
    const char* what = is_fixed_ ? "without it" : "with it";
    if (left.size() == 1)
      fmt::print("\nthe first {}: {}\n", what, printable(repository_.words_of(left.front())));
    else
      fmt::print("\nthe first {} is one of {}, which cannot be told apart:\n", what, left.size());
    for (std::size_t i = 0; left.size() > 1 && i < left.size(); ++i)
      fmt::print("  {}\n", printable(repository_.words_of(left[i])));
    fmt::print("  {}\n  {}\n", confidence(), printable(git_line()));
  }

  Json as_json() const {
    Json looks = Json::array();
    for (const Look& look : looks_)
      looks.push_back({{"commit", look.commit},
                       {"words", look.words},
                       {"standing", in_words(look.judgement.standing)},
                       {"how", look.judgement.how},
                       {"by_search", look.judgement.by_search},
                       {"built", look.was_built},
                       {"seconds", look.seconds}});
    return {{"schema", 1},
            {"file", options_.file},
            {"change", is_fixed_ ? "fixed" : "made"},
            {"left", repository_.left()},
            {"looks", looks},
            {"found_within", judge_.found_within() ? Json(*judge_.found_within()) : Json()},
            {"search_runs", judge_.search_runs()},
            {"confidence", confidence()},
            {"git", git_line()}};
  }

  const BisectOptions& options_;
  const std::atomic<bool>& stop_;
  Repository repository_;
  Builds builds_;
  Judge judge_;
  HeldFolder held_;  ///< Two bisections in one worktree would interfere.
  bool is_fixed_ = false;
  std::vector<Look> looks_;
};

/// Judges the source tree in the current folder, for `git bisect run`.
int step(const BisectOptions& options) {
  const std::atomic<bool>& stop = take_interrupts();
  const Repository repository(stop);
  const Builds builds(repository, options.build, stop);
  const Build build = builds.in(repository.root(), repository.folder() + "/logs/step.log");
  if (!build.program) return kUntestable;
  Judge judge(fs::absolute(options.file), read_subject(options.file), repository.folder(), stop);
  const Judgement judgement = judge.judge(*build.program);
  fmt::print("{}: {}\n", in_words(judgement.standing), judgement.how);
  if (judgement.standing == Standing::unknown) return kUntestable;
  return (judgement.standing == Standing::shown) == options.fixed ? kAsClaimed : kNotAsClaimed;
}

}  // namespace

int bisect(const BisectOptions& options) {
  if (!options.step && options.good.empty())
    throw UsageError("--good is missing: name a revision that does not show the fault");
  try {
    return options.step ? step(options) : Bisection(options).run();
  } catch (const BisectionStopped&) {
    say_error("stopped; builds are kept, and the same command continues from here");
    return kStopped;
  }
}

}  // namespace harness::entries
