// SPDX-License-Identifier: Apache-2.0
#include "harness/core/history/trail.h"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <span>

namespace harness {

Label lasting_label(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  const std::lock_guard lock(mutex);
  return Label::of(texts.insert(text).first->c_str());
}

namespace {

/// The calls on the stack, innermost first.
struct Stack {
  static constexpr std::size_t kLimit = 64;
  std::array<std::uintptr_t, kLimit> calls{};
  std::size_t count = 0;

  static _Unwind_Reason_Code take(_Unwind_Context* context, void* data) {
    Stack& stack = *static_cast<Stack*>(data);
    if (stack.count == kLimit) return _URC_END_OF_STACK;
    stack.calls[stack.count++] = _Unwind_GetIP(context) - 1;
    return _URC_NO_REASON;
  }
};

}  // namespace

void Trail::add(Step step) {
  if (watched_ != kNever && steps_.size() <= watched_) note_code(step.kind);
  steps_.push_back(std::move(step));
}

// An act makes its choices before it is done, so choices right before a step belong to it.
void Trail::note_code(Kind kind) {
  Stack stack;
  _Unwind_Backtrace(Stack::take, &stack);
  const std::span calls(stack.calls.data(), stack.count);
  if (steps_.size() < watched_) {
    asked_.insert(asked_.end(), calls.begin(), calls.end());
    if (kind == Kind::question) return;
    for (const std::uintptr_t call : asked_) ++ran_[call];
    return asked_.clear();
  }
  for (const std::uintptr_t call : calls) code_.push_back({call, ran_[call]});
}

void Trail::add_handle(std::uint8_t argument, const void* handle) {
  auto known = std::find(handles_.begin(), handles_.end(), handle);
  if (known == handles_.end()) known = handles_.insert(handles_.end(), handle);
  add(argument, static_cast<std::uint64_t>(known - handles_.begin()));
}

}  // namespace harness
