#include "scenarios/managed_dict/explain.h"

#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {

targets::managed_dict::Observer& ManagedInstruments::begin_run(
    targets::managed_dict::Version version) {
  recorder_ = std::make_unique<Recorder>(version);
  return *recorder_;
}

harness::Diagnosis ManagedInstruments::diagnose(harness::InstrumentSet without) const {
  return managed_dict::diagnose(recorder_->evidence(), without);
}

std::vector<std::string> ManagedInstruments::record() const { return recorder_->evidence().lines(); }

targets::managed_dict::Observer* observer_of(harness::Scene& scene) {
  if (scene.instruments == nullptr) return nullptr;
  auto& instruments = static_cast<ManagedInstruments&>(*scene.instruments);
  return &instruments.begin_run(
      static_cast<targets::managed_dict::Version>(scene.config().values[kLayoutAxis]));
}

std::unique_ptr<harness::Instruments> make_instruments() {
  return std::make_unique<ManagedInstruments>();
}

}  // namespace scenarios::managed_dict
