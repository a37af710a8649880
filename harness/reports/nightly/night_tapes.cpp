#include "harness/reports/nightly/night_tapes.h"

#include <fmt/format.h>

#include "harness/printable.h"
#include "harness/reports/html.h"
#include "harness/reports/nightly/night_sections.h"
#include "harness/reports/nightly/night_words.h"

namespace harness::reports {

using nightly::Night;
using nightly::NightCell;
using nightly::NightTapes;

NightTapes all_tapes(const Night& night) {
  NightTapes all;
  for (const NightCell& cell : night.cells) {
    all.given += cell.tapes.given;
    all.replayed += cell.tapes.replayed;
    all.survived += cell.tapes.survived;
    all.runs += cell.tapes.runs;
  }
  return all;
}

std::string survival_of(const NightTapes& tapes) {
  if (tapes.given == 0) return {};
  std::string text = fmt::format("{} of {} tapes of earlier nights get to what they got to",
                                 grouped(tapes.survived), grouped(tapes.replayed));
  if (tapes.replayed < tapes.given)
    text += fmt::format(", {} were not replayed", grouped(tapes.given - tapes.replayed));
  return text;
}

std::string tapes_section(const Night& night) {
  const NightTapes all = all_tapes(night);
  if (all.given == 0) return {};
  std::string rows;
  for (const NightCell& cell : night.cells)
    if (cell.tapes.survived < cell.tapes.given)
      rows += fmt::format(
          "<tr><td><code>{}</code></td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
          "class=\"number{}\">{}</td></tr>\n",
          shown_name(name_of(cell)), grouped(cell.tapes.given), grouped(cell.tapes.replayed),
          cell.tapes.survived < cell.tapes.replayed ? " late" : "", grouped(cell.tapes.survived));
  if (rows.empty())
    rows = "<tr><td>all variants</td><td class=\"number\">" + grouped(all.given) +
           "</td><td class=\"number\">" + grouped(all.replayed) + "</td><td class=\"number\">" +
           grouped(all.survived) + "</td></tr>\n";
  return section("Tapes",
                 shown_text(survival_of(all)) + fmt::format("; {} runs.", grouped(all.runs)),
                 "<table class=\"wrap\">\n<tr><th>variant</th><th class=\"number\">given</th><th "
                 "class=\"number\">replayed</th><th class=\"number\">survive</th></tr>\n" +
                     rows + "</table>");
}

}  // namespace harness::reports
