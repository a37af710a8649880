// SPDX-License-Identifier: Apache-2.0
#include "harness/flow/flow.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/files/fail.h"

namespace harness {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;

Json to_json(const CodePlace& place) {
  return {{"function", place.function},
          {"file", place.file},
          {"line", place.line},
          {"down", place.down},
          {"column", place.column}};
}

CodePlace place_of(const Json& json) {
  return {json.at("function"), json.at("file"), json.at("line"), json.at("down"),
          json.at("column")};
}

FlowPoint point_of(const Json& json) {
  FlowPoint point{place_of(json.at("place")), json.contains("caller"), {}};
  if (point.is_entry) point.caller = place_of(json.at("caller"));
  return point;
}

}  // namespace

std::string to_text(const Flow& flow) {
  Json points = Json::array();
  for (const FlowPoint& point : flow.points) {
    points.push_back({{"place", to_json(point.place)}});
    if (point.is_entry) points.back()["caller"] = to_json(point.caller);
  }
  return Json{{"schema", kSchema}, {"points", points}, {"path", flow.path}}.dump(
             -1, ' ', true, Json::error_handler_t::replace) +
         '\n';
}

Flow parse_flow(const std::string& text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  Flow flow;
  try {
    if (json.at("schema") != kSchema) fail(file, "is of another version of afterlife");
    for (const Json& point : json.at("points")) flow.points.push_back(point_of(point));
    flow.path = json.at("path").get<std::vector<std::uint32_t>>();
  } catch (const Json::exception&) {
    fail(file, "is not a flow as written by `afterlife replay --flow`");
  }
  const auto is_unknown = [&](std::uint32_t index) { return index >= flow.points.size(); };
  if (std::any_of(flow.path.begin(), flow.path.end(), is_unknown))
    fail(file, "names a point that it does not contain");
  return flow;
}

}  // namespace harness
