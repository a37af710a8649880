// SPDX-License-Identifier: Apache-2.0
// How it works. The page of each finding is written by a separate process, which replays it. If
// that process crashes or exceeds its time limit, there is no page, and the night's page has no
// link to it.
#include "harness/nightly/command/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/base/files/drafts.h"
#include "harness/base/files/foreign_file.h"
#include "harness/base/files/make_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/printable.h"
#include "harness/base/process/process.h"
#include "harness/client/command/trust.h"
#include "harness/client/views/finding_views.h"
#include "harness/command/interrupt.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/command/programs/program_finding.h"
#include "harness/nightly/views/night_views.h"
#include "harness/nightly/views/night_words.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using nightly::Night;
using nightly::NightFinding;

/// Limit of pages with stories, because more cannot be read in a morning. The other findings have
/// the command for a replay.
constexpr std::size_t kMostPages = 100;
constexpr double kPageSeconds = 20;

std::string findings_folder(const std::string& history) {
  return (fs::path(history) / "findings").string();
}

/// Returns the file of the night's page: the requested one, or one in the history's folder.
std::string page_file(const NightlyOptions& options) {
  return options.html.empty() ? (fs::path(options.history) / "page.html").string() : options.html;
}

/// Returns whether the file exists and has this text.
bool holds(const std::string& folder, const std::string& name, const std::string& text) {
  std::error_code none;
  return fs::exists(fs::symlink_status(fs::path(folder) / name, none)) &&
         ForeignFile::in_folder(folder, name, "reproducer").begin(text.size() + 1) == text;
}

/// Returns the codeFlows of a log with one result; "" if there are none, or no log.
std::string code_flows_of(const std::string& folder, const std::string& log) {
  std::error_code none;
  if (!fs::exists(fs::path(folder) / log, none)) return {};
  const auto parsed = nlohmann::ordered_json::parse(
      ForeignFile::in_folder(folder, log, "log").text(), nullptr, false);
  const nlohmann::ordered_json::json_pointer place("/runs/0/results/0/codeFlows");
  return parsed.contains(place) ? parsed.at(place).dump() : "";
}

/// Replays the reproducer in a process that writes its page and, with `--sarif`, its code flow.
/// Requires the file name of a reproducer of a path, whose replay starts no command.
void add_story(const NightlyOptions& options, const std::string& name, reports::NightFiles& files,
               const nightly::Deadline& deadline, const std::atomic<bool>& stop) {
  if (!name.ends_with(kReproducerEnding)) return;
  const std::string reproducer = (fs::path(files.folder) / name).string();
  const std::string page = reproducer + ".html", log = reproducer + ".sarif";
  std::error_code none;
  fs::remove(page, none);
  fs::remove(log, none);
  Command command{"/proc/self/exe", "replay", "--html", page, reproducer};
  if (!options.sarif.empty()) command.insert(command.end(), {"--sarif", log});
  run_process(command, {std::min(kPageSeconds, deadline.seconds_left()), {}}, stop);
  if (fs::exists(page, none)) files.pages.insert(name);
  if (const std::string flows = code_flows_of(files.folder, name + ".sarif"); !flows.empty())
    files.code_flows[name] = flows;
  fs::remove(log, none);
}

/// Writes the finding of a program without running the program: if the list has its command, the
/// file for `afterlife replay` and the page.
void add_program_finding(const NightlyOptions& options, const NightFinding& finding,
                         const std::string& reproducer, std::span<const NightProgram> programs,
                         reports::NightFiles& files) {
  const std::string name = program_of_reproducer(reproducer);
  const auto known = std::ranges::find(programs, name, &NightProgram::name);
  const bool has_command = known != programs.end();
  const client::FindingFile file =
      parse_program_reproducer(reproducer, has_command ? known->command : Command{name});
  const std::string place = fs::absolute(fs::path(files.folder) / finding.file).string();
  if (has_command) {
    const InFolder there(known->folder);  // Relative file names refer to this folder.
    write_whole_file(place, sealed_finding(client::to_text(file.finding, file.command)),
                     OnDisk::later);
    write_whole_file(place + ".html",
                     reports::finding_page(file.finding, file.command, finding.file,
                                           {.differs = "", .is_replayed = false}),
                     OnDisk::later);
  }
  std::error_code none;
  if (fs::exists(place + ".html", none)) files.pages.insert(finding.file);
  if (options.sarif.empty()) return;
  reports::FindingsReport report;
  report.command = file.command;
  report.findings = {file.finding};
  report.files = {finding.file};
  const auto log = nlohmann::ordered_json::parse(reports::findings_sarif(report));
  const nlohmann::ordered_json::json_pointer flows("/runs/0/results/0/codeFlows");
  if (log.contains(flows)) files.code_flows[finding.file] = log.at(flows).dump();
}

