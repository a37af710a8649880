// SPDX-License-Identifier: Apache-2.0
// Explain: implements the harness's interface of instruments for this path.
#pragma once

#include <memory>

#include "scenarios/managed_dict/explain/recorder.h"

namespace scenarios::managed_dict {

/// The first run is the record. If it had more instances than the processor has debug registers, it
/// is repeated until each of them was watched.
class ManagedInstruments final : public harness::Instruments {
 public:
  /// `hardware`: sets watchpoints if the machine has them.
  explicit ManagedInstruments(bool hardware = true);

  /// Begins the record of one run. Returns the observer for the driver.
  targets::managed_dict::MemoryObserver& begin_run();

  bool wants_another_run() const override;
  harness::Diagnosis diagnose(harness::InstrumentSet without) const override;
  std::vector<std::string> record() const override;

  const Evidence& evidence() const { return record_->evidence(); }
  const HardwareSeen& hardware() const { return hardware_; }

  /// Returns the script for tests/embedded/: first the stray counts with their places, then the
  /// statements of the last run.
  std::vector<std::string>& transcript() { return transcript_; }
  std::vector<std::string> program() const;

 private:
  std::size_t turns() const;

  HardwareSeen hardware_;
  std::size_t run_count_ = 0;
  std::vector<std::string> transcript_;
  std::unique_ptr<WordWatch> watch_;    ///< Watch of the last run.
  std::unique_ptr<Recorder> record_;    ///< Record of the first run.
  std::unique_ptr<Recorder> repeated_;  ///< Record of the last repetition, if any.
};

std::unique_ptr<harness::Instruments> make_instruments();

/// Returns the lines to which a recorded run's statements are written.
std::vector<std::string>& transcript_of(harness::Scene& scene);

/// Returns the observer of this run: the scene's instruments, or null.
targets::managed_dict::MemoryObserver* observer_of(harness::Scene& scene);

}  // namespace scenarios::managed_dict
