// SPDX-License-Identifier: Apache-2.0
// Legal actions that look like a writer to an instrument that keys by address (class d of the
// report), and the workaround that hides the bug.
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// Between two probes an instance dies and another is made in its storage.
class LegalRecycle final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() == 0) return;
    Type& type = core_.attributes.type_of(object);
    for (int life = 0; life < 2; ++life)
      if (const Address other = core_.attributes.make(type)) core_.objects.decref(other);
  }
};

/// Between two probes a method cache checks its keys through _PyObject_GetDictPtr, which
/// materialises the dict.
class LegalMaterialise final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() == 0) return;
    core_.code_observer().asked_for_dict();
    core_.attributes.materialise(object);
  }
};

/// shouldSkipCompilation: nothing is ever compiled.
class SkipCompilation final : public Writer {
 public:
  using Writer::Writer;
  bool may_compile() const override { return false; }
};

}  // namespace targets::managed_dict
