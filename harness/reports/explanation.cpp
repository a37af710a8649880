#include "harness/reports/explanation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/reports/table.h"

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
  Table table({{"alone"}, {"would say"}, {"because", Align::left, true}});
  for (const Explanation::Alone& alone : explanation.alone)
    table.add(
        {std::string(alone.instrument.view()), alone.diagnosis.kind, alone.diagnosis.conclusion});
  return text + "\n" + table.to_string(terminal);
}

std::string to_json(const Explanation& explanation) {
  using Json = nlohmann::ordered_json;
  Json without = Json::array();
  for (const Label left_out : explanation.without) without.push_back(left_out.view());
  Json alone = Json::object();
  for (const Explanation::Alone& each : explanation.alone)
    alone[std::string(each.instrument.view())] = {{"class", each.diagnosis.kind},
                                                  {"conclusion", each.diagnosis.conclusion}};
  const Json all{{"schema", 1},
                 {"path", explanation.path},
                 {"signature", explanation.signature},
                 {"without", without},
                 {"class", explanation.diagnosis.kind},
                 {"conclusion", explanation.diagnosis.conclusion},
                 {"evidence", explanation.diagnosis.evidence},
                 {"alone", alone},
                 {"record", explanation.record}};
  return all.dump(2);
}

}  // namespace harness::reports
