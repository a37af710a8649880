// SPDX-License-Identifier: Apache-2.0
// Access trap: reports the program's accesses to protected pages, one by one.
//
// Source: sigaction(2) (si_addr of SIGSEGV), mprotect(2); the trap flag of x86-64 (Intel's manual,
// volume 3, "Single-step exceptions"). The program's own handler for these signals gets all signals
// that are not ours. A system call with an address in such a page fails with EFAULT, and is not
// reported.
#pragma once

#include <cstdint>

namespace harness::entries {

class AccessTrap {
 public:
  /// Called on the accessing thread, between two of its instructions.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The instruction at `code` is about to access `address` in a protected page. Returns whether
    /// the page is watched; the access must be permitted then.
    virtual bool met(std::uintptr_t address, bool writes, std::uintptr_t code) = 0;
    /// The instruction was executed, with all its accesses.
    virtual void over() = 0;
  };

  /// Returns whether over() is called on this architecture. If not, a page stays open until it is
  /// protected again.
  static bool sees_end();
  /// Installs our handlers, in front of those that the program has installed by now. The listener
  /// must live as long as the process. Cheap if our handlers are still installed.
  static void listen(Listener& listener);
};

}  // namespace harness::entries
