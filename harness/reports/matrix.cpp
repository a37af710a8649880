#include "harness/reports/matrix.h"

#include <fmt/format.h>

#include "harness/reports/table.h"

namespace harness::reports {
namespace {

Colour colour_of(const VariantRow& row) { return row.came_out() ? Colour::green : Colour::red; }

/// "4 096+" where there were more than could be kept.
std::string signature_count(const VariantRow& row) {
  if (row.findings.empty()) return "-";
  return grouped(row.signatures().size()) + (row.further_signatures > 0 ? "+" : "");
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Tells one who expected otherwise how a claim came out.
std::string complaint(const VariantRow& row) {
  std::string text = fmt::format("\n  {}/{} claims {}: {}", row.path, row.variant,
                                 to_label(row.claim.kind).view(), to_label(row.verdict).view());
  if (row.verdict == Verdict::too_few_runs)
    text += fmt::format(", {} more in the config that had fewest ({} of {})", row.runs_needed(),
                        row.least_runs, kEnoughRuns);
  const bool unsound = row.claim.kind == ClaimKind::unsound;
  if (!row.unclaimed.empty())
    text += fmt::format(", {} {}", unsound ? "also" : "by", join(row.unclaimed));
  if (!row.missed.empty()) text += fmt::format(", never by {}", join(row.missed));
  return text;
}

std::string rate(const VariantRow& row) {
  return row.seconds > 0
             ? grouped(static_cast<std::uint64_t>(static_cast<double>(row.runs) / row.seconds))
             : "";
}

/// Tells how much was kept of all that was found.
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
  std::string text = fmt::format("{} findings, one per signature and window: {} minimized",
                                 grouped(count), grouped(minimized));
  if (minimized < count)
    text += fmt::format(", {} not, which their files say", grouped(count - minimized));
  if (cut_short) text += "; the time ended before all were";
  if (further > 0) text += fmt::format("; {} runs with further ones", grouped(further));
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
  std::size_t came_out = 0;
  std::string wrong;
  for (const VariantRow& row : findings.variants)
    row.came_out() ? void(++came_out) : void(wrong += complaint(row));
  const std::string text =
      fmt::format("{} of {} claims came out{}", came_out, findings.variants.size(), wrong);
  return terminal.paint(wrong.empty() ? Colour::green : Colour::red, text) + "\n" + kept(findings);
}

}  // namespace harness::reports
