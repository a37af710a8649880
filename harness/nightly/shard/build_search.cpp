// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/shard/build_search.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/base/files/read.h"
#include "harness/base/files/whole_file.h"
#include "harness/nightly/cause.h"

namespace harness::nightly {
namespace {

namespace fs = std::filesystem;

void add(CellRecord& record, FindingRecord finding, const fs::path& folder) {
  finding.cause = cause_of(record.cell, {finding.kind, finding.hazard, finding.signature});
  finding.reproducer = read_whole_file((folder / finding.file).string());
  finding.file = (folder.filename() / finding.file).string();
  record.findings.push_back(std::move(finding));
}

}  // namespace

CellRecord record_of(const Cell& cell, const BuildSearch& search, const std::string& folder) {
  CellRecord record;
  record.cell = cell;
  record.why_not = search.why_not;
  record.runs = search.runs;
  record.seconds = search.seconds;
  record.inputs = search.inputs;
  for (const FindingRecord& finding : search.findings) add(record, finding, folder);
  return record;
}

void add_bad_end(CellRecord& record, const BuildSearch& search, const std::string& folder) {
  if (search.ended_as.empty()) return;
  FindingRecord finding;
  finding.kind = kBadEnd;
  finding.hazard = "process";
  finding.signature = fmt::format("{}: {}", record.cell.build, search.ended_as);
  finding.file =
      fmt::format("{}-{}-{}.txt", record.cell.path, record.cell.variant, record.cell.build);
  finding.other_runs = 1;
  write_whole_file((fs::path(folder) / finding.file).string(),
                   fmt::format("# {}\n{}\n", finding.signature, search.command));
  add(record, finding, folder);
}

}  // namespace harness::nightly
