// SPDX-License-Identifier: Apache-2.0
#include "harness/run/tests/crasher_scenario.h"

#include <cuda.h>

#include <cstdlib>
#include <stdexcept>

namespace harness::testing::crasher {
namespace {

constexpr std::uint32_t kSlotCount = 4;
constexpr std::uint32_t kWriter = 0;
constexpr std::uint32_t kReader = 1;

enum Op : std::uint8_t { change, look, nap };

struct Box {
  std::uint64_t content = 0;
};

// ---- crashes ------------------------------------------------------------------------------------
// What a sanitizer would report, and end the process for, is hidden from it.

#define UNSANITIZED __attribute__((noinline, no_sanitize("undefined")))

volatile int zero = 0;
volatile int deepest = 1 << 30;

UNSANITIZED void write_to_null() { *static_cast<volatile int*>(nullptr) = 1; }

void write_to_null_for(void*) { write_to_null(); }

UNSANITIZED void divide_by_zero() { zero = deepest / zero; }

UNSANITIZED int recurse(int depth) {
  volatile char frame[500];
  frame[depth % 500] = static_cast<char>(depth);
  if (depth == deepest) return 0;
  return recurse(depth + 1) + frame[depth % 500];
}

void overflow_the_stack() { deepest = recurse(0); }

void complain() { throw std::runtime_error("out of noexcept"); }

void throw_out_of_noexcept() noexcept { complain(); }

void trap() { __builtin_trap(); }

void crash_while_handling() {
  try {
    throw std::runtime_error("handled");
  } catch (const std::runtime_error&) {
    write_to_null();
  }
}

void follow_null_pointer() {
  const Borrowed<Box> empty;
  (void)empty->content;
}

void use_null_owner() {
  const Owned<Box> empty;
  (void)empty->content;
}

struct Fragile {
  ~Fragile() { write_to_null(); }
};

void destroy_fragile() {
  const Owned<Fragile> fragile = World::current()->host.make<Fragile>("Fragile");
}

void use_the_device() {
  CUcontext context = nullptr;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
}

void call_host_function() {
  use_the_device();
  cuLaunchHostFunc(nullptr, write_to_null_for, nullptr);
  cuStreamSynchronize(nullptr);
}

void release_user_object() {
  use_the_device();
  CUuserObject object = nullptr;
  cuUserObjectCreate(&object, nullptr, write_to_null_for, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  cuUserObjectRelease(object, 1);
  Latch never(World::current()->scheduler, 1);
  never.wait();
}

void do_nothing() {}

struct Row {
  VariantInfo info;
  void (*die)();
  bool in_driver = false;
};

constexpr Label kTorn[] = {"torn"};
constexpr Label kCrash[] = {"crash"};  // A kind: it has no window.
constexpr Claim kUnsound{ClaimKind::unsound, kTorn, false, "dies of what it sees"};

constexpr Row kRows[] = {
    {{"steady", {ClaimKind::sound, {}, false, "does not mind what it sees"}}, do_nothing},
    {{"segv", kUnsound}, write_to_null},
    {{"abort", kUnsound}, std::abort},
    {{"overflow", kUnsound}, overflow_the_stack},
    {{"terminate", kUnsound}, throw_out_of_noexcept},
    {{"divide", kUnsound}, divide_by_zero},
    {{"trap", kUnsound}, trap},
    {{"handling", kUnsound}, crash_while_handling},
    {{"null", kUnsound}, follow_null_pointer},
    {{"null_owner", kUnsound}, use_null_owner},
    {{"destructor", kUnsound}, destroy_fragile},
    {{"host_function", kUnsound}, call_host_function},
    {{"user_object", kUnsound}, release_user_object},
    {{"driver", {ClaimKind::unsound, kCrash, true, "dies before its tasks run"}},
     write_to_null,
     true},
    {{"wrongly_sound", {ClaimKind::sound, {}, false, "dies of what it sees"}}, write_to_null},
};

constexpr auto kVariants = [] {
  std::array<VariantInfo, std::size(kRows)> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kRows[i].info;
  return infos;
}();

// ---- the driver ---------------------------------------------------------------------------------

struct Room {
  const Row* row;
  bool half_changed = false;
};

void do_change(Scheduler& scheduler, Room& room) {
  room.half_changed = true;
  scheduler.turn({});
  room.half_changed = false;
}

void do_look(Scene& scene, Room& room) {
  const Owned<Box> box = scene.world().host.make<Box>("Box");
  scene.exercised();
  scene.reach(0);
  if (room.half_changed) room.row->die();
}

void do_op(Scene& scene, Room& room, Op kind) {
  Scheduler& scheduler = scene.world().scheduler;
  const Label name = scene.scenario().ops[kind].name;
  const SiteScope site(scheduler, name);
  scheduler.note(EventKind::op, name);
  scene.count_op(kind);
  scheduler.turn({});
  if (kind == change) do_change(scheduler, room);
  if (kind == look) do_look(scene, room);
}

void play(Scene& scene, Room& room, std::uint32_t task, std::span<const std::uint8_t> offered) {
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    const ActivationScope scope(scene.world().scheduler, task, slot);
    const int kind = scene.pick_op(offered);
    if (kind >= 0) do_op(scene, room, static_cast<Op>(kind));
  }
}

void drive(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  Room& room = *scheduler.arena().make<Room>();
  room.row = &kRows[scene.variant()];
  if (room.row->in_driver) room.row->die();
  scheduler.spawn("writer", [&scene, &room] {
    static constexpr std::array<std::uint8_t, 2> kOps{change, nap};
    play(scene, room, kWriter, kOps);
  });
  scheduler.spawn("reader", [&scene, &room] {
    static constexpr std::array<std::uint8_t, 2> kOps{look, nap};
    play(scene, room, kReader, kOps);
  });
}

int window_of(const Scene&, const Fault& fault) { return fault.use_site == "driver" ? -1 : 0; }

constexpr OpInfo kOps[] = {{"change"}, {"look"}, {"nap"}};
constexpr Window kWindows[] = {{"torn", "look, in the middle of change"}};

}  // namespace

const Scenario scenario{
    .name = "crasher",
    .summary = "a reader that dies of what it sees",
    .variants = kVariants,
    .axes = {},
    .ops = kOps,
    .windows = kWindows,
    .contract = {},
    .growth = {},
    .actors = {},
    .turn_limit = 2000,
    .drive = drive,
    .judge = nullptr,
    .window_of = window_of,
    .kernels = nullptr,
    .fatbin = {},
};

Tape small_program() {
  return {{slot_name(kWriter, 0), site_tag(Site::op), 0, op_value(kOps[change].name)},
          {slot_name(kReader, 0), site_tag(Site::op), 0, op_value(kOps[look].name)}};
}

}  // namespace harness::testing::crasher
