// SPDX-License-Identifier: Apache-2.0
#include "harness/run/tests/toy_scenario.h"

#include "harness/core/fault/kinds.h"

namespace harness::testing::toy {
namespace {

enum : int { kStaleWindow, kContentWindow };  // In the order of kWindows.

constexpr std::uint32_t kSlotCount = 8;
constexpr std::size_t kBoxLimit = 3;

/// Runs in which `forgets` still fails.
constexpr std::uint64_t kUnsafeRuns = 200;

/// State across runs, which a path must not have: for variants whose replays differ.
std::uint64_t runs_of_process = 0;

struct Box {
  std::uint64_t content;
};

enum class Keep : std::uint8_t { nothing, remembered, everything };

/// A variant's behaviour, whatever it claims.
struct Policy {
  Keep keep = Keep::nothing;  ///< Which of the replaced boxes stay alive.
  bool looks = true;          ///< Into the remembered box, when it is to use it.
  bool miscounts = false;     ///< Expects the content of the box that came instead.
  bool notes_run = false;     ///< Its events contain the number of runs of the process.
  /// This many boxes are kept while remembered; later ones are dropped.
  std::uint64_t safe_boxes = 0;
  /// After this many runs of the process it keeps them.
  std::uint64_t unsafe_runs = ~std::uint64_t{0};
};

/// A variant: a row is all there is to add.
struct Row {
  VariantInfo info;
  Policy policy;
};

struct Room {
  const Policy* policy;
  std::array<Owned<Box>, kBoxLimit> boxes;
  Borrowed<Box> remembered;
  std::uint64_t content = 0;  ///< The remembered box's, by the reference model.
  bool replaced = false;      ///< The remembered box was replaced by another.
  std::pmr::vector<Owned<Box>> kept;
  std::uint64_t made = 0;
};

std::uint32_t box_count(const Scene& scene) { return 1 + 2 * scene.config().values[0]; }

Owned<Box> make_box(Scene& scene, Room& room) {
  return scene.world().host.make<Box>("Box", Box{++room.made});
}

// Does what a destructor may do: runs in its own activation and asks questions there.
void drop(Scene& scene, Owned<Box> box) {
  Scheduler& scheduler = scene.world().scheduler;
  const ActivationScope scope(scheduler, scene.world().ledger.life(box.birth()).name, "finalize",
                              0);
  scene.pick(Site::order, 2);
  box.reset();
}

void do_store(Scene& scene, Room& room) {
  Owned<Box>& box = room.boxes[scene.pick(Site::argument, box_count(scene))];
  room.remembered = box.borrow();
  room.content = box->content;
  room.replaced = false;
}

void do_use(Scene& scene, Room& room) {
  if (!room.remembered || !room.policy->looks) return;
  scene.exercised();
  scene.reach(kStaleWindow);
  if (room.replaced) scene.reach(kContentWindow);
  const std::uint64_t content = room.remembered->content;
  scene.world().scheduler.note(EventKind::observe, "content", 0, content);
  scene.expect("content", content, room.content);
}

bool keeps(const Room& room, const Box& old, bool remembered) {
  const Policy& policy = *room.policy;
  if (policy.keep == Keep::everything) return true;
  if (!remembered) return false;
  return policy.keep == Keep::remembered || old.content <= policy.safe_boxes ||
         runs_of_process > policy.unsafe_runs;
}

void do_replace(Scene& scene, Room& room) {
  Owned<Box>& place = room.boxes[scene.pick(Site::argument, box_count(scene))];
  Owned<Box> old = std::exchange(place, make_box(scene, room));
  const bool remembered = room.remembered && room.remembered.birth() == old.birth();
  room.replaced |= remembered;
  if (remembered && room.policy->miscounts) room.content = place->content;
  if (keeps(room, *old, remembered))
    room.kept.push_back(std::move(old));
  else if (room.policy->looks)
    drop(scene, std::move(old));
}

void do_op(Scene& scene, Room& room, Op kind) {
  Scheduler& scheduler = scene.world().scheduler;
  const Label name = scene.scenario().ops[kind].name;
  const SiteScope site(scheduler, name);
  scheduler.note(EventKind::op, name);
  scene.count_op(kind);
  scheduler.turn({});
  if (kind == store) do_store(scene, room);
  if (kind == use) do_use(scene, room);
  if (kind == replace) do_replace(scene, room);
}

void play(Scene& scene, Room& room, std::uint32_t task, std::span<const std::uint8_t> offered) {
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    const ActivationScope scope(scene.world().scheduler, task, slot);
    const int kind = scene.pick_op(offered);
    if (kind >= 0) do_op(scene, room, static_cast<Op>(kind));
  }
}

void clear(Scene& scene, Room& room) {
  const SiteScope site(scene.world().scheduler, "clear");
  room.remembered = {};
  for (Owned<Box>& box : room.boxes) box.reset();
  if (room.policy->keep != Keep::everything) room.kept.clear();
  scene.mark_quiescent();
}

constexpr Label kStale[] = {"stale"};
constexpr Label kContent[] = {"content"};
constexpr Label kStaleAndContent[] = {"stale", "content"};
constexpr Label kRetention[] = {"leak"};

// The first four do as they claim; of the others each makes a command answer something else.
constexpr Row kRows[] = {
    {{"borrow", {ClaimKind::unsound, kStale, false, "remembers a pointer"}}, {}},
    {{"retain", {ClaimKind::sound, {}, false, "keeps a box while it is remembered"}},
     {.keep = Keep::remembered}},
    {{"hoard", {ClaimKind::unsound, kRetention, true, "never lets a box go"}},
     {.keep = Keep::everything}},
    {{"idle", {ClaimKind::vacuous, {}, false, "looks into nothing"}}, {.looks = false}},
    {{"wrongly_sound", {ClaimKind::sound, {}, false, "remembers a pointer"}}, {}},
    {{"rarely_unsound",
      {ClaimKind::sound, {}, false, "keeps the first few boxes while remembered"}},
     {.safe_boxes = 6}},
    {{"wrongly_unsound", {ClaimKind::unsound, kStale, false, "keeps a box while it is remembered"}},
     {.keep = Keep::remembered}},
    {{"wrongly_busy", {ClaimKind::sound, {}, false, "looks into nothing"}}, {.looks = false}},
    {{"wrongly_idle", {ClaimKind::vacuous, {}, false, "remembers a pointer"}}, {}},
    {{"other_window", {ClaimKind::unsound, kStale, false, "fails only in the window content"}},
     {.keep = Keep::remembered, .miscounts = true}},
    {{"second_window", {ClaimKind::unsound, kContent, false, "fails in the window stale as well"}},
     {.miscounts = true}},
    {{"wide_claim",
      {ClaimKind::unsound, kStaleAndContent, false, "fails only in the window content"}},
     {.keep = Keep::remembered, .miscounts = true}},
    {{"replays_otherwise", {ClaimKind::unsound, kStale, false, "no two runs of it are equal"}},
     {.notes_run = true}},
    {{"replays_otherwise_soundly", {ClaimKind::sound, {}, false, "no two runs of it are equal"}},
     {.keep = Keep::remembered, .notes_run = true}},
    {{"forgets", {ClaimKind::unsound, kStale, false, "fails in the first runs of a process"}},
     {.unsafe_runs = kUnsafeRuns}},
};

constexpr auto kVariants = [] {
  std::array<VariantInfo, std::size(kRows)> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kRows[i].info;
  return infos;
}();

void drive(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  Room& room = *scheduler.arena().make<Room>();
  Latch& done = *scheduler.arena().make<Latch>(scheduler, 1);
  room.policy = &kRows[scene.variant()].policy;
  ++runs_of_process;
  if (room.policy->notes_run)
    scheduler.note(EventKind::observe, "runs of the process", 0, runs_of_process);
  scene.mark_baseline();
  const SiteScope site(scheduler, "furnish");
  for (std::uint32_t i = 0; i < box_count(scene); ++i) room.boxes[i] = make_box(scene, room);
  scheduler.spawn("user", [&scene, &room, &done] {
    static constexpr std::array<std::uint8_t, 3> kOps{store, use, nap};
    play(scene, room, kUser, kOps);
    done.wait();
    clear(scene, room);
  });
  scheduler.spawn("bystander", [&scene, &room] {
    static constexpr std::array<std::uint8_t, 1> kOps{nap};
    play(scene, room, kBystander, kOps);
  });
  scheduler.spawn("mutator", [&scene, &room, &done] {
    static constexpr std::array<std::uint8_t, 2> kOps{replace, nap};
    play(scene, room, kMutator, kOps);
    done.count_down();
  });
}

int window_of(const Scene&, const Fault& fault) {
  const bool stale =
      fault.kind == FaultKind::use_after_free || fault.kind == FaultKind::recycled_use;
  if (stale && fault.death_site == "replace" && fault.use_site == "use") return kStaleWindow;
  return fault.kind == FaultKind::wrong_value ? kContentWindow : -1;
}

class NoDevice final : public Device {
 public:
  void begin(World&) override {}
  void end() override {}
  const DriverTable& table() const override {
    check_failed(__FILE__, __LINE__, "false", "the toy path calls no device");
  }
  bool runs_host_kernels() const override { return true; }
};

constexpr Window kWindows[] = {{"stale", "replace, then use"},
                               {"content", "replace, then a use that expects the new content"}};
constexpr Label kLayouts[] = {"one", "three"};
constexpr Label kTempers[] = {"calm", "wild"};
constexpr Axis kAxes[] = {{"boxes", kLayouts}, {"temper", kTempers}};
constexpr OpInfo kOps[] = {{"store"}, {"use"}, {"replace"}, {"nap"}};
constexpr Label kActors[] = {"skew"};

}  // namespace

