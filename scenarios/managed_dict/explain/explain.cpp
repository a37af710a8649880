// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/explain/explain.h"

#include <fmt/format.h>

#include "harness/run/scenario/followed.h"

namespace scenarios::managed_dict {

using harness::instruments::HardwareWatch;
using harness::instruments::WatchRota;

namespace {

/// Adds the interpreter's memory events to the trail of a run. Ownership: borrows the world of the
/// run.
class FollowedMemory final : public targets::managed_dict::MemoryObserver {
 public:
  explicit FollowedMemory(harness::World& world) : world_(world) {}

  void stored(const targets::managed_dict::Store& store) override {
    harness::follow_step(world_, harness::Trail::Kind::write, kStores[harness::raw(store.kind)],
                         {static_cast<std::uint64_t>(store.offset), store.width, store.after});
  }
  void released(const targets::managed_dict::Release& release) override {
    harness::follow_step(world_, harness::Trail::Kind::event, "free", {release.address});
  }
  void cache_hit(const targets::managed_dict::CacheHit& hit) override {
    harness::follow_step(world_, harness::Trail::Kind::event, "cache hit", {hit.address});
  }

 private:
  static constexpr std::array<harness::Label, targets::managed_dict::kBlockKindCount> kStores{
      "instance", "values", "dict", "int", "table", "noise", "type", "no one's"};

  harness::World& world_;
};

}  // namespace

ManagedInstruments::ManagedInstruments(bool hardware) {
  hardware_.why_not = hardware ? HardwareWatch::why_not() : "not asked for";
}

/// Returns the number of repetitions; 0 if the first run already watched every instance.
std::size_t ManagedInstruments::turns() const {
  const std::size_t count = record_->instance_count();
  return count <= HardwareWatch::kRegisterCount ? 0 : WatchRota::turns_for(count);
}

targets::managed_dict::MemoryObserver& ManagedInstruments::begin_run() {
  const bool first = run_count_++ == 0;
  std::unique_ptr<Recorder>& recorder = first ? record_ : repeated_;
  WatchRota rota;
  if (!first) rota = {run_count_ - 2, turns()};
  if (run_count_ == 2) hardware_.watched = hardware_.writes = hardware_.unaccounted = 0;
  recorder = std::make_unique<Recorder>();
  transcript_.clear();
  watch_ = nullptr;  // First, because two watches would share the registers.
  if (hardware_.why_not.empty()) {
    watch_ = std::make_unique<WordWatch>(rota, hardware_);
    recorder->use(*watch_);
  }
  return *recorder;
}

bool ManagedInstruments::wants_another_run() const {
  return hardware_.why_not.empty() && run_count_ < 1 + turns();
}

harness::Diagnosis ManagedInstruments::diagnose(harness::InstrumentSet without) const {
  Evidence all = record_->evidence();
  all.hardware = hardware_;
  all.hardware.instances = record_->instance_count();
  return managed_dict::diagnose(all, without);
}

std::vector<std::string> ManagedInstruments::record() const { return record_->evidence().lines(); }

std::vector<std::string> ManagedInstruments::program() const {
  std::vector<std::string> lines;
  for (const StrayCount& stray : record_->strays())
    lines.push_back(fmt::format("stray_load {} {}", stray.load, stray.kind.view()));
  lines.insert(lines.end(), transcript_.begin(), transcript_.end());
  return lines;
}

std::vector<std::string>& transcript_of(harness::Scene& scene) {
  return static_cast<ManagedInstruments&>(*scene.instruments()).transcript();
}

targets::managed_dict::MemoryObserver* observer_of(harness::Scene& scene) {
  if (harness::is_followed()) return scene.world().arena.make<FollowedMemory>(scene.world());
  if (scene.instruments() == nullptr) return nullptr;
  return &static_cast<ManagedInstruments&>(*scene.instruments()).begin_run();
}

std::unique_ptr<harness::Instruments> make_instruments() {
  return std::make_unique<ManagedInstruments>();
}

}  // namespace scenarios::managed_dict
