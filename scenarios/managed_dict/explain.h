// Explain: the instruments of this path, as the harness asks for them.
#pragma once

#include <memory>

#include "scenarios/managed_dict/recorder.h"

namespace scenarios::managed_dict {

class ManagedInstruments final : public harness::Instruments {
 public:
  /// Begins the record of one run: the driver's observer.
  targets::managed_dict::Observer& begin_run(targets::managed_dict::Version version);

  bool wants_another_run() const override { return false; }
  harness::Diagnosis diagnose(harness::InstrumentSet without) const override;
  std::vector<std::string> record() const override;

  const Evidence& evidence() const { return recorder_->evidence(); }

 private:
  std::unique_ptr<Recorder> recorder_;
};

std::unique_ptr<harness::Instruments> make_instruments();

/// Who observes this run: the instruments that the scene has, or nobody.
targets::managed_dict::Observer* observer_of(harness::Scene& scene);

}  // namespace scenarios::managed_dict
