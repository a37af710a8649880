// SPDX-License-Identifier: Apache-2.0
// triage: groups reproducers by root cause, with the sites involved, and lists unexplained ones.
#include "harness/cli/triage.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/printable.h"
#include "harness/cli/good_program/asked.h"
#include "harness/cli/good_program/good_program.h"
#include "harness/cli/good_program/path_places.h"
#include "harness/cli/replay_many.h"
#include "harness/client/command/run_client.h"
#include "harness/client/command/triage_findings.h"
#include "harness/command/arguments.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/command/streams.h"
#include "harness/report/json_text.h"
#include "harness/report/table.h"
#include "harness/search/triage/triage.h"

namespace harness::entries {
namespace {

using Json = nlohmann::ordered_json;
using reports::Align;
using reports::Terminal;

/// Enough for most cases that a search has found but not minimized.
constexpr std::uint64_t kRuns = 240;
constexpr std::uint64_t kMinimizeRuns = 300;

/// The reproducers that could be read, and the reasons why others could not.
struct Files {
  std::vector<std::string> names;
  std::vector<Suspect> suspects;
  std::vector<std::string> errors;
};

Files read_files(const std::vector<std::string>& names) {
  Files files;
  for (const std::string& name : names) {
    try {
      const Reproducer reproducer = read_reproducer(name);
      files.suspects.push_back({reproducer.the_case, reproducer.faults.empty()
                                                         ? std::string()
                                                         : reproducer.faults.front()});
      files.names.push_back(name);
    } catch (const std::runtime_error& error) {
      files.errors.emplace_back(error.what());
    }
  }
  return files;
}

/// Returns the site that a repair names, or the sites for which it is open.
std::string words_of(Label named, const std::vector<Label>& sites) {
  if (!named.empty()) return std::string(named.view());
  std::string text;
  for (const Label site : sites)
    text += fmt::format("{}{}", text.empty() ? "any: " : ", ", site.view());
  return text;
}

/// Returns the object of a repair. For an action that is reverted, adds what it changed.
std::string words_of_object(const Repair& repair) {
  const std::string_view object = repair.object.empty() ? "any" : repair.object.view();
  if (repair.kind != RepairKind::revert || repair.got.empty()) return std::string(object);
  return fmt::format("{}, {}", object, repair.got.view());
}

std::string words_of_birth(const Cause& cause) {
  return cause.repair.kind == RepairKind::revert ? "" : words_of(cause.repair.got, cause.got);
}

class Triaged {
 public:
  Triaged(const Triage& triage, const Files& files) : triage_(triage), files_(files) {}

  int code() const {
    if (!triage_.unexplained.empty()) return kNotAsClaimed;
    if (triage_.stopped) return kStopped;
    return files_.errors.empty() ? kAsClaimed : kWorld;
  }

  void print() const {
    for (const std::string& error : files_.errors) say_error(error);
    const Terminal terminal = Terminal::of(1);
    const reports::Table table = this->table();
    if (!table.empty())
      fmt::print("{}\n", table.width() <= terminal.width ? table.to_string(terminal)
                                                         : blocks(terminal.width));
    fmt::print("{}\n", summary());
  }

  Json to_json() const {
    Json causes = Json::array();
    for (const Cause& cause : triage_.causes) causes.push_back(to_json(cause));
    return {{"schema", 1},
            {"causes", causes},
            {"unexplained", unexplained()},
            {"alike", alike()},
            {"faultless", names_of(triage_.faultless)},
            {"unreadable", files_.errors},
            {"runs", triage_.run_count},
            {"stopped", triage_.stopped}};
  }

