// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/base/printable.h"
#include "harness/nightly/views/night_sentence.h"
#include "harness/nightly/views/night_views.h"
#include "harness/nightly/views/night_words.h"
#include "harness/report/markdown.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightFinding;

/// Limits of a comment on a pull request, which must be short to be read.
constexpr std::size_t kMostRows = 25;
constexpr std::size_t kShownBytes = 160;

std::string news_of(const Night& night, const NightFiles& files) {
  std::string rows;
  std::size_t count = 0;
  for (const NightFinding* finding : reported_findings(night)) {
    if (++count > kMostRows) continue;
    rows += fmt::format("| {} | {} | {} | {} |\n", to_text(finding->state),
                        markdown_cell(finding->path + "/" + finding->variant),
                        markdown_cell(shown(finding->signature, kShownBytes)),
                        markdown_cell(files.folder + "/" + finding->file));
  }
  if (rows.empty()) return {};
  return "\n| state | variant | signature | reproducer |\n|---|---|---|---|\n" + rows +
         (count > kMostRows ? fmt::format("\nand {} more\n", count - kMostRows) : "");
}

}  // namespace

std::string night_markdown(const Night& night, const NightFiles& files) {
  std::string text =
      fmt::format("**{}**: {}\n\n{}\n", verdict_of(night), markdown_cell(sentence_of(night)),
                  markdown_cell(circumstances_of(night)));
  text += news_of(night, files);
  const auto missed = night.missed_canaries();
  if (!missed.empty()) text += "\n| missed canary | runs |\n|---|--:|\n";
  for (const nightly::NightCell* cell : missed)
    text += fmt::format("| {} | {} |\n", markdown_cell(name_of(*cell)), grouped(cell->runs));
  return text;
}

}  // namespace harness::reports