const Scenario scenario{
    .name = "toy",
    .summary = "boxes that one task looks into while another replaces them",
    .variants = kVariants,
    .axes = kAxes,
    .ops = kOps,
    .windows = kWindows,
    .contract = {},
    .growth = {},
    .actors = kActors,
    .turn_limit = 2000,
    .drive = drive,
    .judge = nullptr,
    .window_of = window_of,
    .kernels = nullptr,
    .fatbin = {},
};

const DeviceInfo no_device{"none", "no device at all",
                           [] { return static_cast<Device*>(new NoDevice); }};

Scenario driven_by(Label name, void (*drive)(Scene& scene)) {
  Scenario other = scenario;
  other.name = name;
  other.drive = drive;
  other.window_of = nullptr;
  return other;
}

Scenario hoarding(Label name, void (*drive)(Scene& scene)) {
  static constexpr Omission kWithout[] = {{"retention", "nothing here is let go of"}};
  Scenario other = driven_by(name, drive);
  other.without = kWithout;
  return other;
}

Tape small_program() {
  return {decide(slot_name(kUser, 0), Site::op, op(store)),
          decide(slot_name(kUser, 1), Site::op, op(use)),
          decide(slot_name(kMutator, 0), Site::op, op(replace))};
}

}  // namespace harness::testing::toy
