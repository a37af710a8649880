// SPDX-License-Identifier: Apache-2.0
// Inter-process communication between processes that are tasks of one OS process, where the driver
// refuses to open what it exported itself.
//
// A departure from a bare driver: an import has the address of what it maps; what was mapped of
// memory that is freed is, once the exporter has the same bytes again and the driver gives them the
// same handle, a mapping of the new memory, which it shows. An opened event is
// a name for the exported one, which to the driver is an ordinary event: one that may be shared is
// none that another context of the process could wait for (580.159 ends with a null pointer then).
// Lives, counts and errors are those of the simulated driver. Memory that a process opens although
// it exported it itself goes to the driver, to be refused.
#pragma once

#include <cuda.h>

#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/cuda/open.h"
#include "harness/ledger.h"

namespace harness::devices {

/// Ownership: owns what it knows of one run. Borrows the device's handles.
class Imports {
 public:
  void begin();

  // ---- memory ----

  /// The memory that a handle names.
  struct Exported {
    std::uint64_t address;
    BirthId birth;
  };
  struct Mapping {
    std::uint64_t address;
    std::uint64_t bytes;
    ProcessId importer;
    BirthId exported;
    BirthId birth;
    std::uint32_t open_count;
  };

  /// The driver gave out this handle. If it had given it out for memory that is gone, mappings of
  /// that one are mappings of the new one.
  void remember(const CUipcMemHandle& handle, const Exported& exported);
  /// Returns the memory, or null for a handle that no process of the run made.
  const Exported* find(const CUipcMemHandle& handle) const;
  void add(const Mapping& mapping) { mappings_.push_back(mapping); }
  /// The last mapping of the process that holds `address`; null for none.
  Mapping* find(ProcessId importer, std::uint64_t address);
  /// Returns whether a process has it open.
  bool any_open(BirthId exported) const;

  // ---- events ----

  struct ExportedEvent {
    CUevent event;
    ProcessId exporter;
  };

  /// An event was created to be shared; or is destroyed.
  void may_share(CUevent event) { shareable_.insert(event); }
  void destroyed(CUevent event) { shareable_.erase(event); }
  bool is_shareable(CUevent event) const { return shareable_.contains(event); }
  /// Returns the handle by which others open the event.
  CUipcEventHandle remember(const ExportedEvent& exported);
  const ExportedEvent* find(const CUipcEventHandle& handle) const;
  /// A new name for `exported`.
  CUevent open(CUevent exported);
  /// The event that `event` is a name for; null when it is none of ours.
  CUevent exported(CUevent event) const;

  /// Returns the answers that opens are told to give.
  OpenFailures& failures() { return failures_; }

 private:
  using Key = std::array<char, CU_IPC_HANDLE_SIZE>;
  template <class Handle>
  static Key key(const Handle& handle);

  std::map<Key, Exported> exported_memory_;
  std::map<Key, ExportedEvent> exported_events_;
  std::vector<Mapping> mappings_;
  std::unordered_set<CUevent> shareable_;
  std::unordered_map<CUevent, CUevent> opened_;
  OpenFailures failures_;
};

}  // namespace harness::devices
