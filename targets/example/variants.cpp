// The table of policies, each with its author's claim.
#include "targets/example/borrow.h"
#include "targets/example/retain.h"

namespace targets::example {
namespace {

using harness::ClaimKind;
using harness::Label;

template <class Kept>
Server* make(harness::Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  return arena.make<Server>(runtime, setup, *arena.make<Kept>());
}

constexpr Label kBoth[] = {"replaced_before_launch", "replaced_in_flight"};

constexpr harness::Variant<Server, const Setup&> kVariants[] = {
    {"borrow",
     {ClaimKind::unsound, kBoth, false, "frees a buffer as soon as another stands in its place"},
     make<Borrow>},
    {"retain",
     {ClaimKind::sound, {}, false, "holds a buffer until the last request for it has finished"},
     make<Retain>},
};

}  // namespace

std::span<const harness::Variant<Server, const Setup&>> variants() { return kVariants; }

}  // namespace targets::example
