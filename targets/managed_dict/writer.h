// SPDX-License-Identifier: Apache-2.0
// Writer: other code that writes. The base class is stock CPython, with none.
//
// A variant is one writer. Each hook is a place where a compiler, a collector or an extension could
// err. Whether it does, and at which time, is a choice; the default is never.
#pragma once

#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

struct Core;

class Writer {
 public:
  explicit Writer(Core& core) : core_(core) {}
  virtual ~Writer() = default;

  /// Compiled code is about to store to an attribute of `object`, or to load one.
  virtual void before_store(Address /*object*/) {}
  /// Returns whether the guard behind that fails: the code is left for the interpreter.
  virtual bool before_load(Address /*object*/) { return false; }
  /// An attribute was added to the insertion order, `count` before it.
  virtual void after_append(Address /*values*/, std::uint32_t /*count*/) {}
  /// The collector has looked at `object`, and clears its flags.
  virtual void on_collect(Address /*object*/) {}
  /// The instance has given up all that it had, and is about to be freed.
  virtual void before_death(Address /*object*/) {}
  /// Compiled code replaces a value: whether it gives up the old one before it stores the new one.
  virtual bool releases_first() { return false; }
  /// A type was modified: whether a cache that watches it misses the news.
  virtual bool forgets_invalidation() { return false; }
  virtual bool may_compile() const { return true; }

 protected:
  /// Returns one of `kinds` errors to make here, from 1, or 0 for none. `site` says how often that
  /// is chosen: rare code errs more often.
  std::uint32_t fires(std::uint32_t kinds = 1, harness::Site site = harness::Site::failure);
  Memory& memory();
  /// The word at object-0x18, if it means values.
  bool has_tagged_word(Address object);

  Core& core_;
};

}  // namespace targets::managed_dict
