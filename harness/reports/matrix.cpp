#include "harness/reports/matrix.h"

#include <fmt/format.h>

#include "harness/reports/table.h"

namespace harness::reports {
namespace {

Colour colour_of(const VariantRow& row) {
  return as_claimed(row.claim, row.verdict) ? Colour::green : Colour::red;
}

std::string rate(const VariantRow& row) {
  return row.seconds > 0 ? grouped(static_cast<std::uint64_t>(static_cast<double>(row.runs) / row.seconds))
                         : "";
}

}  // namespace

std::string matrix(const Findings& findings, const Terminal& terminal) {
  Table table({{"path"},
               {"variant"},
               {"claim"},
               {"verdict"},
               {"as claimed"},
               {"runs", Align::right},
               {"to first fault", Align::right},
               {"runs/s", Align::right},
               {"signatures", Align::right}});
  for (const VariantRow& row : findings.variants) {
    const bool came_out = as_claimed(row.claim, row.verdict);
    table.add({{row.path},
               {row.variant, Colour::bold},
               {std::string(to_label(row.claim.kind).view())},
               {std::string(to_label(row.verdict).view()), colour_of(row)},
               {came_out ? "yes" : "NO", colour_of(row)},
               {grouped(row.runs)},
               {row.runs_to_first_fault > 0 ? grouped(row.runs_to_first_fault) : "-"},
               {rate(row)},
               {row.signatures.empty() ? "-" : grouped(row.signatures.size())}});
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
    const Colour colour = row.caught > 0        ? Colour::red
                          : row.is_protected() ? Colour::green
                                               : Colour::none;
    table.add({{row.path},
               {row.window, colour},
               {grouped(row.reached)},
               {grouped(row.caught)},
               {row.is_protected() ? "yes" : ""},
               {row.summary, Colour::dim}});
  }
  return table.to_string(terminal);
}

std::string summary(const Findings& findings, const Terminal& terminal) {
  std::size_t came_out = 0;
  std::string wrong;
  for (const VariantRow& row : findings.variants) {
    if (as_claimed(row.claim, row.verdict)) {
      ++came_out;
      continue;
    }
    wrong += fmt::format("\n  {}/{} claims {}: {}", row.path, row.variant,
                         to_label(row.claim.kind).view(), to_label(row.verdict).view());
  }
  const std::string text =
      fmt::format("{} of {} claims came out{}", came_out, findings.variants.size(), wrong);
  return terminal.paint(wrong.empty() ? Colour::green : Colour::red, text) + "\n";
}

}  // namespace harness::reports
