// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "harness/client/views/client_views.h"
#include "harness/client/views/finding_views.h"
#include "harness/client/views/finding_words.h"
#include "harness/client/views/kernel_names.h"
#include "harness/report/markdown.h"

namespace harness::reports {
namespace {

/// Returns a fence that is longer than any in the text, so that the text cannot end it.
std::string fence_for(const std::string& text) {
  std::size_t longest = 0, length = 0;
  for (const char c : text) {
    length = c == '`' ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  return std::string(std::max<std::size_t>(3, longest + 1), '`');
}

std::string row_of(const client::Finding& finding, const std::string& file) {
  const client::ToldFault& fault = finding.fault;
  const auto place = [](const client::Party& party) {
    const std::vector<const client::Frame*> frames = users_frames(party.place);
    return markdown_cell(frames.empty() ? "" : where(*frames.front()));
  };
  return fmt::format("| {} | {} | {} | {} | {} |\n", markdown_cell(title_of(finding)),
                     place(fault.use), place(fault.death),
                     markdown_cell(with_plain_names(finding.fix)), markdown_cell(file));
}

std::string story_of(const client::Finding& finding, const std::string& file) {
  const std::string text = finding_text(finding, file, Terminal{.cuts = false});
  const std::string fence = fence_for(text);
  return fmt::format("\n{}text\n{}{}\n", fence, text, fence);
}

}  // namespace

std::string findings_markdown(const FindingsReport& report) {
  std::string text = fmt::format("**afterlife run**: {}\n", markdown_cell(report.counts));
  if (!report.unjudged.empty()) text += fmt::format("\n{}\n", markdown_cell(report.unjudged));
  if (report.findings.empty()) return text;
  text += "\n| finding | used | died | fix | file |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < report.findings.size(); ++i)
    text += row_of(report.findings[i], report.files.at(i));
  for (std::size_t i = 0; i < report.findings.size(); ++i)
    text += story_of(report.findings[i], report.files.at(i));
  return text;
}

}  // namespace harness::reports
