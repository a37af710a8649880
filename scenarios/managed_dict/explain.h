// SPDX-License-Identifier: Apache-2.0
// Explain: the instruments of this path, by the interface of the harness.
#pragma once

#include <memory>

#include "scenarios/managed_dict/recorder.h"

namespace scenarios::managed_dict {

/// The first run is the record. If it had more instances than the processor has registers, it is
/// repeated until each of them was watched.
class ManagedInstruments final : public harness::Instruments {
 public:
  /// `hardware`: whether watchpoints are set, if the machine has them.
  explicit ManagedInstruments(bool hardware = true);

  /// Begins the record of one run: the driver's observer.
  targets::managed_dict::MemoryObserver& begin_run();

  bool wants_another_run() const override;
  harness::Diagnosis diagnose(harness::InstrumentSet without) const override;
  std::vector<std::string> record() const override;

  const Evidence& evidence() const { return record_->evidence(); }
  const HardwareSeen& hardware() const { return hardware_; }

  /// Returns the script for embedded/: the statements of the last run, the counts at their places
  /// first.
  std::vector<std::string>& transcript() { return transcript_; }
  std::vector<std::string> program() const;

 private:
  std::size_t turns() const;

  HardwareSeen hardware_;
  std::size_t run_count_ = 0;
  std::vector<std::string> transcript_;
  std::unique_ptr<WordWatch> watch_;    ///< Watch of the last run.
  std::unique_ptr<Recorder> record_;    ///< Record of the first run.
  std::unique_ptr<Recorder> repeated_;  ///< Record of the last run, if it was repeated.
};

std::unique_ptr<harness::Instruments> make_instruments();

/// Where the statements of a run that is recorded are written down.
std::vector<std::string>& transcript_of(harness::Scene& scene);

/// Returns the observer of this run: the instruments that the scene has, or null.
targets::managed_dict::MemoryObserver* observer_of(harness::Scene& scene);

}  // namespace scenarios::managed_dict
