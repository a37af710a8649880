// SPDX-License-Identifier: Apache-2.0
// The table of variants: one row for each policy of the target, by name.
#include "scenarios/example/variants.h"

#include "harness/run/scenario/variants.h"

namespace scenarios::example {
namespace {

using harness::ClaimKind;
using harness::Label;

constexpr Label kBoth[] = {"replaced_before_launch", "replaced_in_flight"};

constexpr harness::VariantInfo kVariants[] = {
    {"borrow", {ClaimKind::unsound, kBoth, false, "frees a buffer as soon as it is replaced"}},
    {"retain",
     {ClaimKind::sound, {}, false, "holds a buffer until the last request for it has finished"}},
};

}  // namespace

std::span<const harness::VariantInfo> variants() { return kVariants; }

Maker maker_of(std::size_t variant) {
  return harness::find_maker<targets::example::policies, variants>(variant);
}

}  // namespace scenarios::example
