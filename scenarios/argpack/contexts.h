// SPDX-License-Identifier: Apache-2.0
// Contexts: the bindings of launch contexts, and the objects that a launch still uses.
#pragma once

#include "scenarios/argpack/things.h"

namespace scenarios::argpack {

/// Ownership: in the run's arena; borrows the things and the progress.
class Contexts {
 public:
  Contexts(const Things& things, Progress& progress) : things_(things), progress_(progress) {
    holders_.reserve(8);
  }

  /// Returns whether a launch that may still run uses the thing, or an unlaunched context binds it.
  bool is_held(const Thing& thing) const {
    return progress_.may_run(thing.last_launch) || is_bound(thing);
  }
  /// Returns whether a context that has not been launched binds it.
  bool is_bound(const Thing& thing) const;
  /// Returns whether the script cannot reach it and no context that can still be launched binds it.
  bool is_unusable(const Thing& thing) const;

  // ---- facts: see targets::argpack::Observer ----
  void made(Thing& context, std::uint32_t generation);
  void ended(Thing& context) { std::erase(holders_, &context); }
  void bound(Context& context, Place place, Thing* thing);
  void submitted(Context& context);
  void copied_back(const Context& context);

 private:
  void give_up(Context& context, Place place);

  const Things& things_;
  Progress& progress_;
  std::pmr::vector<Thing*> holders_;  ///< Contexts that may still be in use.
};

}  // namespace scenarios::argpack
