// SPDX-License-Identifier: Apache-2.0
// Legal acts that look like a writer to those that key by address (class d of the report), and the
// workaround that makes the question go away.
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// Between two probes an instance dies and another is born where it was.
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
/// materialises.
class LegalMaterialise final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    if (fires() == 0) return;
    core_.code_observer().asked_for_dict();
    core_.attributes.materialise(object);
  }
};

/// shouldSkipCompilation: nothing of it is ever compiled.
class SkipCompilation final : public Writer {
 public:
  using Writer::Writer;
  bool may_compile() const override { return false; }
};

}  // namespace targets::managed_dict
