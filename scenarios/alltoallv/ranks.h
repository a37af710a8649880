// Job: what the tasks of one run share: the plan, the path under test, and what its judges hear.
#pragma once

#include "scenarios/alltoallv/first_told.h"
#include "scenarios/alltoallv/ghost.h"
#include "scenarios/alltoallv/leftovers.h"
#include "scenarios/alltoallv/mappings.h"
#include "scenarios/alltoallv/memory.h"
#include "scenarios/alltoallv/reference.h"
#include "scenarios/alltoallv/service.h"

namespace scenarios::alltoallv {

/// Ownership: lives in the run's arena; borrows the scene and the path.
class Job final : public targets::alltoallv::Observer {
 public:
  Job(harness::Scene& scene, const Shape& shape);
  void set_path(targets::alltoallv::Alltoallv& path) { path_ = &path; }

  std::uint32_t rank_count() const { return rank_count_; }
  const Plan& plan() const { return plan_; }
  bool uses_scratch() const;
  bool is_quiet() const { return theme_.quiet; }

  /// Everything one rank does.
  void run_rank(std::uint32_t rank);
  /// The launcher: waits for all ranks, and looks at what is left.
  void run_launcher();

  Ghost& ghost() { return ghost_; }
  FirstTold& first_told() { return first_told_; }

  // ---- Observer ----
  void copied() override { scene_.exercised(); }
  void read(const targets::alltoallv::Reading& reading) override;
  void number_lost(const targets::alltoallv::LostNumber& lost) override {
    ghost_.number_lost(lost);
  }
  void posting_again(const targets::alltoallv::Reposting& posting) override {
    ghost_.posting_again(posting);
  }
  void posted(const targets::alltoallv::Posting& posting) override {
    ghost_.posted(posting);
    slots_.posted(posting);
  }
  void found_free(Request request) override { ghost_.found_free(request); }
  void claimed(const targets::alltoallv::Taking& taking) override {
    ghost_.claimed(taking);
    if (taking.former == 0) slots_.claimed(taking.slot, taking.request);
  }
  void entered(const targets::alltoallv::Entering& entering) override { ghost_.entered(entering); }
  void publishing(const targets::alltoallv::Publishing& publishing) override {
    ghost_.publishing(publishing, is_proxy(publishing.rank, topology_[publishing.rank]));
  }
  void published(const targets::alltoallv::Publication& publication) override;
  void set_up(std::uint32_t rank, Request request) override { ghost_.waits_no_more(rank, request); }
  void failed(std::uint32_t, Request) override { ghost_.failed(); }
  void gave_up(std::uint32_t, Request) override { ghost_.gave_up(); }
  void unmapped(std::uint32_t rank, std::uint32_t slot) override { ghost_.unmapped(rank, slot); }
  void released(std::uint32_t slot) override { slots_.released(slot); }
  void left(const targets::alltoallv::SlotLeft& slot) override { slots_.left(slot); }
  void ended(std::uint32_t rank, Request request) override {
    ghost_.waits_no_more(rank, request);
    mappings_.ended(rank, request);
  }
  void opened(const Opening& opening) override { mappings_.opened(opening); }
  void open_failed(std::uint32_t, std::uint32_t) override { ghost_.open_failed(); }
  void mapped(const Use& use, harness::BirthId region, std::uint64_t count) override {
    mappings_.mapped(use, region, count, memory_of(use));
  }
  void let_go(const Use& use, harness::BirthId met, std::uint64_t count) override;
  void followed_null(const Use&, harness::BirthId meant) override {
    mappings_.followed_null(meant);
  }
  void evicting(const targets::alltoallv::Eviction& eviction) override {
    ghost_.evicting(eviction);
  }
  void marked(harness::BirthId region) override { mappings_.marked(region); }
  void closing(harness::BirthId region) override { mappings_.closing(region); }

 private:
  using Status = targets::alltoallv::Status;
  using Memo = targets::alltoallv::Publication::Memory;

