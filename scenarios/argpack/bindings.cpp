// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/bindings.h"

namespace scenarios::argpack {
namespace {

using targets::argpack::kDepthLimit;
using targets::argpack::kNothing;

/// Compares what a context binds with the expected binding; an unknown one counts as correct.
class Comparison {
 public:
  Comparison(const Binding& binding, const Model& model) : binding_(binding), model_(model) {}

  const Thing* given(const Watch& watch) const {
    return watch.variable != kNothing ? model_.things.held_by(watch.variable) : nullptr;
  }
  void packs(const Thing* pack) {
    for (std::uint32_t level = 0; level < kDepthLimit; ++level) {
      expect(binding_.places[level], pack);
      pack = member(pack, 0);
    }
  }
  void array(const Thing* array, bool with_gradient) {
    expect(binding_.at(Place::array), array);
    expect(binding_.gradient(), with_gradient ? member(array, 1) : nullptr);
  }
  void external(const Thing* external) { expect(binding_.external(), external); }
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
  const Model& model_;
  bool equal_ = true;
  bool certain_ = true;
};

}  // namespace

bool bound_as_given(const Attempt& attempt, const Model& model) {
  const auto& [first, second, third] = attempt.watches;
  const Thing* holder = model.things.held_by(first.variable);
  const Context* context = attempt.op == Op::call ? attempt.launched
                           : holder != nullptr    ? holder->context
                                                  : nullptr;
  if (context == nullptr) return true;
  Comparison found(attempt.op == Op::call ? context->at_launch : context->binding, model);
  const Thing* thing = found.given(second);
  if (attempt.op == Op::call) found.all(found.given(first), thing, found.given(third));
  if (attempt.op == Op::set_arg_argpack) found.packs(thing);
  if (attempt.op == Op::set_arg_ndarray) found.array(thing, false);
  if (attempt.op == Op::set_arg_ndarray_with_grad) found.array(thing, true);
  if (attempt.op == Op::set_arg_external) found.external(thing);
  return found.equal();
}

}  // namespace scenarios::argpack
