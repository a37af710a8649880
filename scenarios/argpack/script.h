// Script: what the tasks of one run share: the path under test, and who hears its facts.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/argpack/ghost.h"
#include "scenarios/argpack/judged.h"
#include "scenarios/argpack/offer.h"

namespace scenarios::argpack {

/// Ownership: lives in the run's arena; borrows the scene and the path.
class Script final : public Model {
 public:
  using Argpack = targets::argpack::Argpack;

  explicit Script(harness::Scene& scene)
      : Model(scene),
        passages_(scene),
        ghost_(scene, passages_),
        witness_(scene, *this),
        use_(scene.world().scheduler, 1, "use") {}
  void set_path(const targets::argpack::Argpack& path) {
    path_ = scene_.world().arena.make<Argpack>(
        scene_.world().arena.make<JudgedPath>(witness_, path)->path());
  }
  /// Returns the path, every answer of which is judged.
  const Argpack& path() { return *path_; }
  Witness& witness() { return witness_; }

  /// Asks which op goes into the slot, with which arguments, and calls it.
  void take_slot(const Theme& theme, std::uint32_t task, std::uint32_t slot);
  /// A slot behind the last one, which is asked about only while nothing has been launched.
  void take_closing_slot(std::uint32_t slot);

  /// Mutators wait here for something to meddle with: the first use of a pack, or the script's end.
  void wait_for_use() { use_.wait(); }
  void begin_using();

  const Passages& passages() const { return passages_; }

  /// What every array on the host holds that is still in a variable.
  void look_at_host_arrays();

  // ---- Observer: the model hears first, then the ghost, then who judges ----
  void program_began(std::uint32_t generation) override;
  void deleted_by_stale_wrapper() override { ghost_.deleted_by_stale_wrapper(); }
  void made(const targets::argpack::Making& making) override;
  void referred(ThingId thing) override;
  void dropped(ThingId thing) override;
  void ended(ThingId thing) override;
  void attached(ThingId thing, std::size_t member, ThingId value) override;
  void stored(Variable variable, ThingId thing) override;
  void assigned(ThingId thing, std::int64_t value) override;
  void written(ThingId thing, std::int64_t value) override;
  void moved(ThingId thing) override;
  void kept_in_place(ThingId thing) override { ghost_.moved(thing); }
  void setting_began() override { ghost_.setting_began(); }
  void setting_ended() override { ghost_.setting_ended(); }
  void bound(ThingId context, Place place, ThingId thing) override;
  void scalar_set(ThingId context, std::int64_t value) override;
  void compiling(ThingId context, std::uint32_t generation) override {
    ghost_.compiling(context, generation);
  }
  void compiled(ThingId context) override;
  void argument_renamed(Variable) override { ghost_.argument_renamed(); }
  void launching(ThingId context, std::uint32_t generation) override {
    ghost_.launching(context, generation);
  }
  void submitted(ThingId context) override;
  void finished() override;
  void read(ThingId context, std::span<const std::int32_t> words) override;
  void contents(ThingId array, std::span<const std::int32_t> words) override;
  targets::argpack::Circumstance circumstance_of(ThingId thing) const override {
    return ghost_.circumstance_of(thing);
  }
  void changed(Change change) override { witness_.changed(change == Change::of_all); }

 private:
  using Status = targets::argpack::Status;

  /// The slot that is being filled.
  struct Slot {
    std::uint32_t task;
    std::uint32_t index;
    /// Unlike that of any other slot, by more than a pack nests.
    std::int32_t value() const { return static_cast<std::int32_t>(1000 * (task + 1) + 10 * index); }
  };

  Situation situation() const;
  const Situation& current_situation();
  const OpList& current_offer(const Theme& theme, std::uint32_t task);
  bool some_child_fits(const Census& census) const;
  Variables fitting_children(const Census& census, Variable pack, std::uint32_t level) const;

  // Arguments: each asks one question, always, so that the next one keeps its number.
  Variable choose(Variables fitting);
  Variable choose_rather(Variables preferred, Variables others);
  Variable choose_or_none(Variables fitting);
  Variable none_or_choose(Variables fitting);
  Variable choose_new(const Slot& slot, Variables kind);
  std::uint32_t choose_number(std::uint32_t count) {
    return scene_.pick(harness::Site::argument, count);
  }
  bool choose_plain() { return choose_number(2) == 0; }
  std::uint32_t choose_of(std::span<const std::uint32_t> values);
  std::uint32_t choose_level(Variable pack);

  void nap();
  void fill_slot(std::span<const std::uint8_t> offered, std::uint32_t task, std::uint32_t slot);
  void run_op(Op op, const Situation& now, Slot slot);
  Status perform(Op op, const Situation& now, const Slot& slot);
  Status new_argpack(const Situation& now, const Slot& slot);
  Status replace_nested(const Situation& now, const Slot& slot);
  Status set_nested(const Situation& now);
  Status get_nested(const Situation& now, const Slot& slot);
  Status alias(const Situation& now, const Slot& slot);
  Status plant(const Situation& now, const Slot& slot);
  Status call(const Situation& now);
  template <class Call>
  Status part(Op op, std::uint32_t nth, Call call);
  Status call_new(const Slot& slot);
  Status call_often(const Situation& now);
  Status call_with_all(const Slot& slot);
  Status make_context(const Situation& now, const Slot& slot);
  Status set_arg_argpack(const Situation& now);
  Status set_arg(Op op, const Situation& now, const Slot& slot);
  Status compile(const Situation& now);
  Status launch(const Situation& now);

  void check_value(std::int64_t value, std::uint32_t depth);

  Passages passages_;
  Ghost ghost_;
  Witness witness_;
  const Argpack* path_ = nullptr;
  harness::Latch use_;
  bool in_use_ = false;
  bool launched_ = false;  ///< Something was.
  // What the script did to its contexts: hints for what to offer next, no more.
  Variables bound_ = 0;
  Variables compiled_ = 0;
  // Whatever changes a variable leaves an event: without a new one, the situation is the old one,
  // and so is what is offered to the same task.
  static constexpr std::uint32_t kNobody = 0xffffffff;
  Situation situation_;
  std::size_t situation_events_ = 0;
  OpList offer_;
  std::uint32_t offer_task_ = kNobody;
};

}  // namespace scenarios::argpack
