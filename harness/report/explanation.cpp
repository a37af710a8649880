// SPDX-License-Identifier: Apache-2.0
#include "harness/report/explanation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/report/json_text.h"
#include "harness/report/table.h"

namespace harness::reports {

std::string to_text(const Explanation& explanation, const Terminal& terminal) {
  const Diagnosis& diagnosis = explanation.diagnosis;
  const std::string class_text = fmt::format("({})", diagnosis.kind);
  std::string text = fmt::format("{} {}\n", terminal.paint(Colour::bold, class_text),
                                 wrapped(diagnosis.conclusion, kWidth - class_text.size() - 1, 4));
  for (const Label left_out : explanation.without)
    text += fmt::format("  without the {}\n", left_out.view());
  for (const std::string& reason : diagnosis.evidence)
    text += fmt::format("  - {}\n", wrapped(reason, kWidth - 4, 4));
  Table table({{"instrument"}, {"without it"}, {"alone"}, {"would say", Align::left, true}});
  for (const Explanation::Share& share : explanation.shares)
    table.add({std::string(share.instrument.view()), share.lacking.kind, share.alone.kind,
               share.alone.conclusion});
  return text + "\n" + table.to_string(terminal);
}

std::string to_json(const Explanation& explanation) {
  using Json = nlohmann::ordered_json;
  Json without = Json::array();
  for (const Label left_out : explanation.without) without.push_back(left_out.view());
  Json instruments = Json::object();
  for (const Explanation::Share& share : explanation.shares)
    instruments[std::string(share.instrument.view())] = {{"alone", share.alone.kind},
                                                         {"conclusion", share.alone.conclusion},
                                                         {"lacking", share.lacking.kind}};
  const Json all{{"schema", 1},
                 {"path", explanation.path},
                 {"signature", explanation.signature},
                 {"without", without},
                 {"class", explanation.diagnosis.kind},
                 {"conclusion", explanation.diagnosis.conclusion},
                 {"evidence", explanation.diagnosis.evidence},
                 {"instruments", instruments},
                 {"record", explanation.record}};
  return to_text(all);
}

}  // namespace harness::reports
