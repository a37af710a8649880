// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/expect.h"

#include <algorithm>
#include <bit>

namespace scenarios::graph_argument {

namespace {

/// Returns the block whose `out` the node writes, or null.
Thing* target_of(const Node& node) {
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

bool writes(const Node& node, const Thing& thing) {
  return !node.idle && target_of(node) == &thing;
}

/// Returns whether the node writes the block's `mid`.
bool produces(const Node& node, const Thing& thing) {
  return !node.idle && node.work == Work::produce && node.things[0] == &thing;
}

std::int32_t saxpy(std::int32_t x, std::int32_t y) {
  const float product = 1.5f * static_cast<float>(x);
  return std::bit_cast<std::int32_t>(product + static_cast<float>(y));
}

/// The reference model: calls `use` with the function from i to the node's result in element i of
/// its target, so that a loop over elements evaluates the node only once.
template <class Use>
auto with_result(const Node& node, Use use) {
  const std::int32_t x = node.things[0]->value;
  const std::int32_t y = node.things[1] != nullptr ? node.things[1]->value : 0;
  switch (node.work) {
    case Work::add_one:
    case Work::captured:
      return use([=](std::int32_t i) { return x + i + 1; });
    case Work::saxpy:
      return use([=](std::int32_t i) { return saxpy(x + i, y + i); });
    case Work::block_sum:
      return use([=](std::int32_t i) {
        constexpr std::int32_t kThreads = 32;  // Threads per block.
        const std::int32_t first = x + i / kThreads * kThreads;
        return kThreads * first + kThreads * (kThreads - 1) / 2;
      });
    case Work::consume:
      return use([=](std::int32_t i) { return 2 * (x + i) + y + i; });
    case Work::copy:
      return use([=](std::int32_t i) { return y + i; });
    case Work::chase:
      return use([=](std::int32_t i) { return x + i; });
    case Work::scratch:
      return use([=](std::int32_t i) { return 3 * (x + i); });
    default:
      return use([value = node.value](std::int32_t) { return value; });
  }
}

std::int32_t result_of(const Node& node, std::int32_t i) {
  return with_result(node, [i](auto result) { return result(i); });
}

/// Maximum number of links that `chase` follows.
constexpr std::uint32_t kChaseSteps = 4;

/// The list may have been changed before or after the kernel ran: any of its blocks is possible. If
/// a block is gone, its address may now be the target's own, which the kernel may read.
bool is_in_list(const harness::Ledger& ledger, const Thing& thing, const Thing& target,
                std::int32_t i, std::int32_t observed, std::uint32_t steps) {
  const bool lost = !ledger.alive(thing.life);
  if (observed == thing.value + i || (lost && observed == target.value + i)) return true;
  const auto leads = [&](const Thing* to) {
    return is_in_list(ledger, *to, target, i, observed, steps - 1);
  };
  return steps > 0 && (std::ranges::any_of(thing.next, leads) ||
                       (lost && std::ranges::any_of(target.next, leads)));
}

/// Returns whether the node writes `out` by the bare address of a block that is gone, at which
/// `thing` is now. The kernel's list may have that address, too, so it is unknown which was meant.
bool writes_for_another(const harness::Ledger& ledger, const Node& node, const Thing& thing) {
  if (node.work != Work::chase || node.idle || node.things[1] == &thing) return false;
  const harness::BirthId meant = node.things[1]->life;
  return !ledger.alive(meant) && ledger.life(meant).address == ledger.life(thing.life).address;
}

/// Returns whether `consume` may run before its `produce` and add a new block's content. Only nodes
/// added together are certainly ordered: destroying or changing one leaves others unordered.
bool may_lack_produce(const Node& node, const NodeList& nodes) {
  if (node.work != Work::consume) return false;
  const bool is_first = &node == nodes.data();
  const Node* before = is_first ? nullptr : &node - 1;
  return before == nullptr || before->work != Work::produce || before->things[0] != node.things[0];
}

}  // namespace

/// Returns whether `test` holds for a node that was launched.
template <class Test>
static bool any_launched(const Model& model, Test test) {
  return std::ranges::any_of(model.records.launched(), [&](const Launch& launch) {
    return std::ranges::any_of(launch.nodes, test);
  });
}

bool is_written(const Model& model, const Thing& buffer) {
  return any_launched(
      model, [&](const Node& node) { return writes(node, buffer) || produces(node, buffer); });
}

bool is_produced(const Model& model, const Thing& buffer) {
  return any_launched(model, [&](const Node& node) { return produces(node, buffer); });
}

std::uint32_t first_other(const Node& writer, std::span<const std::int32_t> elements,
                          std::uint32_t begin) {
  return with_result(writer, [=](auto result) {
    std::uint32_t i = begin;
    while (i < elements.size() && elements[i] == result(static_cast<std::int32_t>(i))) ++i;
    return i;
  });
}

/// Returns whether the node has certainly run after this many waits.
static bool has_run(const Launch& launch, const Node& node, std::uint32_t waits) {
  return launch.finished && launch.finished_in <= waits && !node.looped;
}

// Launches on other streams may be in any order, so their results, and the former content, are
// possible. The same holds for loops: two executables of one definition share its condition, and
// one may end the other's loop.
bool explains(const Model& model, const Thing& buffer, std::uint32_t waits, std::uint32_t index,
              std::int32_t observed, Explained& explained) {
  const harness::Ledger& ledger = model.scene.world().ledger;
  const auto i = static_cast<std::int32_t>(index);
  const auto in_list = [&](const Node& node) {
    return is_in_list(ledger, *node.things[0], buffer, i, observed, kChaseSteps);
  };
  explained.writer = nullptr;
  bool settled = false;
  for (const Launch& launch : model.records.launched()) {
    for (const Node& node : launch.nodes) {
      if (writes_for_another(ledger, node, buffer) && in_list(node)) return true;
      if (!writes(node, buffer)) continue;
      explained.expected = result_of(node, i);
      explained.what = to_label(node.work);
      if (observed == explained.expected) return explained.writer = &node, true;
      if (node.work == Work::chase && in_list(node)) return true;
      if (may_lack_produce(node, launch.nodes) && observed == node.things[1]->value + i)
        return true;
      settled = settled || has_run(launch, node, waits);
    }
  }
  return !settled && observed == 0;
}

bool explains_mid(const Model& model, const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                  std::int32_t observed) {
  const std::int32_t produced = 2 * (buffer.value + static_cast<std::int32_t>(index));
  bool asked = false;
  bool settled = false;
  for (const Launch& launch : model.records.launched())
    for (const Node& node : launch.nodes) {
      if (!produces(node, buffer)) continue;
      asked = true;
      settled = settled || has_run(launch, node, waits);
    }
  return (asked && observed == produced) || (!settled && observed == 0);
}

// A link that is being written, or failed, leaves the former value.
bool explains_next(const Model& model, const Thing& buffer, std::uint64_t observed) {
  const harness::Ledger& ledger = model.scene.world().ledger;
  return observed == 0 || std::ranges::any_of(buffer.next, [&](const Thing* to) {
           return ledger.life(to->life).address == observed;
         });
}

}  // namespace scenarios::graph_argument
