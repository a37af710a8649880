// SPDX-License-Identifier: Apache-2.0
// Writer: other code that writes. The base class is stock CPython, which has none.
//
// A variant is one writer. Each hook is a place where a compiler, a collector or an extension could
// have a bug. Whether and when it takes effect is a choice; the default is never.
#pragma once

#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

struct Core;

class Writer {
 public:
  explicit Writer(Core& core) : core_(core) {}
  virtual ~Writer() = default;

  /// Called before compiled code stores to an attribute of `object`.
  virtual void before_store(Address /*object*/) {}
  /// Called before a compiled load. Returns whether the guard behind it fails and the code is left.
  virtual bool before_load(Address /*object*/) { return false; }
  /// Called after an attribute was added to the insertion order, which had `count` before.
  virtual void after_append(Address /*values*/, std::uint32_t /*count*/) {}
  /// Called when the collector has visited `object` and clears its flags.
  virtual void on_collect(Address /*object*/) {}
  /// Called when the instance has released everything and is about to be freed.
  virtual void before_death(Address /*object*/) {}
  /// Returns whether compiled code drops the old value of an attribute before it stores the new.
  virtual bool releases_first() { return false; }
  /// Returns whether a cache misses the notification that its type was modified.
  virtual bool forgets_invalidation() { return false; }
  virtual bool may_compile() const { return true; }

 protected:
  /// Chooses one of `kinds` bugs, from 1, or 0 for none. `site` sets how likely a bug is: less
  /// frequent code has a higher chance.
  std::uint32_t fires(std::uint32_t kinds = 1, harness::Site site = harness::Site::failure);
  Memory& memory();
  /// Returns whether the word at object-0x18 is tagged as values.
  bool has_tagged_word(Address object);

  Core& core_;
};

}  // namespace targets::managed_dict
