// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/effectiveness_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/base/files/fail.h"
#include "harness/base/files/json_words.h"
#include "harness/base/files/read.h"

namespace harness::gate {
namespace {

using Json = nlohmann::ordered_json;

constexpr FileKind kKind{"sample of searches", std::size_t{1} << 28};

Json to_json(const FirstFault& first) {
  Json json{{"run", first.run > 0 ? Json(first.run) : Json()}};
  if (first.minimized) {
    json["minimizer_runs"] = first.minimized->runs;
    json["size"] = first.minimized->size;
  }
  return json;
}

FirstFault first_of(const Json& json, std::uint64_t limit) {
  FirstFault first;
  if (!json.at("run").is_null()) first.run = json.at("run");
  if (first.run > limit) throw std::runtime_error("found something after its limit");
  if (json.contains("size")) first.minimized = {json.at("minimizer_runs"), json.at("size")};
  return first;
}

SearchSample search_of(const Json& json, std::uint64_t limit) {
  SearchSample search{json.at("seed"), {}};
  for (const auto& [window, first] : json.at("windows").items())
    search.windows[window] = first_of(first, limit);
  return search;
}

bool same_windows(const SearchSample& a, const SearchSample& b) {
  return std::ranges::equal(
      a.windows, b.windows, {}, [](const auto& one) { return one.first; },
      [](const auto& one) { return one.first; });
}

SideSample side_of(const Json& json) {
  if (json.at("schema") != 1) throw std::runtime_error("is of another version");
  SideSample side{json.at("strategy"), json.at("first"), json.at("limit"), {}};
  for (const auto& [variant, searches] : json.at("variants").items()) {
    std::vector<SearchSample>& all = side.variants[variant];
    for (const Json& search : searches) all.push_back(search_of(search, side.limit));
    for (const SearchSample& search : all)
      if (!same_windows(search, all.front()))
        throw std::runtime_error("has searches of one variant with different windows");
  }
  return side;
}

}  // namespace

std::string to_json(const SideSample& side) {
  Json variants = Json::object();
  for (const auto& [variant, searches] : side.variants)
    for (const SearchSample& search : searches) {
      Json windows = Json::object();
      for (const auto& [window, first] : search.windows) windows[window] = to_json(first);
      variants[variant].push_back({{"seed", search.seed}, {"windows", windows}});
    }
  const Json json{{"schema", 1},
                  {"strategy", side.strategy},
                  {"first", side.first},
                  {"limit", side.limit},
                  {"variants", variants}};
  return json.dump(1, ' ', true, Json::error_handler_t::replace);
}

SideSample read_side(const std::string& file) {
  const std::string text = read_whole_file(file, kKind);
  try {
    return side_of(Json::parse(text));
  } catch (const std::exception& error) {
    fail(file, fmt::format("is not a sample of searches: {}", json_words(error.what())));
  }
}

}  // namespace harness::gate
