// SPDX-License-Identifier: Apache-2.0
// diverge: replays the case with a program that shows the fault and with one that does not, records
// the control flow of both, and reports where they diverge.
#include "harness/entries/cli/diverge/diverge.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "harness/entries/cli/bisect/asked.h"
#include "harness/entries/cli/bisect/builds.h"
#include "harness/entries/cli/bisect/repository.h"
#include "harness/entries/cli/bisect/stopped.h"
#include "harness/entries/cli/bisect/subject.h"
#include "harness/entries/cli/commands.h"
#include "harness/entries/cli/interrupt.h"
#include "harness/entries/cli/streams.h"
#include "harness/files/fail.h"
#include "harness/files/held_folder.h"
#include "harness/files/read.h"
#include "harness/files/scratch_folder.h"
#include "harness/flow/divergence.h"
#include "harness/printable.h"
#include "harness/reports/json_text.h"

namespace harness::entries {
namespace {

using Json = nlohmann::ordered_json;

struct Programs {
  std::string good;
  std::string bad;
};

/// Builds the programs of revisions, if the options name revisions instead of programs.
class Revisions {
 public:
  Revisions(const DivergeOptions& options, const std::atomic<bool>& stop)
      : repository_(stop), builds_(repository_, options.build, stop), held_(repository_.folder()) {}

  std::string program_of(const std::string& revision) const {
    const std::string commit = repository_.commit_of(revision);
    fmt::print(stderr, "{}: building it, unless it is built already\n",
               printable(repository_.words_of(commit)));
    const Build build = builds_.of(commit);
    if (!build.program)
      throw std::runtime_error(
          fmt::format("{}: {}", printable(repository_.words_of(commit)), build.why));
    return *build.program;
  }

 private:
  Repository repository_;
  Builds builds_;
  HeldFolder held_;  ///< Two comparisons in one worktree would interfere.
};

Programs programs_of(const DivergeOptions& options, const std::atomic<bool>& stop) {
  Programs programs{options.good_program, options.bad_program};
  if (!programs.good.empty() && !programs.bad.empty()) return programs;
  const Revisions revisions(options, stop);
  if (programs.good.empty()) programs.good = revisions.program_of(options.good);
  if (programs.bad.empty()) programs.bad = revisions.program_of(options.bad);
  return programs;
}

/// The result of a program's replay.
struct Replayed {
  Flow flow;
  std::set<std::string> faults;
};

class Comparison {
 public:
  Comparison(const DivergeOptions& options, Programs programs, const std::atomic<bool>& stop)
      : options_(options),
        programs_(std::move(programs)),
        stop_(stop),
        scratch_("afterlife-diverge") {}

  int run() const {
    const Replayed bad = replayed_by(programs_.bad);
    const Replayed good = replayed_by(programs_.good);
    if (bad.faults.empty())
      fail(programs_.bad, "does not show the fault: name what does with --bad or --bad-program");
    if (std::includes(good.faults.begin(), good.faults.end(), bad.faults.begin(), bad.faults.end()))
      return tell_shown_by_good();
    const std::optional<Divergence> divergence = divergence_of(good.flow, bad.flow);
    if (options_.json)
      fmt::print("{}\n", reports::to_text(as_json(divergence)));
    else
      tell(divergence);
    return divergence && !divergence->decided.function.empty() ? kAsClaimed : kNotAsClaimed;
  }

 private:
  Replayed replayed_by(const std::string& program) const {
    const std::string file = scratch_.name() + "/flow.json";
    const Answer answer = ask({program, "replay", options_.file, "--flow", file, "--json"}, stop_);
    if (!answer.said) fail(program, "cannot replay it: " + answer.why);
    return {parse_flow(read_whole_file(file), file), signatures_in(*answer.said)};
  }

  int tell_shown_by_good() const {
    if (options_.json)
      fmt::print("{}\n", reports::to_text(as_json(std::nullopt, true)));
    else
      fmt::print("{} shows the fault, too; name what does not with --good or --good-program\n",
                 printable(programs_.good));
    return kNotAsClaimed;
  }

  static std::string in_words(const std::optional<FlowPoint>& point) {
    if (!point) return "ends";
    const CodePlace& place = point->place;
    return fmt::format("continues at {}:{} in {}", printable(place.file), place.line,
                       printable(place.function));
  }

  static void tell(const std::optional<Divergence>& divergence) {
    if (!divergence)
      return fmt::print("both runs take the same way through the code of the path\n");
    const CodePlace& decided = divergence->decided;
    if (decided.function.empty())
      fmt::print("the runs diverge outside of the path's code, after {} edges\n",
                 divergence->in_common);
    else
      fmt::print("{} behaves differently, at {}:{}, after {} edges in common\n",
                 printable(decided.function), printable(decided.file), decided.line,
                 divergence->in_common);
    fmt::print("  the good run {}\n  the bad run {}\n", in_words(divergence->good),
               in_words(divergence->bad));
    for (const CodePlace& upon : divergence->upon) {
      const bool is_first = &upon == &divergence->upon.front();
      const char* who = divergence->is_handed_over ? "its caller" : "it";
      fmt::print("  {} {}, at {}:{}, which {} called last\n",
                 is_first ? "perhaps because of the result of" : "or of", printable(upon.function),
                 printable(upon.file), upon.line, is_first ? who : "that");
    }
    for (const CodePlace& caller : divergence->callers)
      fmt::print("  called at {}:{} in {}\n", printable(caller.file), caller.line,
                 printable(caller.function));
  }

  static Json to_json(const CodePlace& place) {
    return {{"function", place.function}, {"file", place.file}, {"line", place.line}};
  }

  static Json to_json(const std::vector<CodePlace>& places) {
    Json all = Json::array();
    for (const CodePlace& place : places) all.push_back(to_json(place));
    return all;
  }

  static Json to_json(const std::optional<FlowPoint>& point) {
    return point ? to_json(point->place) : Json();
  }

  Json as_json(const std::optional<Divergence>& divergence, bool good_shows_it = false) const {
    Json json{{"schema", 1},
              {"file", options_.file},
              {"good_shows_it", good_shows_it},
              {"diverge", divergence.has_value()}};
    if (!divergence) return json;
    const bool is_known = !divergence->decided.function.empty();
    json["decided"] = is_known ? to_json(divergence->decided) : Json();
    json["upon"] = to_json(divergence->upon);
    json["handed_over"] = divergence->is_handed_over;
    json["in_common"] = divergence->in_common;
    json["good"] = to_json(divergence->good);
    json["bad"] = to_json(divergence->bad);
    json["callers"] = to_json(divergence->callers);
    return json;
  }

  const DivergeOptions& options_;
  Programs programs_;
  const std::atomic<bool>& stop_;
  ScratchFolder scratch_;
};

}  // namespace

int diverge(const DivergeOptions& options) {
  if (options.good.empty() && options.good_program.empty())
    throw UsageError("--good is missing: name a revision that does not show the fault");
  read_subject(options.file);
  try {
    const std::atomic<bool>& stop = take_interrupts();
    return Comparison(options, programs_of(options, stop), stop).run();
  } catch (const BisectionStopped&) {
    say_error("stopped; builds are kept, and the same command continues from here");
    return kStopped;
  }
}

}  // namespace harness::entries
