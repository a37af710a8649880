// What a block may hold: the reference model of what each node leaves in its target.
#include <algorithm>
#include <bit>

#include "targets/graph_argument/ghost.h"

namespace targets::graph_argument {

using harness::Label;

namespace {

/// The block that the node writes `out` of.
Thing* target_of(const GhostNode& node) {
  switch (node.work) {
    case Work::add_one:
    case Work::captured:
    case Work::scratch:
    case Work::copy:
    case Work::set:
      return node.things[0];
    case Work::saxpy:
    case Work::block_sum:
    case Work::consume:
    case Work::chase:
      return node.things[1];
    default:
      return nullptr;
  }
}

bool writes(const GhostNode& node, const Thing& thing) {
  return !node.idle && target_of(node) == &thing;
}

std::int32_t saxpy(std::int32_t x, std::int32_t y) {
  const float product = kSaxpyFactor * static_cast<float>(x);
  return std::bit_cast<std::int32_t>(product + static_cast<float>(y));
}

/// The reference model: what `node` leaves in element i of its target.
std::int32_t result_of(const GhostNode& node, std::int32_t i) {
  const std::int32_t x = node.things[0]->value;
  const std::int32_t y = node.things[1] != nullptr ? node.things[1]->value : 0;
  switch (node.work) {
    case Work::add_one:
    case Work::captured:
      return x + i + 1;
    case Work::saxpy:
      return saxpy(x + i, y + i);
    case Work::block_sum: {
      constexpr auto kThreads = static_cast<std::int32_t>(kBlockThreads);
      const std::int32_t first = x + i / kThreads * kThreads;
      return kThreads * first + kThreads * (kThreads - 1) / 2;
    }
    case Work::consume:
      return 2 * (x + i) + y + i;
    case Work::copy:
      return y + i;
    case Work::chase:
      return x + i;
    case Work::scratch:
      return 3 * (x + i);
    default:
      return node.value;
  }
}

/// The list may have been changed before the kernel ran or after it: any of its blocks will do. The
/// address of one that is gone may be the target's own by now, which the kernel may read.
bool is_in_list(const Thing& thing, const Thing& target, std::int32_t i, std::int32_t observed,
                std::uint32_t steps) {
  if (observed == thing.value + i || (thing.lost() && observed == target.value + i)) return true;
  const auto leads = [&](const Thing* to) {
    return is_in_list(*to, target, i, observed, steps - 1);
  };
  const auto any_of = [&](const auto& next) {
    return std::any_of(next.begin(), next.end(), leads);
  };
  return steps > 0 && (any_of(thing.next) || (thing.lost() && any_of(target.next)));
}

/// `consume` without `produce` before it adds what is in a new block. Only those that were added
/// together are in order for certain: a node that is destroyed or changed leaves others unordered.
bool may_lack_produce(const GhostNode& node, const std::pmr::vector<GhostNode>& nodes) {
  if (node.work != Work::consume) return false;
  const bool is_first = &node == nodes.data();
  const GhostNode* before = is_first ? nullptr : &node - 1;
  return before == nullptr || before->work != Work::produce || before->things[0] != node.things[0];
}

}  // namespace

bool Ghost::written(const Thing& thing) const {
  return std::any_of(launches_.begin(), launches_.end(), [&](const GhostLaunch& launch) {
    return std::any_of(launch.nodes.begin(), launch.nodes.end(),
                       [&](const GhostNode& node) { return writes(node, thing); });
  });
}

// Launches on other streams may be anywhere: their results, too, are as good as what was there. So
// is what was there before a loop: two executables of one definition share its value, and one may
// end the other's.
bool Ghost::explains(const Thing& thing, std::uint32_t waits, std::uint32_t index,
                     std::int32_t observed, std::int32_t& expected, Label& what) const {
  bool settled = false;
  for (const GhostLaunch& launch : launches_) {
    for (const GhostNode& node : launch.nodes) {
      if (!writes(node, thing)) continue;
      const auto i = static_cast<std::int32_t>(index);
      expected = result_of(node, i);
      what = to_label(node.work);
      if (observed == expected) return true;
      if (node.work == Work::chase && is_in_list(*node.things[0], thing, i, observed, kChaseSteps))
        return true;
      if (may_lack_produce(node, launch.nodes) && observed == node.things[1]->value + i)
        return true;
      settled = settled || (launch.finished && launch.finished_in <= waits && !node.looped);
    }
  }
  return !settled && observed == 0;
}

}  // namespace targets::graph_argument
