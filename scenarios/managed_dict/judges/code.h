// SPDX-License-Identifier: Apache-2.0
// Code judge: judges what the program's code reads and counts (T1, T4, T7), and compares kernel
// results with the stored attributes.
//
// T4: a read returns the last stored value. T7: compiled code counts only objects.
#pragma once

#include "scenarios/managed_dict/judges/heap.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the judge. Borrows the context and the heap's judge.
class CodeJudge final : public targets::managed_dict::CodeObserver {
 public:
  using MemoryObserver = targets::managed_dict::MemoryObserver;

  CodeJudge(const JudgeContext& context, HeapJudge& heap) : context_(context), heap_(heap) {}

  /// Sets the observer of each attribute store, which names objects by birth id; may be null.
  void set_observer(MemoryObserver* observer) { observer_ = observer; }

  // ---- attributes ----
  void storing(Address object, bool compiled) override;
  void compiled_store() override;
  void compiled_load() override { context_.reached.reach(Window::word_counted); }
  void believing(Address object) override { heap_.judge_word(object); }
  void values_decoded() override { context_.reached.reach(Window::value_counted); }
  void odd_counted(Address word) override;
  void attribute_read(Address object, Attribute attribute, Address value) override;
  void class_attribute_read(Class of, Address value) override;
  void order_appended() override { context_.reached.reach(Window::order_appended); }
  void read_under_release(Address found, Address dying) override;
  void type_modified() override;

  // ---- statements ----
  void instance_made(std::uint32_t recycled) override {
    if (recycled != 0) context_.reached.reach(Window::instance_recycled);
  }
  void asked_for_dict() override { context_.state.others_asked_for_dicts = true; }
  void launching(Address object, Class of) override;
  void launched(std::span<const std::int32_t> out) override;
  void dropped_all() override {
    heap_.judge_all();
    heap_.judge_left();
  }

 private:
  /// Returns the expected arguments of the current task's kernel.
  std::optional<KernelArguments>& arguments();
  bool leads_to_values(Address word) const;

  const JudgeContext& context_;
  HeapJudge& heap_;
  MemoryObserver* observer_ = nullptr;
};

}  // namespace scenarios::managed_dict
