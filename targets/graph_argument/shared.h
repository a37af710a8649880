// SPDX-License-Identifier: Apache-2.0
// Shared: a counted pointer, like cuda.core's handles. The last holder to release it destroys the
// value, on whatever thread it runs.
//
// Ownership: the value is in the run's arena, and its storage is not reused. Pointers of abandoned
// tasks are dropped with the run. Threads: any; counting has no preemption point, like an atomic on
// which no task waits.
#pragma once

#include <utility>

#include "targets/graph_argument/counts.h"

namespace targets::graph_argument {

template <class T>
class Shared {
 public:
  Shared() = default;
  template <class... Args>
  static Shared make(harness::Arena& arena, Args&&... args) {
    return Shared(arena.make<Node>(std::forward<Args>(args)...));
  }
  Shared(const Shared& other) : node_(other.node_) {
    if (node_ != nullptr) node_->count.take();
  }
  Shared(Shared&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Shared() { reset(); }

  void reset() {
    Node* node = std::exchange(node_, nullptr);
    if (node == nullptr) return;
    if (node->count.let_go()) node->value.~T();
  }

  T* operator->() const { return &node_->value; }
  T& operator*() const { return node_->value; }
  T* get() const { return node_ != nullptr ? &node_->value : nullptr; }
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Shared&) const = default;

 private:
  struct Node {
    template <class... Args>
    explicit Node(Args&&... args) : value(std::forward<Args>(args)...) {}
    ~Node() {}  // The last holder destroys the value.
    HolderCount count;
    union {
      T value;
    };
  };
  explicit Shared(Node* node) : node_(node) {}

  Node* node_ = nullptr;
};

}  // namespace targets::graph_argument
