// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/values.h"

#include <algorithm>
#include <bit>

namespace scenarios::graph_argument {

using harness::Label;

namespace {

/// Returns the block whose `out` the node writes, or null.
Thing* target_of(const ModelNode& node) {
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

bool writes(const ModelNode& node, const Thing& thing) {
  return !node.idle && target_of(node) == &thing;
}

/// Returns whether the node writes the block's `mid`.
bool produces(const ModelNode& node, const Thing& thing) {
  return !node.idle && node.work == Work::produce && node.things[0] == &thing;
}

std::int32_t saxpy(std::int32_t x, std::int32_t y) {
  const float product = 1.5f * static_cast<float>(x);
  return std::bit_cast<std::int32_t>(product + static_cast<float>(y));
}

/// The reference model: calls `use` with the function from i to the node's result in element i of
/// its target, so that a loop over elements evaluates the node only once.
template <class Use>
auto with_result(const ModelNode& node, Use use) {
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

std::int32_t result_of(const ModelNode& node, std::int32_t i) {
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
  const auto any_of = [&](const auto& next) {
    return std::any_of(next.begin(), next.end(), leads);
  };
  return steps > 0 && (any_of(thing.next) || (lost && any_of(target.next)));
}

/// Returns whether the node writes `out` by the bare address of a block that is gone, at which
/// `thing` is now. The kernel's list may have that address, too, so it is unknown which was meant.
bool writes_for_another(const harness::Ledger& ledger, const ModelNode& node, const Thing& thing) {
  if (node.work != Work::chase || node.idle || node.things[1] == &thing) return false;
  const harness::BirthId meant = node.things[1]->life;
  return !ledger.alive(meant) && ledger.life(meant).address == ledger.life(thing.life).address;
}

/// Returns whether `consume` may run before its `produce` and add a new block's content. Only nodes
/// added together are certainly ordered: destroying or changing one leaves others unordered.
bool may_lack_produce(const ModelNode& node, const ModelNodes& nodes) {
  if (node.work != Work::consume) return false;
  const bool is_first = &node == nodes.data();
  const ModelNode* before = is_first ? nullptr : &node - 1;
  return before == nullptr || before->work != Work::produce || before->things[0] != node.things[0];
}

}  // namespace

bool ModelValues::written(const Thing& buffer) const {
  return std::any_of(
      runs_.launches().begin(), runs_.launches().end(), [&](const ModelLaunch& launch) {
        return std::any_of(launch.nodes.begin(), launch.nodes.end(), [&](const ModelNode& node) {
          return writes(node, buffer) || produces(node, buffer);
        });
      });
}

std::uint32_t ModelValues::first_other(const ModelNode& writer,
                                       std::span<const std::int32_t> elements,
                                       std::uint32_t begin) {
  return with_result(writer, [=](auto result) {
    std::uint32_t i = begin;
    while (i < elements.size() && elements[i] == result(static_cast<std::int32_t>(i))) ++i;
    return i;
  });
}

bool ModelValues::produced(const Thing& buffer) const {
  return std::any_of(
      runs_.launches().begin(), runs_.launches().end(), [&](const ModelLaunch& launch) {
        return std::any_of(launch.nodes.begin(), launch.nodes.end(),
                           [&](const ModelNode& node) { return produces(node, buffer); });
      });
}

// Launches on other streams may be in any order, so their results, and the former content, are
// possible. The same holds for loops: two executables of one definition share its condition, and
// one may end the other's loop.
bool ModelValues::explains(const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                           std::int32_t observed, std::int32_t& expected, Label& what,
                           const ModelNode*& writer) const {
  writer = nullptr;
  bool settled = false;
  for (const ModelLaunch& launch : runs_.launches()) {
    for (const ModelNode& node : launch.nodes) {
      const auto i = static_cast<std::int32_t>(index);
      if (writes_for_another(ledger_, node, buffer) &&
          is_in_list(ledger_, *node.things[0], buffer, i, observed, kChaseSteps))
        return true;
      if (!writes(node, buffer)) continue;
      expected = result_of(node, i);
      what = to_label(node.work);
      if (observed == expected) return writer = &node, true;
      if (node.work == Work::chase &&
          is_in_list(ledger_, *node.things[0], buffer, i, observed, kChaseSteps))
        return true;
      if (may_lack_produce(node, launch.nodes) && observed == node.things[1]->value + i)
        return true;
      settled = settled || (launch.finished && launch.finished_in <= waits && !node.looped);
    }
  }
  return !settled && observed == 0;
}

bool ModelValues::explains_mid(const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                               std::int32_t observed) const {
  const std::int32_t produced = 2 * (buffer.value + static_cast<std::int32_t>(index));
  bool asked = false;
  bool settled = false;
  for (const ModelLaunch& launch : runs_.launches())
    for (const ModelNode& node : launch.nodes) {
      if (!produces(node, buffer)) continue;
      asked = true;
      settled = settled || (launch.finished && launch.finished_in <= waits && !node.looped);
    }
  return (asked && observed == produced) || (!settled && observed == 0);
}

// A link that is being written, or failed, leaves the former value.
bool ModelValues::explains_next(const Thing& buffer, std::uint64_t observed) const {
  return observed == 0 || std::any_of(buffer.next.begin(), buffer.next.end(), [&](const Thing* to) {
           return ledger_.life(to->life).address == observed;
         });
}

}  // namespace scenarios::graph_argument
