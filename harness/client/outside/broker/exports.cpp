// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/broker/exports.h"

#include <algorithm>

namespace harness::client {

using nlohmann::json;

void SharedClock::join(const json& points) {
  for (const json& point : points) {
    std::uint32_t& tick = ticks_[{point.at(0), point.at(1)}];
    tick = std::max(tick, point.at(2).get<std::uint32_t>());
  }
}

json SharedClock::told() const {
  json points = json::array();
  for (const auto& [line, tick] : ticks_) points.push_back({line.first, line.second, tick});
  return points;
}

void Exports::clear() {
  all_.clear();
  known_.clear();
  use_count_ = 0;
}

void Exports::offer(ExportKey key, json told) { all_[key].told = std::move(told); }

Exported* Exports::find(ExportKey key) {
  const auto found = all_.find(key);
  return found != all_.end() ? &found->second : nullptr;
}

void Exports::note(std::uint32_t process, const json& uses, const json& known) {
  for (const json& use : uses) {
    Exported* exported = find({use.at("of").at(0), use.at("of").at(1)});
    if (exported == nullptr) continue;
    if (exported->uses.size() == Exported::kUseLimit) exported->uses.pop_front();
    exported->uses.push_back({++use_count_, process, use});
  }
  known_.join(known);
}

json Exports::news_for(std::uint32_t process) {
  json uses = json::array();
  json ended = json::array();
  for (auto& [key, exported] : all_) {
    if (key.first != process && !exported.open.contains(process)) continue;
    std::uint64_t& heard = exported.heard[process];
    for (const Exported::Use& use : exported.uses)
      if (use.number > heard && use.by != process) uses.push_back(use.told);
    if (!exported.uses.empty()) heard = exported.uses.back().number;
    if (!exported.end.is_null() && key.first != process &&
        exported.knows_end.insert(process).second)
      ended.push_back({{"of", {key.first, key.second}}, {"end", exported.end}});
  }
  return {{"uses", std::move(uses)}, {"ended", std::move(ended)}, {"known", known_.told()}};
}

bool Exports::has_outliving(std::uint32_t process) const {
  return std::ranges::any_of(all_, [process](const auto& each) {
    return each.first.first == process && each.second.outlives();
  });
}

void Exports::process_ended(std::uint32_t process, const json& by, bool is_lost) {
  for (auto& [key, exported] : all_) {
    exported.open.erase(process);
    for (const Exported::Use& use : exported.uses)
      if (use.by == process) known_.join(json::array({use.told.at("at")}));
    if (exported.record_by == process) exported.is_record_done = true;
    if (key.first == process && exported.end.is_null() && !exported.outlives())
      exported.end = {{"by", by}, {"lost", is_lost}};
  }
}

}  // namespace harness::client
