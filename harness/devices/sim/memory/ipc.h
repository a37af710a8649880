// SPDX-License-Identifier: Apache-2.0
// Inter-process communication: memory and events that a process exports, and mappings of other
// processes.
//
// An imported allocation is a separate block (Origin::imported), with a lifetime from its first
// open to its last close, at addresses that only its process has: the importer's view of all device
// memory. The bytes are the exporter's, by any address.
//
// A handle identifies a lifetime, so it is never reused after free and malloc at the same address.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>

#include "harness/base/base.h"
#include "harness/devices/sim/peers/peers.h"

namespace harness::devices {

class SimDevice;
struct Event;

/// Returns the event whose records `event` shares: itself, or the one that it was opened from.
/// Records a fault and returns null if that has ended.
Event* recorded_event(SimDevice& sim, Event* event);

/// The content of both kinds of handles. Opaque to programs, which may compare handles byte by
/// byte. All words depend on the content, so that a mixture of two handles is invalid.
struct IpcName {
  std::uint64_t kind = 0;
  std::uint64_t run = 0;      ///< The number of the run, if it has several processes; 0 in a run of
                              ///< tasks.
  std::uint32_t process = 0;  ///< The number of the process, under the same condition.
  std::uint32_t birth = 0;
  std::uint32_t place = 0;  ///< Index of the block, or number of the event.
                            ///< 0 if `process` created it.
};

/// The words of a handle: the content, combined differently in each word after the first.
using IpcWords = std::array<std::uint64_t, CU_IPC_HANDLE_SIZE / 8>;

IpcWords words_of(const IpcName& name);
/// Returns the content of a handle of a kind. Birth 0 means that it is invalid.
IpcName name_in(const IpcWords& words, std::uint64_t kind);
/// Returns the content of a handle that other processes of the run may open.
IpcName name_for_peers(std::uint64_t kind, PeerObject object);
/// Returns whether a handle comes from another run, whose objects do not exist any more.
bool is_of_another_run(const IpcName& name);

/// Returns a new file that contains a name, to be passed to other processes; -1 on failure.
int name_file(const IpcName& name);
/// Returns the name in such a file.
IpcName name_in_file(int file, std::uint64_t kind);

}  // namespace harness::devices
