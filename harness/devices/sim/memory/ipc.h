// SPDX-License-Identifier: Apache-2.0
// Inter-process communication: what a process exports of its memory and events, and what others
// map.
//
// An imported allocation is a separate block (Origin::imported), with a life from its first open to
// its last close, at addresses that only its process has: the importer's view of all device memory.
// The bytes are those of the exporter, whatever address they are reached by.
//
// A handle names a life, so it is never the same again after free and malloc at the same address.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>

#include "harness/base.h"
#include "harness/devices/sim/peers/peers.h"

namespace harness::devices {

class SimDevice;
struct Event;

/// The event whose records `event` shares: itself, or the one that it was opened from. Null, after
/// a fault, when that one has ended.
Event* recorded_event(SimDevice& sim, Event* event);

/// Both kinds of handle hold this. Opaque to programs, which may compare handles byte by byte. All
/// of its words depend on what it names: half of one handle and half of another is not a handle.
struct IpcName {
  std::uint64_t kind = 0;
  std::uint64_t run = 0;      ///< The run's, if it has several processes; 0 in a run of tasks.
  std::uint32_t process = 0;  ///< The same.
  std::uint32_t birth = 0;
  std::uint32_t place = 0;  ///< The place to look: index of a block, or number of an event.
                            ///< 0 where `process` says whose birth it is.
};

/// The words of a handle: what it names, mixed differently into each after the first.
using IpcWords = std::array<std::uint64_t, CU_IPC_HANDLE_SIZE / 8>;

IpcWords words_of(const IpcName& name);
/// Returns the name in a handle of a kind; nothing alive has birth 0, which stands for none.
IpcName name_in(const IpcWords& words, std::uint64_t kind);
/// Returns the name of an object in a handle that other processes of the run may open.
IpcName name_for_peers(std::uint64_t kind, PeerObject object);
/// Returns whether a handle comes from another run, whose objects are no more.
bool is_of_another_run(const IpcName& name);

/// Returns a new file that holds a name, for other processes to be given; -1 for none.
int name_file(const IpcName& name);
/// Returns the name in such a file.
IpcName name_in_file(int file, std::uint64_t kind);

}  // namespace harness::devices
