// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/tapes/tapes_json.h"

#include "harness/base/files/plain_name.h"

namespace harness::nightly {

using Json = nlohmann::json;

Json to_json(std::span<const KeptTape> tapes) {
  Json all = Json::array();
  for (const KeptTape& one : tapes)
    all.push_back({{"config", one.config}, {"tape", one.tape}, {"features", one.features}});
  return all;
}

std::vector<KeptTape> tapes_in(const Json& json) {
  std::vector<KeptTape> tapes;
  for (const Json& one : json)
    tapes.push_back({one.at("config"), hexadecimal_digits(one.at("tape"), "a tape"),
                     one.at("features").get<std::vector<std::string>>()});
  return tapes;
}

}  // namespace harness::nightly
