// SPDX-License-Identifier: Apache-2.0
#include "harness/client/command/run_reports.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>

#include "harness/base/files/make_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/printable.h"
#include "harness/client/command/view_place.h"
#include "harness/client/outside/finding_file.h"
#include "harness/client/views/finding_views.h"
#include "harness/command/exit_code.h"
#include "harness/command/output_folder.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using reports::FindingsReport;

constexpr std::string_view kAdvice = "choose another folder with --html";

struct ReportInfo {
  const char* option;
  const char* what;
  std::string RunOptions::* file;
  std::string (*text)(const FindingsReport& report);
};
constexpr std::array<ReportInfo, 3> kReports{{
    {"--sarif", "log", &RunOptions::sarif, reports::findings_sarif},
    {"--junit", "report", &RunOptions::junit, reports::findings_junit},
    {"--markdown", "report", &RunOptions::markdown, reports::findings_markdown},
}};

std::string in_folder(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

/// Returns the name of a finding's page: its file name with another ending.
std::string page_name(const std::string& file) {
  constexpr std::string_view kEnding = ".run.json";
  const std::string name = fs::path(file).filename().string();
  return name.substr(0, name.size() - kEnding.size()) + ".html";
}

void write_pages(const std::string& folder, const FindingsReport& report) {
  make_folder(folder, kAdvice);
  std::vector<std::string> pages;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const client::Finding& finding = report.findings[i];
    pages.push_back(page_name(report.files.at(i)));
    const std::string file = in_folder(folder, pages.back());
    require_view_place(file, "page");
    write_whole_file(file, reports::finding_page(finding, report.command, report.files.at(i),
                                                 {.differs = "", .is_replayed = false}));
  }
  write_whole_file(in_folder(folder, "index.html"), reports::findings_index(report, pages));
}

}  // namespace

void require_report_places(const RunOptions& options) {
  std::map<std::string, const char*> places;
  for (const ReportInfo& info : kReports) {
    const std::string& file = options.*info.file;
    if (file.empty()) continue;
    const auto [known, is_new] =
        places.try_emplace(fs::absolute(file).lexically_normal().string(), info.option);
    if (!is_new)
      throw UsageError(fmt::format("{} and {} name the same file", known->second, info.option));
    require_view_place(file, info.what);
  }
  if (options.html.empty()) return;
  require_writable_folder(options.html, kAdvice);
  if (fs::is_directory(options.html))
    require_view_place(in_folder(options.html, "index.html"), "page");
}

void write_reports(const RunOptions& options, const client::SearchResult& result,
                   const std::vector<std::string>& files, const std::string& unjudged) {
  const FindingsReport report = reports::report_of(result, files, unjudged);
  for (const ReportInfo& info : kReports) {
    const std::string& file = options.*info.file;
    if (file.empty()) continue;
    write_whole_file(file, info.text(report));
    if (!options.json) fmt::print("{} written to {}\n", info.what, printable(file));
  }
  if (options.html.empty()) return;
  write_pages(options.html, report);
  if (!options.json)
    fmt::print("pages written to {}\n", printable(in_folder(options.html, "index.html")));
}

}  // namespace harness::entries
