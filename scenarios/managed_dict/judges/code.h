// SPDX-License-Identifier: Apache-2.0
// Code judge: receives events of the program's code, and calls the heap's judge where it matters;
// compares kernel results with the stored attributes.
#pragma once

#include <optional>

#include "scenarios/managed_dict/judges/heap.h"
#include "scenarios/managed_dict/kernel_reference.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the judge. Borrows the context, the shadow and the heap's judge.
class CodeJudge final : public targets::managed_dict::CodeObserver {
 public:
  using Address = targets::managed_dict::Address;
  using Attribute = targets::managed_dict::Attribute;
  using Class = targets::managed_dict::Class;
  using MemoryObserver = targets::managed_dict::MemoryObserver;

  CodeJudge(const JudgeContext& context, Shadow& shadow, HeapJudge& heap)
      : context_(context), shadow_(shadow), heap_(heap) {}

  /// Sets the observer of each attribute store, which names objects by birth id; may be null.
  void set_observer(MemoryObserver* observer) { observer_ = observer; }
  /// Returns whether code other than statements requested instances' dicts.
  bool others_asked_for_dicts() const { return asked_; }

  // ---- facts ----
  void storing(Address object, bool compiled) override;
  void compiled_store() override;
  void compiled_load() override;
  void believing(Address object) override { heap_.judge_word(object); }
  void values_decoded() override;
  void odd_counted(Address word) override { heap_.judge_counted(word); }
  void attribute_read(Address object, Attribute attribute, Address value) override {
    heap_.judge_reading(object, attribute, value);
  }
  void class_attribute_read(Class of, Address value) override {
    heap_.judge_class_reading(of, value);
  }
  void order_appended() override;
  void read_under_release(Address found, Address dying) override;
  void type_modified() override;
  void instance_made(std::uint32_t recycled) override;
  void asked_for_dict() override { asked_ = true; }
  void launching(Address object, Class of) override;
  void launched(std::span<const std::int32_t> out) override;
  void dropped_all() override {
    heap_.judge_all();
    heap_.judge_left();
  }

 private:
  using Expected = std::optional<KernelArguments>;

  /// Returns the expected arguments of the current task's kernel.
  Expected& expected();
  Expected stored_arguments(Address object, Class of) const;

  const JudgeContext& context_;
  Shadow& shadow_;
  HeapJudge& heap_;
  MemoryObserver* observer_ = nullptr;
  bool asked_ = false;
  std::pmr::vector<Expected> launches_;  ///< By task: arguments of its kernel.
};

}  // namespace scenarios::managed_dict
