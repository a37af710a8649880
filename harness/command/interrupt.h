// SPDX-License-Identifier: Apache-2.0
// Interrupt: Ctrl-C, TERM or a closed terminal requests the end of a search; a second one ends the
// program at once. A command without partial results is ended by the first.
#pragma once

#include <atomic>

namespace harness::entries {

/// From now on, SIGINT, SIGTERM and SIGHUP end the program with kStopped and one line on stderr.
void end_on_interrupts();

/// Handles SIGINT, SIGTERM and SIGHUP from now on. The first one sets the flag. An ignored SIGHUP
/// stays ignored, for nohup.
const std::atomic<bool>& take_interrupts();

}  // namespace harness::entries
