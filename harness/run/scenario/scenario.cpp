// SPDX-License-Identifier: Apache-2.0
#include "harness/run/scenario/scenario.h"

#include <fmt/format.h>

#include "harness/core/fault/kinds.h"
#include "harness/core/intervention/order.h"
#include "harness/driver/device.h"
#include "harness/run/scenario/faults.h"

namespace harness {
namespace {

bool matches(Label wanted, Label found) { return wanted.empty() || wanted == found; }

/// "No op", then the offered ops, each with the value of its name.
class OfferedOps final : public Options {
 public:
  OfferedOps(std::span<const std::uint32_t> values, std::span<const std::uint8_t> offered)
      : values_(values), offered_(offered) {}
  std::uint32_t value(std::uint32_t index) const override {
    return index == 0 ? 0 : values_[offered_[index - 1] + std::size_t{1}];
  }

 private:
  std::span<const std::uint32_t> values_;
  std::span<const std::uint8_t> offered_;
};

}  // namespace

void Scene::begin(const Scenario& scenario, std::size_t variant, const Config& config) {
  if (scenario_ != &scenario) {
    op_values_.assign(1, 0);
    for (const OpInfo& op : scenario.ops) op_values_.push_back(op_value(op.name));
  }
  scenario_ = &scenario;
  variant_ = variant;
  config_ = config;
  observed_ = {};
  state_.reset();
}

Runtime Scene::runtime() {
  const Device* device = world_.device;
  const void* kernels = nullptr;
  if (device != nullptr)
    kernels = device->runs_host_kernels() ? static_cast<const void*>(scenario_->kernels)
                                          : static_cast<const void*>(scenario_->fatbin.data());
  return {world_.scheduler, world_.host, world_.heap, kernels};
}

int Scene::pick_op() {
  return static_cast<int>(world_.picker.pick_value(Site::op, op_values_)) - 1;
}

int Scene::pick_op(std::span<const std::uint8_t> offered) {
  const OfferedOps options(op_values_, offered);
  const auto count = static_cast<std::uint32_t>(offered.size()) + 1;
  const std::uint32_t index = world_.picker.pick(Site::op, count, &options);
  return index == 0 ? -1 : offered[index - 1];
}

void Scene::expect(Label what, std::uint64_t observed, std::uint64_t expected, Name object) {
  if (observed == expected) return;
  Fault fault = fault_here(*this, FaultKind::wrong_value, what,
                           fmt::format("{} instead of {}", observed, expected));
  fault.object = object;
  world_.history.add(std::move(fault));
}

void Scene::refuse(Label what, std::string answer, Name object) {
  Fault fault = fault_here(*this, FaultKind::refusal, what, std::move(answer));
  fault.object = object;
  world_.history.add(std::move(fault));
}

bool holds_tasks_up() { return Order::current() != nullptr; }

bool leaves_out(const Scenario& scenario, Label name) {
  for (const Omission& omission : scenario.without)
    if (omission.oracle == name) return true;
  return false;
}

FaultKinds counted_kinds(const Scenario& scenario) {
  FaultKinds kinds = 0;
  for (const FaultKindInfo& info : kFaultKinds)
    if (!leaves_out(scenario, info.oracle)) kinds |= kind_bit(info.kind);
  return kinds;
}

bool is_caller_error(const Scenario& scenario, const Fault& fault) {
  for (const ContractClause& clause : scenario.contract)
    if (matches(clause.object_kind, fault.object_kind) &&
        matches(clause.death_site, fault.death_site) && matches(clause.use_site, fault.use_site))
      return true;
  return false;
}

}  // namespace harness