/// Writes the reproducers of new findings, and their pages.
reports::NightFiles write_news(const NightlyOptions& options, const Night& night,
                               nightly::History& history, const nightly::Deadline& deadline,
                               const std::atomic<bool>& stop) {
  reports::NightFiles files{findings_folder(options.history), {}, {}, {}};
  files.from_page =
      fs::proximate(files.folder, fs::absolute(page_file(options)).parent_path()).string();
  std::size_t page_count = 0;
  const std::vector<NightProgram> programs = read_programs(options.programs);
  for (const NightFinding* one : reports::reported_findings(night)) {
    const NightFinding& finding = *one;
    if (!finding.is_news()) continue;
    const std::string reproducer = history.reproducer(finding.symptoms.front().cause).value();
    if (reproducer.empty()) continue;  // Dropped after a user closed the finding.
    make_folder(files.folder);
    if (!program_of_reproducer(reproducer).empty()) {
      add_program_finding(options, finding, reproducer, programs, files);
      continue;
    }
    const std::string file = (fs::path(files.folder) / finding.file).string();
    if (!holds(files.folder, finding.file, reproducer))
      write_whole_file(file, reproducer, OnDisk::later);
    const bool has_page = finding.kind == nightly::kFault && ++page_count <= kMostPages && !stop &&
                          !deadline.has_passed();
    if (has_page) add_story(options, finding.file, files, deadline, stop);
  }
  return files;
}

/// Returns the commit that the night before searched, if it is a different one.
std::string commit_before(nightly::History& history, const Night& night) {
  const std::string before = history.night_before(night.terms.number);
  if (before.empty()) return {};
  const std::string revision = history.outline(before).terms.revision;
  return revision == night.terms.revision || revision.ends_with("-dirty") ? "" : revision;
}

}  // namespace

Night night_of(nightly::History& history, const std::string& id, const NightlyOptions& options) {
  Night night = history.night(id);
  night.nights_missing = nightly::missing_nights(night.past, options.every_hours * 3600);
  night.trends = nightly::trends_of(history.database(), id, night.terms);
  night.commit_before = commit_before(history, night);
  return night;
}

void require_places_for_reports(const NightlyOptions& options) {
  for (const std::string* file :
       {&options.html, &options.junit, &options.sarif, &options.markdown, &options.metrics})
    if (!file->empty()) require_replaceable(*file);
}

void remove_old_drafts(const std::string& history) {
  remove_drafts(history);
  remove_drafts(findings_folder(history));
}

int report_night(const NightlyOptions& options, nightly::History& history, const Night& night,
                 const nightly::Deadline& deadline, const std::atomic<bool>& stop) {
  const reports::NightFiles files = write_news(options, night, history, deadline, stop);
  write_whole_file(page_file(options), reports::night_page(night, files));
  if (!options.junit.empty()) write_whole_file(options.junit, reports::night_junit(night));
  if (!options.sarif.empty()) write_whole_file(options.sarif, reports::night_sarif(night, files));
  if (!options.markdown.empty())
    write_whole_file(options.markdown, reports::night_markdown(night, files));
  if (!options.metrics.empty()) write_whole_file(options.metrics, reports::night_metrics(night));
  if (options.json)
    fmt::print("{}\n", reports::night_json(night));
  else
    fmt::print("{}page: {}\n", reports::night_table(night, files.folder, reports::Terminal::of(1)),
               printable(page_file(options)));
  return night.is_red() ? kNotAsClaimed : kAsClaimed;
}

int nightly_report(const NightlyOptions& options) {
  end_on_interrupts();
  require_history(options.history);
  require_places_for_reports(options);
  nightly::History history(options.history);
  const std::string id = history.last_night();
  if (id.empty())
    throw std::runtime_error(fmt::format("{}: contains no night yet", printable(options.history)));
  const std::atomic<bool> goes_on{false};
  return report_night(options, history, night_of(history, id, options), {}, goes_on);
}

}  // namespace harness::entries
