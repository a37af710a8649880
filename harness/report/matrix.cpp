// SPDX-License-Identifier: Apache-2.0
#include "harness/report/matrix.h"

#include <fmt/format.h>

#include <map>

#include "harness/report/table.h"

namespace harness::reports {
namespace {

Colour colour_of(const VariantRow& row) { return row.came_out() ? Colour::green : Colour::red; }

/// Returns "4 096+" if there were more than the limit.
std::string signature_count(const VariantRow& row) {
  if (row.findings.empty()) return "-";
  return grouped(row.signatures().size()) + (row.further_signatures > 0 ? "+" : "");
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Returns the verdict of a claim that does not hold, in words.
std::string complaint(const VariantRow& row) {
  std::string text = fmt::format("\n  {}/{} claims {}: {}", row.path, row.variant,
                                 to_label(row.claim.kind).view(), to_label(row.verdict).view());
  if (row.verdict == Verdict::too_few_runs)
    text += fmt::format(", {} more in the configuration with the fewest ({} of {})",
                        row.runs_needed(), row.least_runs, kEnoughRuns);
  const bool unsound = row.claim.kind == ClaimKind::unsound;
  if (!row.unclaimed.empty())
    text += fmt::format(", {} {}", unsound ? "also" : "by", join(row.unclaimed));
  else if (!unsound && !row.unexplained_kinds.empty())
    text += fmt::format(", by {}, which no window explains", join(row.unexplained_kinds));
  if (!row.missed.empty()) text += fmt::format(", never by {}", join(row.missed));
  return text;
}

/// Returns the signature of the first finding of this kind, which has no window.
std::string signature_of(const VariantRow& row, const std::string& kind) {
  for (const FindingRow& finding : row.findings)
    if (finding.hazard == kind) return finding.signature;
  return {};
}

/// Returns, for each path, the kinds of faults without a window, once for all its claims.
std::string unexplained(const Findings& findings) {
  struct Unexplained {
    std::vector<std::string> variants;
    std::string signature;
  };
  std::map<std::pair<std::string, std::string>, Unexplained> kinds;
  for (const VariantRow& row : findings.variants)
    for (const std::string& kind : row.unexplained_kinds) {
      Unexplained& one = kinds[{row.path, kind}];
      if (one.signature.empty()) one.signature = signature_of(row, kind);
      one.variants.push_back(row.variant);
    }
  std::string text;
  for (const auto& [key, one] : kinds)
    text += fmt::format(
        "{}: faults of kind {} that no window explains, in {}{}{}; assign them to a window in "
        "scenarios/{}/windows.cpp\n",
        key.first, key.second, join(one.variants), one.signature.empty() ? "" : ": ", one.signature,
        key.first);
  return text;
}

std::string rate(const VariantRow& row) {
  return row.seconds > 0
             ? grouped(static_cast<std::uint64_t>(static_cast<double>(row.runs) / row.seconds))
             : "";
}

/// Returns how many claims of this kind hold: "58 of 58".
std::string came_out(const Findings& findings, ClaimKind kind) {
  std::size_t all = 0, right = 0;
  for (const VariantRow& row : findings.variants) {
    if (row.claim.kind != kind) continue;
    ++all;
    right += row.came_out();
  }
  return all > 0 ? fmt::format("{} of {}", right, all) : "";
}

/// Returns the number of results as claimed, by the kind of the claim.
std::string as_expected(const Findings& findings) {
  std::uint64_t sound_runs = 0;
  for (const VariantRow& row : findings.variants)
    if (row.claim.kind == ClaimKind::sound) sound_runs += row.runs;
  std::vector<std::string> parts;
  if (const std::string count = came_out(findings, ClaimKind::unsound); !count.empty())
    parts.push_back(count + " deliberately broken variants failed as claimed");
  if (const std::string count = came_out(findings, ClaimKind::sound); !count.empty())
    parts.push_back(fmt::format("{} sound variants held in {} runs", count, grouped(sound_runs)));
  if (const std::string count = came_out(findings, ClaimKind::vacuous); !count.empty())
    parts.push_back(count + " variants never ran the path, as claimed");
  return "As expected: " + join(parts);
}

/// Returns the number of findings that were kept, and how many of them are minimized.
std::string kept(const Findings& findings) {
  std::size_t count = 0, minimized = 0;
  std::uint64_t further = 0;
  bool cut_short = false;
  for (const VariantRow& row : findings.variants) {
    cut_short |= row.cut_short;
    count += row.findings.size();
    further += row.further_signatures;
    for (const FindingRow& finding : row.findings) minimized += finding.minimized;
  }
  if (count == 0) return {};
  std::string text = fmt::format("Files: {} findings, one per signature and window; {} minimized",
                                 grouped(count), grouped(minimized));
  if (cut_short) text += "; the time ended before all were";
  if (further > 0) text += fmt::format("; {} runs with further findings", grouped(further));
  return text + "\n";
}

}  // namespace

std::string matrix(const Findings& findings, const Terminal& terminal) {
  Table table({{"path"},
               {"variant"},
               {"claim"},
               {"verdict"},
               {"as claimed"},
               {"runs", Align::right},
               {"least", Align::right},
               {"first fault", Align::right},
               {"runs/s", Align::right},
               {"signatures", Align::right}});
  for (const VariantRow& row : findings.variants) {
    table.add({{row.path},
               {row.variant, Colour::bold},
               {std::string(to_label(row.claim.kind).view())},
               {std::string(to_label(row.verdict).view()), colour_of(row)},
               {row.came_out() ? "yes" : "NO", colour_of(row)},
               {grouped(row.runs)},
               {grouped(row.least_runs)},
               {row.runs_to_first_fault > 0 ? grouped(row.runs_to_first_fault) : "-"},
               {rate(row)},
               {signature_count(row)}});
  }
  return table.to_string(terminal);
}

std::string windows(const Findings& findings, const Terminal& terminal) {
  Table table({{"path"},
               {"window"},
               {"reached", Align::right},
               {"caught", Align::right},
               {"protected"},
               {"where the race can happen", Align::left, true}});
  for (const WindowRow& row : findings.windows) {
    const Colour colour = row.caught > 0       ? Colour::red
                          : row.is_protected() ? Colour::green
                                               : Colour::none;
    table.add({{row.path},
               {row.window, colour},
               {grouped(row.reached)},
               {grouped(row.caught)},
               {row.is_protected() ? "yes"
                : row.is_callers   ? "contract"
                                   : ""},
               {row.summary, Colour::dim}});
  }
  return table.to_string(terminal);
}

std::string summary(const Findings& findings, const Terminal& terminal) {
  std::size_t count = 0;
  std::string wrong;
  for (const VariantRow& row : findings.variants) {
    if (row.came_out()) continue;
    ++count;
    wrong += complaint(row);
  }
  const std::string text = count == 0 ? "Not as expected: none"
                                      : fmt::format("Not as expected: {} of {}{}", count,
                                                    findings.variants.size(), wrong);
  const std::string paths = unexplained(findings);
  return terminal.paint(Colour::green, as_expected(findings)) + "\n" +
         terminal.paint(count == 0 ? Colour::green : Colour::red, text) + "\n" +
         (paths.empty() ? "" : terminal.paint(Colour::red, paths)) + kept(findings);
}

}  // namespace harness::reports
