// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/views/night_tapes.h"

#include <fmt/format.h>

#include "harness/base/printable.h"
#include "harness/nightly/views/night_sections.h"
#include "harness/nightly/views/night_words.h"
#include "harness/report/html.h"

namespace harness::reports {

using nightly::Night;
using nightly::NightCell;
using nightly::NightTapes;

std::string survival_of(const NightTapes& tapes) {
  if (tapes.given == 0) return {};
  std::string text = fmt::format("{} of {} tapes of earlier nights still reach what they reached",
                                 grouped(tapes.survived), grouped(tapes.replayed));
  if (tapes.replayed < tapes.given)
    text += fmt::format(", {} were not replayed", grouped(tapes.given - tapes.replayed));
  return text;
}

Markup tapes_section(const Night& night) {
  const NightTapes all = night.tapes();
  if (all.given == 0) return {};
  Markup rows;
  for (const NightCell& cell : night.cells)
    if (cell.tapes.survived < cell.tapes.given)
      rows += Markup::of(
          "<tr><td><code>{}</code></td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
          "class=\"number{}\">{}</td></tr>\n",
          shown_name(name_of(cell)), grouped(cell.tapes.given), grouped(cell.tapes.replayed),
          cell.tapes.survived < cell.tapes.replayed ? " open" : "", grouped(cell.tapes.survived));
  const Markup table =
      rows.empty()
          ? Markup()
          : "<table class=\"wrap\">\n<tr><th>variant</th><th class=\"number\">given</th><th "
            "class=\"number\">replayed</th><th class=\"number\">survive</th></tr>\n" +
                rows + "</table>";
  return Markup::of("<section>\n<h2>Tapes</h2>\n<p class=\"dim\">{}; {} runs.</p>\n{}</section>\n",
                    survival_of(all), grouped(all.runs), table);
}

}  // namespace harness::reports
