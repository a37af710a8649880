// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/model/expect.h"

namespace scenarios::argpack {

// ---- values -------------------------------------------------------------------------------------

Expected values_since(const Bound& bound, std::int64_t offset, std::int64_t factor) {
  const auto& values = bound.thing->values;
  Expected expected(values.begin() + bound.first_value, values.end());
  for (std::int64_t& value : expected) value = factor * value + offset;
  return expected;
}

Expected expected_elements(const Thing& array) {
  return {array.values.begin() + array.oldest(), array.values.end()};
}

// A kernel writes twice the value that it reads.
Expected expected_results(const Thing& gradient, bool ran) {
  if (ran) return values_since(gradient.kernels.back(), 0, 2);
  Expected expected{gradient.values.front()};
  for (const Bound& kernel : gradient.kernels) {
    const Expected written = values_since(kernel, 0, 2);
    expected.insert(expected.end(), written.begin(), written.end());
  }
  return expected;
}

// ---- bindings -----------------------------------------------------------------------------------

namespace {

/// Compares what a context binds with the expected binding; an unknown one counts as correct.
class Comparison {
 public:
  explicit Comparison(const Binding& binding) : binding_(binding) {}

  void packs(const Thing* pack) {
    for (std::uint32_t level = 0; level < targets::argpack::kDepthLimit; ++level) {
      expect(binding_.places[level], pack);
      pack = member(pack, 0);
    }
  }
  void array(const Thing* array, bool with_gradient) {
    expect(binding_.at(Place::array), array);
    expect(binding_.gradient(), with_gradient ? member(array, 1) : nullptr);
  }
  void external(const Thing* external) { expect(binding_.external(), external); }
  void one(const Thing& thing, bool with_gradient) {
    if (thing.kind == Kind::pack) packs(&thing);
    if (thing.kind == Kind::ndarray) array(&thing, with_gradient);
    if (thing.kind == Kind::external) external(&thing);
  }
  void all(const Thing* pack, const Thing* array_given, const Thing* external_given) {
    packs(pack);
    array(array_given != nullptr ? array_given : member(pack, 1), true);
    external(external_given);
  }

  bool equal() const { return equal_ || !certain_; }

 private:
  void expect(const Bound& bound, const Thing* thing) { equal_ = equal_ && bound.thing == thing; }
  const Thing* member(const Thing* thing, std::size_t index) {
    if (thing == nullptr) return nullptr;
    certain_ = certain_ && !thing->has_uncertain_members;
    return thing->members[index];
  }

  const Binding& binding_;
  bool equal_ = true;
  bool certain_ = true;
};

}  // namespace

bool bound_as_given(const Attempt& attempt, const Model& model) {
  std::array<const Thing*, 3> given{};
  for (std::size_t i = 0; i < attempt.watch_count; ++i) {
    const Variable variable = attempt.watches[i].variable;
    if (variable != targets::argpack::kNothing) given[i] = model.held_by(variable);
  }
  const bool calls = attempt.uses(kCalls);
  const Thing* holder = calls ? nullptr : given[0];
  const Context* context = holder != nullptr ? holder->context : attempt.launched;
  if (context == nullptr) return true;
  Comparison found(calls ? context->at_launch : context->binding);
  if (calls)
    found.all(given[0], given[1], given[2]);
  else if (given[1] != nullptr)
    found.one(*given[1], attempt.uses(kGradient));
  return found.equal();
}

}  // namespace scenarios::argpack