 private:
  reports::Table table() const {
    reports::Table table({{"path"},
                          {"repair"},
                          {"of"},
                          {"got"},
                          {"let go", Align::left, true},
                          {"used"},
                          {"files", Align::right},
                          {"smallest", Align::left, true}});
    for (const Cause& cause : triage_.causes) {
      const Repair& repair = cause.repair;
      table.add({std::string(cause.scenario->name.view()), word_of(repair.kind),
                 words_of_object(repair), words_of_birth(cause),
                 words_of(repair.let_go, cause.let_go), words_of(repair.used, cause.used),
                 reports::grouped(cause.members.size()), printable(smallest(cause.members))});
    }
    const std::string nowhere;
    for (const Unexplained& one : triage_.unexplained)
      table.add({std::string(one.scenario->name.view()), std::string("none"), one.what, nowhere,
                 nowhere, nowhere, reports::grouped(one.members.size()),
                 printable(smallest(one.members))});
    return table;
  }

  /// Formats a cause that does not fit in a row of the table: one line for each cell.
  static std::string block(const std::string& heading, std::size_t count, std::size_t width,
                           const std::vector<std::pair<const char*, std::string>>& lines) {
    constexpr std::size_t kLabelWidth = 12;
    std::string text =
        reports::wrapped(fmt::format("{}, {}", heading, reports::counted(count, "file")), width, 2);
    for (const auto& [label, words] : lines) {
      if (words.empty()) continue;
      std::string told = reports::wrapped(words, width - kLabelWidth, 0);
      for (std::size_t at = 0; (at = told.find('\n', at)) != told.npos; ++at)
        told.insert(at + 1, kLabelWidth, ' ');
      text += fmt::format("\n  {:<{}}{}", label, kLabelWidth - 2, told);
    }
    return text + "\n\n";
  }

  std::string blocks(std::size_t width) const {
    std::string text;
    for (const Cause& cause : triage_.causes) {
      const Repair& repair = cause.repair;
      text += block(fmt::format("{}: {} {}", cause.scenario->name.view(), word_of(repair.kind),
                                words_of_object(repair)),
                    cause.members.size(), width,
                    {{"got", words_of_birth(cause)},
                     {"let go", words_of(repair.let_go, cause.let_go)},
                     {"used", words_of(repair.used, cause.used)},
                     {"smallest", printable(smallest(cause.members))}});
    }
    for (const Unexplained& one : triage_.unexplained)
      text += block(fmt::format("{}: none {}", one.scenario->name.view(), one.what),
                    one.members.size(), width, {{"smallest", printable(smallest(one.members))}});
    return text.substr(0, text.size() - 1);
  }

  std::string summary() const {
    std::size_t explained = 0;
    for (const Cause& cause : triage_.causes) explained += cause.members.size();
    std::size_t unexplained = 0;
    for (const Unexplained& one : triage_.unexplained) unexplained += one.members.size();
    std::string text =
        fmt::format("{} of {}; {} unexplained", reports::counted(triage_.causes.size(), "cause"),
                    reports::counted(explained, "file"), unexplained);
    if (!triage_.faultless.empty())
      text += fmt::format(", {} without a fault", triage_.faultless.size());
    if (!files_.errors.empty()) text += fmt::format(", {} could not be read", files_.errors.size());
    return text + fmt::format("; {} runs{}", triage_.run_count, triage_.stopped ? ", stopped" : "");
  }

  static std::string word_of(RepairKind kind) {
    if (kind == RepairKind::order) return "order";
    if (kind == RepairKind::spare) return "spare";
    if (kind == RepairKind::revert) return "revert";
    return kind == RepairKind::hold ? "hold" : "release";
  }

  const std::string& smallest(const std::vector<std::size_t>& members) const {
    const auto measure = [&](std::size_t index) {
      return files_.suspects[index].the_case.tape.size();
    };
    return files_
        .names[*std::min_element(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
          return measure(a) < measure(b);
        })];
  }

  Json names_of(const std::vector<std::size_t>& indices) const {
    Json names = Json::array();
    for (const std::size_t index : indices) names.push_back(files_.names[index]);
    return names;
  }

  Json unexplained() const {
    Json all = Json::array();
    for (const Unexplained& one : triage_.unexplained)
      for (const std::size_t index : one.members) all.push_back(files_.names[index]);
    return all;
  }

  Json alike() const {
    Json all = Json::array();
    for (const Unexplained& one : triage_.unexplained)
      all.push_back({{"path", one.scenario->name.view()},
                     {"first", one.what},
                     {"smallest", smallest(one.members)},
                     {"files", names_of(one.members)}});
    return all;
  }

