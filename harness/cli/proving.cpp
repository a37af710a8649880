// SPDX-License-Identifier: Apache-2.0
// How it works. The programs of a window are enumerated together: first all sets of at most one
// choice, then of at most two, and so on, while the next size is within the limit. The number of
// its runs is counted in advance. So a window has one k, and each repetition reaches the same.
#include "harness/cli/proving.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace harness::entries {
namespace {

constexpr Limits no_limits(const std::atomic<bool>* stop) {
  return {.run_limit = std::numeric_limits<std::uint64_t>::max(), .stop = stop};
}

/// A program of the window, and its enumeration so far.
struct Part {
  const Program* program;
  Enumeration sets;

  bool over() const { return sets.proof().failed || !sets.proof().complete; }
};

class WindowProving {
 public:
  WindowProving(const Target& target, const ProvingOptions& options)
      : target_(target), options_(options) {}

  void add(Runner& runner, const Program& program) {
    Case the_case = program.reproducer.the_case;
    the_case.variant = target_.variant;
    const Sought sought{.window = claim().kind == ClaimKind::unsound ? program.window : -1};
    parts_.push_back({&program, Enumeration(runner, the_case, no_limits(options_.stop), sought)});
  }

  void run() {
    for (std::uint32_t size = 0; size <= most_decisions(); ++size) {
      if (size > 0 && !goes_on()) return;
      for (Part& part : parts_) {
        if (size > 0 && part.over()) continue;
        tell(part, size);
        part.sets.run_next_size();
      }
    }
  }

  const std::vector<Part>& parts() const { return parts_; }

 private:
  const Claim& claim() const { return target_.scenario->variants[target_.variant].claim; }

  std::uint32_t most_decisions() const {
    return options_.decisions >= 0 ? static_cast<std::uint32_t>(options_.decisions)
                                   : kMostDecisions;
  }

  /// Returns whether one more choice is within the limit, and may still show something.
  bool goes_on() const {
    std::uint64_t runs = 0;
    for (const Part& part : parts_)
      runs += part.over() ? part.sets.proof().schedule_count : part.sets.next_schedule_count();
    const bool told = options_.decisions >= 0;
    return (told || runs <= kWindowRunLimit) &&
           !std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.over(); });
  }

  void tell(const Part& part, std::uint32_t size) const {
    if (options_.progress)
      options_.progress(fmt::format("proving {} on {}: k = {}, {} runs ...", name_of(target_),
                                    part.program->name, size, part.sets.next_schedule_count()));
  }

  const Target& target_;
  const ProvingOptions& options_;
  std::vector<Part> parts_;
};

/// Takes the first fault that counts: one of the window, if the proof is about a window.
void take_fault(const Proof& proof, int window, const Target& target, ProgramProof& row) {
  if (!proof.failed) return;
  std::size_t index = 0;
  for (std::size_t i = proof.faults.size(); i-- > 0;)
    if (window < 0 || proof.windows[i] == window) index = i;
  row.fault = proof.faults[index];
  const int shown = proof.windows[index];
  row.hazard = shown >= 0 ? target.scenario->windows[static_cast<std::size_t>(shown)].name.c_str()
                          : row.fault.substr(0, row.fault.find(' '));
  row.claimed =
      names(target.scenario->variants[target.variant].claim, Label::of(row.hazard.c_str()));
}

Came came(const Enumeration& sets) {
  const Proof& proof = sets.proof();
  if (proof.failed) return Came::fails;
  if (!proof.complete && !proof.looped) return Came::stopped;
  if (sets.aside().failed) return Came::elsewhere;
  if (proof.vacuous) return Came::vacuous;
  return proof.decision_count < kLeastDecisions ? Came::too_small : Came::holds;
}

ProgramProof row_of(const Part& part, const Target& target) {
  const Proof& proof = part.sets.proof();
  const int window = part.program->window;
  ProgramProof row{
      .program = part.program,
      .came = came(part.sets),
      .decisions = proof.decision_count,
      .runs = proof.schedule_count,
      .vacuous_runs = proof.vacuous_count,
      .questions = proof.question_count,
      .reached = window >= 0 && proof.reached.contains(static_cast<std::size_t>(window)),
      .next_runs = part.sets.next_schedule_count(),
      .exhausted = proof.complete && part.sets.next_schedule_count() == proof.schedule_count,
      .seconds = proof.seconds};
  take_fault(proof.failed ? proof : part.sets.aside(), proof.failed ? window : -1, target, row);
  return row;
}

}  // namespace

