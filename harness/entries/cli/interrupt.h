// Interrupt: Ctrl-C asks a search to come to an end; a second one ends the program at once.
#pragma once

#include <atomic>

namespace harness::entries {

/// Takes SIGINT and SIGTERM from now on. The flag is set by either, once.
const std::atomic<bool>& take_interrupts();

}  // namespace harness::entries
