// How it works. A slot asks which op goes into it, of those that make sense after the slots before,
// then for each of its arguments. Tapes name ranks, buffers and slots, never positions in a list.
#include "scenarios/alltoallv/plan.h"

#include <algorithm>

#include "harness/scenario/variables.h"

namespace scenarios::alltoallv {
namespace {

using harness::Scene;
using harness::Site;
using targets::alltoallv::kBufferCount;
using targets::alltoallv::Topology;

constexpr Ops kCollectives = ops(Op::alltoallv, Op::alltoall);
constexpr Ops kScratchUsers = ops(Op::allgather, Op::reduce_scatter);

/// The ops that bring an address back are rare enough to be a theme of their own, thrice.
constexpr Theme kRenewing{ops(Op::alltoallv, Op::renew), ops(Op::alltoallv), true};

/// A thread holds what has gone, and is mapped anew.
constexpr Theme kServed{.offered = ops(Op::alltoallv, Op::renew),
                        .favoured = ops(Op::alltoallv),
                        .renews = true,
                        .served = true};

constexpr std::array<Theme, kThemeCount> kThemes{{
    {~Ops{0}, kCollectives | ops(Op::renew, Op::wait)},
    // Two or more outstanding.
    {ops(Op::alltoallv, Op::alltoall, Op::progress, Op::sleep), kCollectives},
    // Proxies.
    {kCollectives | kScratchUsers | ops(Op::new_team, Op::progress, Op::wait), kCollectives},
    // Memory that is freed, and its address given out again.
    {kCollectives | ops(Op::renew, Op::progress, Op::make_cycle, Op::collect),
     ops(Op::alltoallv, Op::renew)},
    // All who use slots.
    {kCollectives | kScratchUsers | ops(Op::wait, Op::drop), kScratchUsers},
    // Persistent ones, and threads.
    {ops(Op::persistent, Op::post_again, Op::alltoallv, Op::start_thread, Op::init_only, Op::wait),
     ops(Op::post_again)},
    // Threads, and memory whose address is given out again.
    {kCollectives | ops(Op::renew, Op::start_thread, Op::sleep), ops(Op::alltoallv, Op::renew)},
    {ops(Op::alltoallv, Op::start_thread), ops(Op::alltoallv), false},
    kRenewing,
    kRenewing,
    kRenewing,
    {~ops(Op::make_cycle), kCollectives, false, true},
    kServed,
    kServed,
    // Garbage that one process collects while another frees.
    {.offered = ops(Op::alltoallv, Op::make_cycle, Op::drop, Op::wait),
     .favoured = ops(Op::alltoallv),
     .litters = true},
}};

/// Which ops come next on the way to garbage, after `last`.
constexpr Ops littering_after(Op last) {
  if (last == Op::alltoallv) return ops(Op::make_cycle);
  if (last == Op::make_cycle) return ops(Op::drop);
  return ops(Op::alltoallv);
}

class Planner {
 public:
  Planner(Scene& scene, std::uint32_t rank_count)
      : scene_(scene), rank_count_(rank_count), plan_(scene.world().arena.resource()) {}

  Plan make(const Theme& about, const Shape& shape) {
    buffer_count_ = about.renews || about.litters ? 1 : kBufferCount;
    served_ = about.served;
    for (std::uint32_t slot = 0; slot < shape.slots; ++slot) {
      const harness::ActivationScope activation(scene_.world().scheduler, 0, slot);
      take(ask_op(about), slot);
    }
    for (std::uint32_t i = 0; i < shape.closing_slots && is_open(); ++i) {
      const harness::ActivationScope activation(scene_.world().scheduler, 0, shape.slots + i);
      take(ask_closing_op(), shape.slots + i);
    }
    return std::move(plan_);
  }

 private:
  void take(int op, std::uint32_t slot) {
    if (op >= 0) plan_.push_back(ask_arguments(static_cast<Op>(op), slot));
  }
  /// Nothing is posted: a job without a collective shows nothing.
  bool is_open() const {
    return std::none_of(plan_.begin(), plan_.end(),
                        [](const Step& step) { return step.is_collective(); });
  }

  Ops possible() const {
    Ops some = kCollectives | kScratchUsers |
               ops(Op::persistent, Op::init_only, Op::in_place, Op::sleep, Op::new_team);
    if (posted_)
      some |= ops(Op::wait, Op::progress, Op::renew, Op::drop, Op::make_cycle, Op::collect);
    if (persistent_ != 0) some |= ops(Op::post_again);
    if (threads_ + 1 < rank_count_ && threads_ < 2) some |= ops(Op::start_thread);
    return some;
  }