std::uint64_t VariantProof::runs() const {
  std::uint64_t sum = 0;
  for (const ProgramProof& row : programs) sum += row.runs;
  return sum;
}

std::size_t VariantProof::count(Came came) const {
  return static_cast<std::size_t>(std::count_if(
      programs.begin(), programs.end(), [&](const ProgramProof& row) { return row.came == came; }));
}

bool VariantProof::is_refuted() const {
  return std::any_of(programs.begin(), programs.end(), [&](const ProgramProof& row) {
    const bool failed = row.came == Came::fails || row.came == Came::elsewhere;
    return claim().kind == ClaimKind::unsound ? failed && !row.claimed : failed;
  });
}

bool VariantProof::is_undecided(const ProgramProof& row) const {
  if (row.came == Came::too_small) return claim().kind != ClaimKind::vacuous;
  return row.came == Came::vacuous && claim().kind != ClaimKind::vacuous;
}

std::vector<Label> VariantProof::without_program() const {
  std::vector<Label> missing;
  const auto& windows = target.scenario->windows;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const bool has_program = std::any_of(
        programs.begin(), programs.end(),
        [i](const ProgramProof& row) { return row.program->window == static_cast<int>(i); });
    if (names(claim(), windows[i].name) && !has_program) missing.push_back(windows[i].name);
  }
  return missing;
}

Conclusion VariantProof::conclusion() const {
  if (is_refuted()) return Conclusion::contradicted;
  if (programs.empty() || count(Came::stopped) > 0) return Conclusion::stopped;
  const std::size_t too_small = count(Came::too_small);
  const std::size_t vacuous = count(Came::vacuous);
  const auto came_out = [](bool as_said) {
    return as_said ? Conclusion::as_claimed : Conclusion::contradicted;
  };
  if (claim().kind == ClaimKind::vacuous) return came_out(vacuous == programs.size());
  if (vacuous == programs.size()) return Conclusion::contradicted;  // The path never ran.
  if (claim().kind == ClaimKind::sound)
    return count(Came::holds) > 0 ? Conclusion::as_claimed : Conclusion::undecided;
  if (count(Came::fails) + count(Came::elsewhere) > 0) return Conclusion::as_claimed;
  const bool all_are_there = too_small == 0 && vacuous == 0 && without_program().empty();
  return all_are_there ? Conclusion::contradicted : Conclusion::undecided;
}

VariantProof prove(Runner& runner, const Target& target, const std::vector<Program>& programs,
                   const ProvingOptions& options) {
  std::map<std::string, WindowProving> windows;  // A program without a window has its own.
  const auto key = [](const Program& program) {
    return program.window >= 0 ? fmt::format("{}", program.window) : program.name;
  };
  for (const Program& program : programs)
    windows.try_emplace(key(program), target, options).first->second.add(runner, program);
  VariantProof result{target, {}};
  for (auto& [name, window] : windows) {
    window.run();
    for (const Part& part : window.parts()) result.programs.push_back(row_of(part, target));
  }
  std::sort(result.programs.begin(), result.programs.end(),
            [](const ProgramProof& a, const ProgramProof& b) { return a.program < b.program; });
  return result;
}

const char* to_text(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::as_claimed:
      return "as claimed";
    case Conclusion::contradicted:
      return "NOT as claimed";
    case Conclusion::undecided:
      return "not decided";
    case Conclusion::stopped:
      return "stopped";
  }
  return "?";
}

const char* to_text(Came came) {
  switch (came) {
    case Came::holds:
      return "holds";
    case Came::fails:
      return "fails";
    case Came::elsewhere:
      return "fails elsewhere";
    case Came::vacuous:
      return "vacuous";
    case Came::too_small:
      return "too small";
    case Came::stopped:
      return "stopped";
  }
  return "?";
}

}  // namespace harness::entries
