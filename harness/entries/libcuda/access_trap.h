// SPDX-License-Identifier: Apache-2.0
// Access trap: reports the program's accesses to protected pages, one by one.
//
// Source: sigaction(2) (si_addr of SIGSEGV), mprotect(2); the trap flag of x86-64 (Intel's manual,
// volume 3, "Single-step exceptions"). A handler that the program has, or installs later, gets all
// that is not ours. A system call that is given such a page fails with EFAULT, and is not heard of.
#pragma once

#include <cstdint>

namespace harness::entries {

class AccessTrap {
 public:
  /// Called on the thread of the access, between two of its instructions.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The instruction at `code` is about to use `address`, whose page is protected. Returns
    /// whether that page was ours, and lets the access happen now.
    virtual bool met(std::uintptr_t address, bool writes, std::uintptr_t code) = 0;
    /// The instruction has been executed, and all its accesses on this thread are over.
    virtual void over() = 0;
  };

  /// Returns whether over() is ever called here. If it is not, a page stays open until another
  /// protects it again.
  static bool sees_end();
  /// Has the listener hear from now on, before code that else handles these signals by now. It must
  /// live as long as the process. Cheap where nothing came between.
  static void listen(Listener& listener);
};

}  // namespace harness::entries
