// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/bounds.h"

#include "harness/core/fault/kinds.h"

#include <fmt/format.h>

#include <algorithm>

namespace scenarios::managed_dict {

using harness::BirthId;
using harness::Label;

namespace {

struct Kind {
  Label kind;
  std::uint32_t Bounds::* most;
};
constexpr std::array<Kind, 6> kCounted{{
    {"instance", &Bounds::instances},
    {"values", &Bounds::values},
    {"dict", &Bounds::dicts},
    {"table", &Bounds::tables},
    {"int", &Bounds::numbers},
    {"noise", &Bounds::noise},
}};

}  // namespace

// Examines each new object once, and again as long as it is alive.
void Census::look() {
  const harness::Ledger& ledger = scene_.world().ledger;
  const auto& lives = ledger.lives();
  for (; seen_ < lives.size(); ++seen_) {
    if (!lives[seen_].alive) continue;
    const auto kind = std::find_if(kCounted.begin(), kCounted.end(),
                                   [&](const Kind& one) { return one.kind == lives[seen_].kind; });
    if (kind == kCounted.begin()) instance_bytes_ = std::max(instance_bytes_, lives[seen_].bytes);
    if (kind != kCounted.end())
      alive_[static_cast<std::size_t>(kind - kCounted.begin())].push_back(
          static_cast<BirthId>(seen_));
  }
  for (auto& lives_of_kind : alive_)
    std::erase_if(lives_of_kind, [&](BirthId id) { return !ledger.alive(id); });
}

void Census::judge(const Bounds& bounds) {
  if (reported_) return;
  look();
  for (std::size_t i = 0; i < kCounted.size(); ++i) {
    const std::uint32_t most = bounds.*kCounted[i].most;
    if (alive_[i].size() <= most) continue;
    reported_ = true;
    harness::Fault fault =
        scene_.world().ledger.describe(harness::FaultKind::retention, alive_[i].back());
    fault.use_site = "bound";
    fault.detail =
        fmt::format("{} are alive, and the program can reach {} at most", alive_[i].size(), most);
    scene_.world().history.add(std::move(fault));
    return;
  }
}

}  // namespace scenarios::managed_dict
