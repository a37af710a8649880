// SPDX-License-Identifier: Apache-2.0
// fuzz: searches each variant in turn, divides the time among them, and prints the result.
//
// A finding is written to disk at once, so that it is not lost if the program ends; it is written
// again when it is minimized. A full disk is reported at once, and the search continues.
#include "harness/cli/fuzz.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <utility>

#include "harness/cli/footer.h"
#include "harness/command/arguments.h"
#include "harness/command/exit_code.h"
#include "harness/command/gather.h"
#include "harness/command/interrupt.h"
#include "harness/command/lookup.h"
#include "harness/command/output_folder.h"
#include "harness/report/json.h"
#include "harness/report/matrix.h"
#include "harness/report/progress.h"

namespace harness::entries {
namespace {

using reports::Terminal;

constexpr double kDefaultSeconds = 60;
/// A variant that needs more runs may exceed its share of the time by this fraction of the rest.
constexpr double kOvertimeShare = 0.5;
constexpr int kStderr = 2;

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Fuzzing {
 public:
  explicit Fuzzing(const FuzzOptions& options)
      : options_(options),
        targets_(with_window(find_targets(options.target), options.window)),
        folder_(options.out),
        seconds_(options.seconds > 0 || options.runs > 0 ? options.seconds : kDefaultSeconds) {
    for (const Target& target : targets_) find_configs(*target.scenario, options.config);
    search_.strategy = &find_strategy(options.strategy);
    search_.device = &find_device(options.device);
    search_.seed = options.seed;
    search_.run_limit = options.runs;
    search_.stop = &take_interrupts();
    search_.stop_at_first = options.first;
    search_.minimize = !options.first;
    search_.errors = options.no_failures ? ErrorInjection::off : ErrorInjection::on;
    search_.found = std::bind_front(&OutputFolder::keep, &folder_);
    search_.progress = [this](const SearchResult& result) { show(result); };
  }

  int run() {
    for (; index_ < targets_.size() && !*search_.stop; ++index_) search_one();
    if (index_ < targets_.size()) gathered_.stop();
    progress_.clear();
    options_.json ? print_json() : print_report();
    return folder_.failure() ? kWorld : gathered_.exit_code();
  }

 private:
  void search_one() {
    const Target& target = targets_[index_];
    search_.configs = find_configs(*target.scenario, options_.config);
    search_.window = window_index(*target.scenario, options_.window);
    search_.second_limit = share();
    search_.overtime_seconds =
        kOvertimeShare * std::max(0.0, seconds_ - clock_.seconds() - search_.second_limit);
    folder_.forget();
    const SearchResult result = search(runner_, *target.scenario, target.variant, search_);
    if (result.stopped) gathered_.stop();
    complain();
    gathered_.add(result, std::bind_front(&OutputFolder::file_of, &folder_));
  }

  /// Returns this variant's share of the remaining time in seconds; 0 = no limit.
  double share() const {
    if (seconds_ <= 0) return 0;
    const double left = std::max(0.01, seconds_ - clock_.seconds());
    return left / static_cast<double>(targets_.size() - index_);
  }

  /// Reports once that a file could not be written: further files would fail as well.
  void complain() {
    if (!folder_.failure() || std::exchange(complained_, true)) return;
    progress_.clear();
    fmt::print(stderr, "afterlife: {}; the search continues\n", *folder_.failure());
    std::fflush(stderr);
  }

  void show(const SearchResult& result) {
    complain();
    const double now = clock_.seconds();
    if (result.tally.runs == 0 || !progress_.due(now)) return;
    const double rate =
        result.seconds > 0 ? static_cast<double>(result.tally.runs) / result.seconds : 0;
    const std::string of = seconds_ > 0 ? fmt::format(" of {:.0f}", seconds_) : "";
    progress_.show(
        now,
        fmt::format("{:>4.0f}{} s  [{}/{}] {:<24} {:>12} runs  {:>9}/s  {} signatures", now, of,
                    index_ + 1, targets_.size(), name_of(targets_[index_]),
                    reports::grouped(result.tally.runs),
                    reports::grouped(static_cast<std::uint64_t>(rate)), result.findings.size()));
  }

  void print_json() { fmt::print("{}\n", reports::to_json(gathered_.findings())); }

  void print_report() {
    const Terminal terminal = Terminal::of(1);
    const reports::Findings& findings = gathered_.findings();
    if (options_.full || targets_.size() == 1)
      fmt::print("{}\n{}{}\n", reports::matrix(findings, terminal),
                 reports::cross_tables(findings, terminal), reports::windows(findings, terminal));
    if (const Told* told = gathered_.told())
      fmt::print("{}\n", story_of(runner_, told->finding, terminal));
    print_end(findings, terminal);
  }

  /// Prints which results were expected and which were not, where the findings are, and what to
  /// type next.
  void print_end(const reports::Findings& findings, const Terminal& terminal) {
    if (findings.stopped)
      fmt::print("stopped; {} of {} variants were searched\n", findings.variants.size(),
                 targets_.size());
    for (const std::string& signature : gathered_.nondeterministic())
      fmt::print("replay differs, which is a bug of the harness: {}\n", signature);
    fmt::print("{}", reports::summary(findings, terminal));
    const Told* told = gathered_.told();
    if (told != nullptr && !told->file.empty())
      fmt::print("This story: {} replay {}\n", program_name(), told->file);
    fmt::print("Next: {0} run -- COMMAND checks your own program{1}\n", program_name(),
               options_.full || targets_.size() == 1 ? "" : "; --full prints all tables");
  }

  const FuzzOptions& options_;
  std::vector<Target> targets_;
  OutputFolder folder_;
  double seconds_;
  SearchOptions search_;
  Runner runner_;
  Gathered gathered_{options_.window};
  Clock clock_;
  reports::Progress progress_{kStderr, Terminal::of(kStderr)};
  std::size_t index_ = 0;
  bool complained_ = false;
};

}  // namespace

CLI::App* add_fuzz(CLI::App& app, FuzzOptions& options) {
  CLI::App* command =
      app.add_subcommand("fuzz", "Search for faults, and compare each claim with the result");
  command->add_option("target", options.target, "PATH or PATH/VARIANT (default: everything)")
      ->type_name("PATH[/VARIANT]");
  command
      ->add_option("--seconds", options.seconds,
                   "Total time, divided among the variants (60 unless --runs)")
      ->check(number(0.01, 1e7))
      ->type_name("N");
  command->add_option("--runs", options.runs, "Number of runs of each variant")
      ->check(whole_number(1, ~std::uint64_t{0}))
      ->type_name("N");
  add_seed(*command, options.seed, "Seed of the search (1)");
  command
      ->add_option("--strategy", options.strategy,
                   "Strategy that makes the choices (random_walk); see `afterlife list`")
      ->type_name("STRATEGY");
  command->add_option("--device", options.device, "Device that executes CUDA calls (sim)")
      ->type_name("DEVICE");
  command
      ->add_option("--config", options.config,
                   "Configuration: \"axis=value ...\", with every axis (default: all in turn)")
      ->type_name("TEXT");
  command
      ->add_option("--window", options.window, "Report faults and judge claims in this window only")
      ->type_name("NAME");
  command->add_option("--out", options.out, "Folder for reproducers (results/found)")
      ->type_name("DIR");
  command->add_flag("--first", options.first,
                    "Stop a variant at its first fault, and do not minimize it");
  command->add_flag("--no-failures", options.no_failures, "Inject no errors into CUDA calls");
  command->add_flag("--full", options.full,
                    "Print the tables of all variants and windows, as for a single variant");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/schema.json)");
  command->footer(
      claim_footer("  afterlife fuzz --seconds 10\n"
                   "  afterlife fuzz argpack/borrow --runs 100000 --seed 7 --json"));
  return command;
}

int fuzz(const FuzzOptions& options) { return Fuzzing(options).run(); }

}  // namespace harness::entries