  static Json sites(const std::vector<Label>& labels) {
    Json names = Json::array();
    for (const Label label : labels) names.push_back(label.view());
    return names;
  }

  /// Returns the parts for which the repair names a site.
  static Json named(const Repair& repair) {
    Json names = Json::array();
    const bool has_birth = repair.kind != RepairKind::revert;
    if (has_birth && !repair.got.empty()) names.push_back("got");
    if (!repair.let_go.empty()) names.push_back("let_go");
    if (!repair.used.empty()) names.push_back("used");
    return names;
  }

  Json to_json(const Cause& cause) const {
    const Repair& repair = cause.repair;
    const bool undoes = repair.kind == RepairKind::revert;
    return {{"path", cause.scenario->name.view()},
            {"repair", word_of(repair.kind)},
            {"of", repair.object.view()},
            {"how", undoes ? repair.got.view() : ""},
            {"named", named(repair)},
            {"got", undoes ? Json::array() : sites(cause.got)},
            {"let_go", sites(cause.let_go)},
            {"used", sites(cause.used)},
            {"words", in_words(repair)},
            {"smallest", smallest(cause.members)},
            {"files", names_of(cause.members)}};
  }

  const Triage& triage_;
  const Files& files_;
};

}  // namespace

static int triage_reproducers(const TriageCommandOptions& options,
                              const std::vector<std::string>& names) {
  TriageOptions terms;
  terms.search_runs = options.runs.value_or(kRuns);
  terms.minimize_runs = kMinimizeRuns;
  terms.stop = &take_interrupts();
  const GoodProgram good(options.good_program, *terms.stop);
  if (!options.good_program.empty())
    terms.good = [&](std::size_t, const Case& the_case, std::optional<std::size_t> step) {
      return good.follow(the_case, step);
    };
  terms.places = path_places;
  const Files files = read_files(names);
  Runner runner;
  Triage found;
  try {
    found = harness::triage(runner, files.suspects, terms);
  } catch (const AskingStopped&) {
    found.stopped = true;
  }
  const Triaged triaged(found, files);
  if (options.json)
    fmt::print("{}\n", reports::to_text(triaged.to_json()));
  else
    triaged.print();
  return triaged.code();
}

static constexpr const char* kTriageExitCodes =
    "Exit: 0 every fault has a cause, 1 one is unexplained, 2 a file cannot be read, 3 usage, 4 "
    "stopped.";

CLI::App* add_triage(CLI::App& app, TriageCommandOptions& options) {
  CLI::App* command = app.add_subcommand(
      "triage", "Sort reproducers by root cause: the smallest repair that removes the fault");
  command->add_option("files", options.files, "Reproducers, findings, and folders of both")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--runs", options.runs,
                   "Number of other schedules on which a repair must work (240)")
      ->check(whole_number(0, 1'000'000'000))
      ->type_name("N");
  command
      ->add_option("--good-program", options.good_program,
                   "An afterlife without the faults; a cause is then the first step that differs")
      ->type_name("FILE");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(
      help_footer("  afterlife triage results/found\n"
                  "  afterlife triage corpus/argpack/repros --json | python3 -m json.tool",
                  kTriageExitCodes));
  return command;
}

int triage(const TriageCommandOptions& options) {
  std::vector<std::string> names, of_run;
  for (std::string& name : reproducer_files(options.files))
    (is_finding_file(name) ? of_run : names).push_back(std::move(name));
  if (of_run.empty()) return triage_reproducers(options, names);
  if (options.runs || !options.good_program.empty())
    throw UsageError(
        "findings of `run` are sorted by their records, without runs: leave out --runs and "
        "--good-program");
  if (names.empty()) return triage_findings(of_run, options.json);
  if (options.json)
    throw UsageError("--json takes files of one kind: reproducers, or findings of `run`");
  const int code = triage_findings(of_run, false);
  fmt::print("\n");
  return std::max(code, triage_reproducers(options, names));
}

}  // namespace harness::entries
