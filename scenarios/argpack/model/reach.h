// SPDX-License-Identifier: Apache-2.0
// Reach: the windows that a run reached, whatever the policy keeps, and who used which context.
//
// Update calls it at the facts that matter, after the model has changed.
#pragma once

#include "scenarios/argpack/model/model.h"

namespace scenarios::argpack {

/// The end of the object beneath a thing.
struct End {
  harness::BirthId beneath;
  harness::Name activation;  ///< Activation in which it ended.
  bool reentrant;            ///< Its own task was setting arguments when it ended.
  bool in_flight;            ///< A kernel that uses the thing may have been running.
};

/// An activation that binds to a context or launches it.
struct User {
  harness::Name activation;
  harness::Tick tick;
  std::uint32_t task;
  const Context* context;
  bool launches = false;
  bool again = false;  ///< An earlier launch failed or was refused.
  bool ended = false;  ///< It launches in a program that has ended.
};

/// Ownership: in the run's arena; borrows the scene and the model.
class Reach {
 public:
  Reach(harness::Scene& scene, const Model& model)
      : scene_(scene), model_(model), passages_(scene) {}
  Reach(const Reach&) = delete;  // The scene points at it.
  Reach& operator=(const Reach&) = delete;

  void met_stale_wrapper() { passages_.reach(Window::stale_wrapper); }
  void argument_renamed() { passages_.reach(Window::top_level_dropped); }
  /// The script has lost the thing, or its memory has moved.
  void taken(const Thing& thing);
  /// The object beneath the thing has ended, or its storage.
  void ended(const Thing& thing);
  /// Nothing is bound any more in one place of the context.
  void unbound(const Context& context) { use(context); }
  /// Something is bound to the context, which may have been launched before.
  void bound(const Context& context);
  void compiling(const Context& context, std::uint32_t generation);
  /// `again`: a launch of the context was attempted before.
  void launching(const Context& context, std::uint32_t generation, bool again);
  void submitted(const Context& context);

  const Passages& passages() const { return passages_; }
  /// Returns the launch whose kernel runs at `tick`, or null: the last launch that had begun when
  /// the kernel was submitted.
  const User* launch_of_kernel(harness::Tick tick) const;
  /// Returns the last launch that began in `activation`, or null.
  const User* launch_in(harness::Name activation) const;
  /// Returns the last context that was bound to or launched in `activation`, or null.
  const User* user_in(harness::Name activation) const;
  /// Returns whether the user's context was bound to the object `life`, or to the one whose memory
  /// that is, after its program had been reset.
  bool was_bound_stale(const User& user, harness::Name life) const;
  /// Returns the end of the storage `life`, or null.
  const End* end_of_storage(harness::Name life) const;
  /// Returns the end of a wrapper in whose activation `life` died, or null.
  const End* end_of_object(harness::Name life) const;

 private:
  void reach(Window window, Way way) { passages_.reach(window, harness::raw(way)); }
  /// Returns the last user for which `is(user)` holds, or null.
  template <class Is>
  const User* last_user(Is is) const {
    const auto found = std::find_if(users_.rbegin(), users_.rend(), is);
    return found != users_.rend() ? &*found : nullptr;
  }
  User& use(const Context& context);
  bool is_of(const Bound& bound, harness::Name life) const;
  /// Returns whether a kernel that uses it may be running.
  bool is_in_flight(const Thing& thing) const { return model_.may_run(thing.first_launch); }

  harness::Scene& scene_;
  const Model& model_;
  Passages passages_;
  std::pmr::vector<End> ends_;        ///< In order.
  std::pmr::vector<User> users_;      ///< In order.
  std::pmr::vector<User> launching_;  ///< Begun, but not yet submitted.
};

}  // namespace scenarios::argpack
