// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/good_program/steps.h"

#include <nlohmann/json.hpp>

#include "harness/base/files/fail.h"
#include "harness/cli/good_program/path_places.h"
#include "harness/report/json_text.h"

namespace harness::entries {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Trail::Step& step) {
  Json values = Json::array();
  for (const Trail::Value& one : step.values) values.push_back({one.argument, one.value});
  return {raw(step.kind),   raw(step.event), step.what.view(),
          step.site.view(), step.activation, values};
}

Trail::Step to_step(const Json& json) {
  Trail::Step step{.kind = static_cast<Trail::Kind>(json.at(0).get<std::uint8_t>()),
                   .event = static_cast<EventKind>(json.at(1).get<std::uint8_t>()),
                   .what = lasting_label(json.at(2).get<std::string>()),
                   .site = lasting_label(json.at(3).get<std::string>()),
                   .activation = json.at(4).get<Name>()};
  for (const Json& one : json.at(5))
    step.values.push_back({one.at(0).get<std::uint8_t>(), one.at(1).get<std::uint64_t>()});
  return step;
}

}  // namespace

std::string steps_text(const Followed& followed) {
  Json steps = Json::array();
  for (const Trail::Step& step : followed.trail.steps()) steps.push_back(to_json(step));
  std::vector<std::uintptr_t> code;
  for (const Trail::Code& one : followed.trail.code()) code.push_back(one.call);
  const std::vector<std::string> texts = path_places(code);
  Json places = Json::array();
  for (std::size_t i = 0; i < texts.size(); ++i)
    places.push_back({texts[i], followed.trail.code()[i].step_count});
  return reports::to_text(
      Json{{"schema", 1}, {"steps", std::move(steps)}, {"places", std::move(places)}});
}

Followed parse_steps(const std::string& text, const std::string& file) {
  Followed followed;
  try {
    const Json json = Json::parse(text);
    for (const Json& one : json.at("steps")) followed.trail.add(to_step(one));
    for (const Json& one : json.at("places"))
      followed.places.push_back({one.at(0).get<std::string>(), one.at(1).get<std::size_t>()});
  } catch (const Json::exception&) {
    fail(file, "does not contain the steps of a run");
  }
  return followed;
}

}  // namespace harness::entries