  // ---- service ----
  /// Makes a call, and again while CUDA calls that it made were told to fail. An answer that
  /// nothing documents is a refusal.
  template <class Call>
  Status insist(harness::Label name, Situation situation, Call call);
  /// Returns whether the answer is documented. Else it was reported.
  bool note_answer(harness::Label name, Status status, const Situation& situation);
  bool is_at_fault() const;
  /// What is known of a collective that failed on `rank`.
  Situation situation_of(std::uint32_t rank, std::uint32_t slot) const;
  /// Whether `tell(activation)` of a collective that this step of the rank made.
  template <class Tell>
  bool any_collective(std::uint32_t rank, std::uint32_t slot, Tell tell) const;
  bool was_injected_into(std::uint32_t rank, std::uint32_t slot, std::uint32_t round) const;
  void post(std::uint32_t rank, std::uint32_t slot, bool triggered);
  void check(std::uint32_t rank, std::uint32_t slot);
  /// An answer of `wait` is what the collective's CUDA calls came to.
  void judge_ending(std::uint32_t rank, std::uint32_t slot, Status status);
  /// The peer's allocation that a use is of, as the judges know it.
  harness::BirthId memory_of(const Use& use) const;
  void compare(harness::Label what, const Memo& found, harness::BirthId allocation,
               std::uint64_t offset);
  Status fill(std::uint32_t rank, const Step& step);
  Allowance allowance(std::uint32_t rank) const;

  void start_slow_thread(std::uint32_t rank);
  void take_step(std::uint32_t rank, const Step& step);
  Status perform(std::uint32_t rank, const Step& step);
  Status stay_behind(std::uint32_t rank, std::uint32_t turns);
  Status sleep(std::uint32_t turns);
  Status begin(std::uint32_t rank, const Step& step);
  Status post_again(std::uint32_t rank, const Step& step);
  Status init(std::uint32_t rank, const Step& step, const targets::alltoallv::Arguments& arguments,
              const Situation& situation);
  void finish(std::uint32_t rank, std::uint32_t slot);
  void finalize(std::uint32_t rank, std::uint32_t slot);
  void finalize_kept(std::uint32_t rank);
  void drop(std::uint32_t rank, std::uint32_t buffer);
  void finish_all(std::uint32_t rank);
  void leave(std::uint32_t rank);
  void collect_all(std::uint32_t rank);
  void poll(std::uint32_t rank);
  void create_team(std::uint32_t rank, targets::alltoallv::Topology topology);
  void destroy_team(std::uint32_t rank);
  void renew_team(std::uint32_t rank, const Step& step);
  const Step& step_at(std::uint32_t slot) const;

  harness::Scene& scene_;
  std::uint32_t rank_count_;
  bool calm_;  ///< No call is told to fail. Plain: some may be.
  const Theme& theme_;
  Plan plan_;
  Shape shape_;
  targets::alltoallv::Alltoallv* path_ = nullptr;
  std::array<Fills, kSlotCountLimit> fills_{};  ///< By slot: which source each rank gave.
  std::array<std::array<std::uint32_t, targets::alltoallv::kBufferCount>, kRankLimit> filled_{};
  std::array<std::uint32_t, kRankLimit> outstanding_{};  ///< By rank, a bit per slot.
  std::array<std::uint32_t, kRankLimit> kept_{};         ///< Persistent ones.
  bool bounded_;                                         ///< The variant says that it is.
  Slots slots_;
  Ghost ghost_;
  Mappings mappings_;
  Memory memory_;
  Leftovers leftovers_;
  FirstTold first_told_;
  std::array<targets::alltoallv::Topology, kRankLimit> topology_{};
  std::uint32_t reading_count_ = 0;
  /// How many decisions there were when a rank posted a request: for this post and the one before.
  std::array<std::array<std::array<std::uint32_t, 2>, kSlotCountLimit>, kRankLimit> posted_at_;
  /// How many events, for this post.
  std::array<std::array<std::uint32_t, kSlotCountLimit>, kRankLimit> posted_event_;
  std::array<harness::BirthId, kRankLimit> scratch_{};  ///< Of the team, by rank.
  harness::Latch dropped_;
  harness::Latch collected_;
  harness::Latch closed_;
};

template <class Call>
Job::Status Job::insist(harness::Label name, Situation situation, Call call) {
  harness::Picker& picker = scene_.world().picker;
  for (;;) {
    const std::size_t since = picker.tape().size();
    const Status status = call();
    if (status == Status::ok) [[likely]]
      return status;
    situation.injected = was_injected(scene_.world(), picker.current().name, since);
    const bool documented = note_answer(name, status, situation);
    if (status != Status::driver_error || !documented) return status;
  }
}

}  // namespace scenarios::alltoallv