  int ask_op(const Theme& about) {
    std::array<std::uint8_t, 4 * kOpCount> list;
    std::size_t count = 0;
    const Ops offered = possible() & about.offered;
    Ops favoured = about.favoured;
    if (about.renews && !plan_.empty() && plan_.back().op != Op::renew) favoured = ops(Op::renew);
    if (about.litters && !plan_.empty()) favoured = littering_after(plan_.back().op);
    const auto add = [&](Ops members) {
      for (; members != 0; members &= members - 1)
        list[count++] = static_cast<std::uint8_t>(std::countr_zero(members));
    };
    add(offered);
    for (int i = 0; i < 3; ++i) add(offered & favoured);
    return scene_.pick_op(std::span(list).first(count));
  }

  /// Whatever the theme, a collective closes a job that has none.
  int ask_closing_op() {
    constexpr std::array<std::uint8_t, 6> kClosing{
        harness::raw(Op::alltoallv), harness::raw(Op::alltoall),       harness::raw(Op::persistent),
        harness::raw(Op::allgather), harness::raw(Op::reduce_scatter), harness::raw(Op::alltoallv)};
    return scene_.pick_op(kClosing);
  }

  std::uint32_t ask(std::uint32_t count) { return scene_.pick(Site::argument, count); }
  /// Plain: everybody.
  std::uint32_t ask_who() {
    const std::uint32_t answer = ask(rank_count_ + 1);
    return answer == 0 ? kAll : answer - 1;
  }
  /// Plain: nobody.
  std::uint32_t ask_one() {
    const std::uint32_t answer = ask(2 * rank_count_ + 1);
    return answer == 0 || answer > rank_count_ ? kNobody : answer - 1;
  }

  std::uint32_t ask_buffer() { return ask(buffer_count_); }

  Step ask_arguments(Op op, std::uint32_t slot) {
    Step step{.op = op, .slot = slot};
    switch (op) {
      case Op::alltoallv:
      case Op::alltoall:
      case Op::persistent:
        ask_exchange(step);
        posted_ = true;
        if (op == Op::persistent) persistent_ |= 1U << slot;
        break;
      case Op::allgather:
      case Op::reduce_scatter:
      case Op::init_only:
      case Op::in_place:
        step.buffer = ask_buffer();
        step.shape = ask(8);
        posted_ = true;
        break;
      case Op::post_again:
        step.of = ask_persistent();
        break;
      case Op::renew:
        step.behind = served_ ? 0 : (1 + ask_rank()) % rank_count_;
        step.buffer = ask_buffer();
        step.turns = served_ ? 0 : std::array{0U, 256U, 512U, 1024U}[ask(4)];
        break;
      case Op::drop:
      case Op::make_cycle:
        step.who = ask_who();
        step.buffer = ask_buffer();
        break;
      case Op::start_thread:
        step.who = ask(2 * rank_count_);  // Rank 0 has the most to do.
        if (step.who >= rank_count_) step.who = 0;
        ++threads_;
        break;
      case Op::new_team:
        step.topology =
            rank_count_ > 2 && ask(2) == 0 ? Topology::ranks_0_and_2_by_proxy : Topology::direct;
        break;
      case Op::sleep:
        step.who = ask_rank();
        step.turns = std::array{16U, 64U, 256U}[ask(3)];
        break;
      case Op::wait:
      case Op::progress:
      case Op::collect:
        step.who = ask_who();
        break;
    }
    return step;
  }

  void ask_exchange(Step& step) {
    step.buffer = ask_buffer();
    step.shape = ask(8);
    step.triggered = ask_one();
    step.silent = step.op == Op::alltoall ? kNobody : ask_one();
    step.stream = ask(3);
    step.offset = 4 * ask(2);
  }

  std::uint32_t ask_rank() { return ask(rank_count_); }

  std::uint32_t ask_persistent() {
    harness::VariableOptions<kSlotCountLimit> slots;
    slots.add_all(persistent_);
    return slots.pick(scene_);
  }

  Scene& scene_;
  std::uint32_t rank_count_;
  Plan plan_;
  std::uint32_t buffer_count_ = kBufferCount;
  bool served_ = false;
  bool posted_ = false;
  std::uint32_t persistent_ = 0;  ///< Bit per slot.
  std::uint32_t threads_ = 0;
};

}  // namespace

const Theme& theme(std::uint32_t index) { return kThemes[index]; }

Plan make_plan(Scene& scene, const Theme& about, const Shape& shape, std::uint32_t rank_count) {
  return Planner(scene, rank_count).make(about, shape);
}

}  // namespace scenarios::alltoallv
