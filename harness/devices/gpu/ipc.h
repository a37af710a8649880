// SPDX-License-Identifier: Apache-2.0
// Inter-process communication between processes that are tasks of one OS process. The driver
// refuses to open its own exports there.
//
// Departures from a bare driver: an import has the same address as the exported memory. A mapping
// of memory that was freed becomes, and shows, a mapping of new memory as soon as the exporter has
// allocated the same bytes again and the driver returns the same handle for them. An opened event
// is a name for the exported one, which is an ordinary event to the driver: other contexts of the
// process cannot wait for a shareable event (driver 580.159 crashes with a null pointer).
// Lifetimes, counts and errors are those of the simulated driver. If a process opens memory that it
// has itself exported, the call goes to the driver, which refuses it.
#pragma once

#include <cuda.h>

#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/core/ledger/ledger.h"
#include "harness/driver/cuda/open.h"

namespace harness::devices {

/// Ownership: owns the records of one run. Borrows the device's handles.
class Imports {
 public:
  void begin();

  // ---- memory ----

  /// The memory that a handle refers to.
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

  /// Notes that the driver returned this handle. If it had returned it for memory that is freed
  /// now, mappings of that memory become mappings of the new one.
  void remember(const CUipcMemHandle& handle, const Exported& exported);
  /// Returns the memory, or null for a handle that no process of the run has made.
  const Exported* find(const CUipcMemHandle& handle) const;
  void add(const Mapping& mapping) { mappings_.push_back(mapping); }
  /// Returns the last mapping of the process that contains `address`; null if there is none.
  Mapping* find(ProcessId importer, std::uint64_t address);
  /// Returns whether a process has the memory open.
  bool any_open(BirthId exported) const;

  // ---- events ----

  struct ExportedEvent {
    CUevent event;
    ProcessId exporter;
  };

  /// Notes that a shareable event was created, or destroyed.
  void may_share(CUevent event) { shareable_.insert(event); }
  void destroyed(CUevent event) { shareable_.erase(event); }
  bool is_shareable(CUevent event) const { return shareable_.contains(event); }
  /// Returns the handle with which other processes open the event.
  CUipcEventHandle remember(const ExportedEvent& exported);
  const ExportedEvent* find(const CUipcEventHandle& handle) const;
  /// Returns a new name for `exported`.
  CUevent open(CUevent exported);
  /// Returns the event for which `event` is a name; null if it is not one of our names.
  CUevent exported(CUevent event) const;

  /// Returns the injected errors of opens.
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
