// prove: on each window's smallest program, runs every set of at most k further decisions.
//
// k is the least at which the path as shipped fails: a variant that holds there holds against everything
// that is known to break the original. Where the original holds too, the proof is vacuous.
#include <fmt/format.h>

#include <cstdio>

#include "harness/entries/cli/commands.h"
#include "harness/entries/cli/interrupt.h"
#include "harness/entries/cli/lookup.h"
#include "harness/entries/cli/programs.h"
#include "harness/minimize.h"
#include "harness/reports/progress.h"
#include "harness/reports/table.h"

namespace harness::entries {
namespace {

using reports::Align;
using reports::Cell;
using reports::Colour;
using reports::Table;

constexpr std::uint32_t kMostDecisions = 3;
constexpr double kSecondLimit = 3600;

enum class Came : std::uint8_t { held, failed, vacuous, unfinished };

struct Row {
  std::string program;
  std::uint32_t decisions;
  Proof proof;
  Came came;
};

class Proving {
 public:
  explicit Proving(const ProveOptions& options)
      : options_(options), target_(find_target(options.target)), window_(window_index()) {
    limits_.run_limit = ~std::uint64_t{0};
    limits_.second_limit = kSecondLimit;
    limits_.stop = &take_interrupts();
  }

  int run() {
    reports::Progress progress(2, reports::Terminal::of(2));
    for (const Program& program : read_programs(options_.programs, *target_.scenario)) {
      if (window_ >= 0 && program.window != window_) continue;
      progress.show(0, fmt::format("proving {} ...", program.name));
      rows_.push_back(prove_one(program));
    }
    progress.clear();
    if (rows_.empty())
      throw std::runtime_error(fmt::format("no program in {}/{}/programs is named after a window to prove",
                                           options_.programs, target_.scenario->name.view()));
    print();
    return as_claimed() ? kAsClaimed : kNotAsClaimed;
  }

 private:
  int window_index() const {
    if (options_.window.empty()) return -1;
    std::string known;
    for (std::size_t i = 0; i < target_.scenario->windows.size(); ++i) {
      const std::string_view name = target_.scenario->windows[i].name.view();
      if (name == options_.window) return static_cast<int>(i);
      known += fmt::format(" {}", name);
    }
    throw UsageError(fmt::format("{} has no window '{}'; there is:{}", target_.scenario->name.view(),
                                 options_.window, known));
  }

  /// The path as shipped: the variant that the table lists first.
  static constexpr std::size_t kShipped = 0;

  /// What is shipped has to show the fault that the program is about; the others, none of its window.
  Proof prove_variant(const Program& program, std::size_t variant, std::uint32_t limit) {
    Case the_case = program.reproducer.the_case;
    the_case.variant = variant;
    Sought sought{.window = program.window};
    const std::vector<std::string>& faults = program.reproducer.faults;
    if (variant == kShipped && !faults.empty()) sought.signature = faults.front();
    return harness::prove(runner_, the_case, limit, limits_, sought);
  }

  Row prove_one(const Program& program) {
    const std::uint32_t most =
        options_.decisions >= 0 ? static_cast<std::uint32_t>(options_.decisions) : kMostDecisions;
    const Proof shipped = prove_variant(program, kShipped, most);
    const std::uint32_t least = shipped.failed ? shipped.decision_count : most;
    if (target_.variant == kShipped) return {program.name, least, shipped, came(shipped, shipped)};
    const std::uint32_t limit = options_.decisions >= 0 ? most : least;
    const Proof proof = prove_variant(program, target_.variant, limit);
    return {program.name, limit, proof, came(proof, shipped)};
  }

  static Came came(const Proof& proof, const Proof& shipped) {
    if (proof.failed) return Came::failed;
    if (!proof.complete) return Came::unfinished;
    return proof.vacuous || !shipped.failed ? Came::vacuous : Came::held;
  }

  bool as_claimed() const {
    std::size_t held = 0;
    std::size_t failed = 0;
    for (const Row& row : rows_) {
      if (row.came == Came::unfinished) return false;
      held += row.came == Came::held;
      failed += row.came == Came::failed;
    }
    const ClaimKind claim = target_.scenario->variants[target_.variant].claim.kind;
    return claim == ClaimKind::unsound ? failed > 0 : failed == 0 && held > 0;
  }

  Cell result(const Row& row) const {
    switch (row.came) {
      case Came::held:
        return {"holds", Colour::green};
      case Came::failed:
        return {"fails: " + (row.proof.faults.empty() ? "" : row.proof.faults.front()), Colour::yellow};
      case Came::vacuous:
        return {row.proof.vacuous ? "vacuous: the path did not run"
                                  : "vacuous: " + shipped_name() + " holds too"};
      case Came::unfinished:
        return {"not finished", Colour::red};
    }
    return {""};
  }

  std::string shipped_name() const {
    return std::string(target_.scenario->variants[kShipped].name.view());
  }

  void print() const {
    Table table({{"program"},
                 {"k", Align::right},
                 {"questions", Align::right},
                 {"runs", Align::right},
                 {"seconds", Align::right},
                 {name_of(target_), Align::left, true}});
    for (const Row& row : rows_)
      table.add({{row.program},
                 {fmt::format("{}", row.decisions)},
                 {reports::grouped(row.proof.question_count)},
                 {reports::grouped(row.proof.run_count)},
                 {fmt::format("{:.2f}", row.proof.seconds)},
                 result(row)});
    fmt::print("{}", table.to_string(reports::Terminal::of(1)));
  }

  const ProveOptions& options_;
  Target target_;
  int window_;
  Runner runner_;
  Limits limits_;
  std::vector<Row> rows_;
};

}  // namespace

int prove(const ProveOptions& options) { return Proving(options).run(); }

}  // namespace harness::entries
