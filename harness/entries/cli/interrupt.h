// Interrupt: Ctrl-C, TERM or a closed terminal asks a search to come to an end; a second one ends
// the program at once. A command that has nothing to show until it is done is ended by the first.
#pragma once

#include <atomic>

namespace harness::entries {

/// SIGINT, SIGTERM and SIGHUP end the program with kStopped and one line on stderr, from now on.
void end_on_interrupts();

/// Takes SIGINT, SIGTERM and SIGHUP from now on. The flag is set by any, once. A SIGHUP that is
/// ignored stays so: nohup wants it.
const std::atomic<bool>& take_interrupts();

}  // namespace harness::entries
