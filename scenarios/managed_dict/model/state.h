// SPDX-License-Identifier: Apache-2.0
// State: the model of one run. Facts and statements change it (update.h); judges compare it with
// the interpreter's bytes and with what a script can read.
//
// Facts give the live instances, their last stored values, and the references to each object.
// Statements give what each variable refers to and what is still reachable. The path reports no
// fact of the second kind, so a value that it neither stores nor reports is found.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/managed_dict/model/records.h"

namespace scenarios::managed_dict {

/// The live instances. Ownership: owns them, in the run's arena.
class Instances {
 public:
  /// Returns the live instance at `object`, or null.
  Instance* find(Address object) {
    const auto found = std::ranges::find(live_, object, &Instance::object);
    return found != live_.end() ? *found : nullptr;
  }
  std::span<Instance* const> live() const { return live_; }

  void add(const targets::managed_dict::Birth& birth);
  void remove(Address object);

 private:
  std::pmr::vector<Instance*> live_;
  std::pmr::vector<Instance*> free_;  ///< Storage of dead ones, because the arena frees nothing.
};

/// The number of strong references that were actually taken to each object.
class References {
 public:
  using Block = targets::managed_dict::Block;
  using HeapView = targets::managed_dict::HeapView;

  struct Count {
    std::int32_t taken = 0;
    bool judged = false;  ///< Its content was found wrong.
  };

  /// An object was made, with one reference.
  void made(harness::BirthId object) { of_life(object).taken = 1; }
  /// Adds references to the object that begins at the address, if there is one.
  void add(const HeapView& heap, Address object, std::int32_t by);

  /// Returns the references to the object in the block; valid until another object is made.
  Count& in(const HeapView& heap, const Block& block);

 private:
  Count& of_life(harness::BirthId object) {
    const std::size_t index = harness::raw(object);
    if (index >= lives_.size()) [[unlikely]]
      lives_.resize(2 * index + kFirstLives);
    return lives_[index];
  }

  static constexpr std::size_t kFirstLives = 64;

  std::pmr::vector<Count> lives_;  ///< Counts by birth id.
  /// By the number of a static object.
  std::array<Count, targets::managed_dict::kStaticCount> statics_{};
};

/// The last result of vars().
struct Held {
  static constexpr Variable kNobody = targets::managed_dict::kVariableCount;
  /// Whether that dict is in a cycle with its instance, which counts as garbage.
  enum class Cycle : std::uint8_t { none, loose, passed_by };

  bool exists = false;
  Variable of = kNobody;      ///< Variable whose instance has this dict, if still current.
  Variable was_of = kNobody;  ///< Variable whose instance it keeps by an attribute.
  std::uint32_t guards = 0;   ///< Guards that this instance had when it was dropped.
  Object parted;              ///< The object after its instance has lost it.
  Cycle cycle = Cycle::none;
};

/// Dropped objects that only the collector can free, and what they keep.
struct Garbage {
  std::uint32_t objects = 0;
  std::uint32_t numbers = 0;
  std::uint32_t dicts = 0;
};

/// Ownership: owned by the judge. Lifetime: one run; `heap` and `version` are set before the
/// interpreter starts.
struct State {
  explicit State(const harness::Scene& scene)
      : bounded(scene.scenario().variants[scene.variant()].claim.kind ==
                harness::ClaimKind::sound) {}

  const targets::managed_dict::HeapView* heap = nullptr;
  Version version{};
  bool bounded;  ///< The variant claims that no object outlives its last possible use.

  // ---- by facts ----
  Instances instances;
  References references;
  std::uint32_t starved_count = 0;      ///< How often there was no memory.
  bool others_asked_for_dicts = false;  ///< Code other than statements requested dicts.
  /// Number of values that the last instance of each type had room for; 0 if there was none. The
  /// spare room shrinks with each instance.
  std::array<std::uint32_t, 2 * targets::managed_dict::kClassCountOfPath> room{};
  std::pmr::vector<std::optional<KernelArguments>> launches;  ///< By task.

  // ---- by statements ----
  std::array<Object, targets::managed_dict::kVariableCount> variables;
  Held held;
  Garbage garbage;
  std::uint32_t noise_count = 0;
  std::uint32_t running_blocks = 0;  ///< Number of running with blocks.
  std::array<bool, targets::managed_dict::kClassCountOfPath> subclassed{};
  bool types_have_numbers = false;  ///< A number was stored to a class.

  /// Returns whether values are part of their instance and die with it.
  bool is_inline() const { return version == Version::cpython313; }
  /// Returns the last result of vars(), or null if there is none.
  Object* held_object() {
    if (!held.exists) return nullptr;
    return held.of != Held::kNobody ? &variables[held.of] : &held.parted;
  }
  bool any_defined() const {
    return std::ranges::any_of(variables, [](const Object& one) { return one.form.defined; });
  }
};

}  // namespace scenarios::managed_dict
