// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/tapes/kept_tapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace harness::nightly {
namespace {

constexpr const char* kOverLimit =
    "DELETE FROM tapes WHERE (path, variant, feature) IN (SELECT path, variant, feature FROM "
    "(SELECT path, variant, feature, row_number() OVER (PARTITION BY path, variant ORDER BY number "
    "DESC, feature) AS place FROM tapes) WHERE place > :limit)";

}  // namespace

void keep_tapes(Database& database, std::uint64_t number, const Cell& cell,
                const std::vector<KeptTape>& tapes) {
  for (const KeptTape& one : tapes)
    for (const std::string& feature : one.features)
      database.insert(
          "tapes",
          {{"path", cell.path},
           {"variant", cell.variant},
           {"feature", feature},
           {"number", whole(number)},
           {"config", one.config},
           {"tape", one.tape}},
          "ON CONFLICT DO UPDATE SET number = excluded.number, config = excluded.config, tape = "
          "excluded.tape WHERE (-number, length(tape), tape, config) > (-excluded.number, "
          "length(excluded.tape), excluded.tape, excluded.config)");
}

void bound_tapes(Database& database) {
  database.query(kOverLimit, {{"limit", whole(kMostFeatures)}});
}

std::vector<VariantTapes> kept_tapes(Database& database) {
  std::vector<VariantTapes> all;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, KeptTape> by_tape;
  for (const Row& row : database.query(
           "SELECT path, variant, config, tape, feature FROM tapes t WHERE number + :nights > "
           "(SELECT "
           "max(number) FROM tapes l WHERE l.path = t.path AND l.variant = t.variant) ORDER BY "
           "path, variant, feature",
           {{"nights", whole(kNightsLooked)}})) {
    KeptTape& tape =
        by_tape[{row.text("path"), row.text("variant"), row.text("config"), row.text("tape")}];
    tape.config = row.text("config");
    tape.tape = row.text("tape");
    tape.features.push_back(row.text("feature"));
  }
  for (auto& [key, tape] : by_tape) {
    const auto& [path, variant, config, text] = key;
    if (all.empty() || all.back().path != path || all.back().variant != variant)
      all.push_back({path, variant, {}});
    all.back().tapes.push_back(std::move(tape));
  }
  for (VariantTapes& one : all)
    std::sort(one.tapes.begin(), one.tapes.end(),
              [](const KeptTape& a, const KeptTape& b) { return a.features < b.features; });
  return all;
}

}  // namespace harness::nightly
