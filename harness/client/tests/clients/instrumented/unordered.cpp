// SPDX-License-Identifier: Apache-2.0
// Instrumented programs, each with a mistake of its threads that no call of the driver shows.
//
// Usage: client_unordered MISTAKE.
#include <atomic>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/client/tests/clients/racing.h"

namespace {

using namespace racing;  // NOLINT(google-build-using-namespace): the program is one.

/// A flag that is no atomic publishes data.
void publication() {
  int data = 0;
  bool is_ready = false;
  std::thread producer([&] {
    data = 42;
    is_ready = true;  // The write.
  });
  if (is_ready) expect(data == 42, "unpublished");  // The read.
  producer.join();
}

void counter() {
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 3; ++n) ++count;  // Both.
    });
  for (std::thread& thread : threads) thread.join();
}

/// The pointer is published before what it points to.
struct Made {
  int value = 7;  // Made here.
};

void checked_twice() {
  std::atomic<Made*> made{nullptr};
  std::atomic<bool> is_taken{false};
  const auto get = [&] {
    Made* found = made.load(std::memory_order_relaxed);
    if (found == nullptr && !is_taken.exchange(true, std::memory_order_relaxed)) {
      found = new Made;
      made.store(found, std::memory_order_relaxed);
    }
    return found != nullptr ? found->value : 7;  // The use.
  };
  std::thread other([&] { expect(get() == 7, "half made"); });
  expect(get() == 7, "half made");
  other.join();
  delete made.load();
}

/// A lock-free stack that compares the head only: it may be another one at the same address.
struct Node {
  std::atomic<Node*> next{nullptr};
};

class Stack {
 public:
  void push(Node& node) {
    Node* head = head_.load();
    do node.next.store(head);
    while (!head_.compare_exchange_weak(head, &node));
  }
  Node* pop() {
    Node* head = head_.load();
    while (head != nullptr && !head_.compare_exchange_strong(head, head->next.load())) {
    }
    return head;
  }

 private:
  std::atomic<Node*> head_{nullptr};
};

void aba() {
  Node nodes[3];
  Stack stack;
  for (Node& node : nodes) stack.push(node);
  std::thread other([&] { stack.pop(); });
  Node* const first = stack.pop();
  Node* const second = stack.pop();
  if (first != nullptr) stack.push(*first);
  other.join();
  while (Node* const left = stack.pop()) expect(left != second, "a node has two owners");
}

/// Two threads take turns at a counter that reads and writes atomically, but not at once.
void lost_update() {
  std::atomic<int> count{0};
  const auto add = [&] { count.store(count.load() + 1); };
  std::thread other(add);
  add();
  other.join();
  expect(count.load() == 2, "an update is lost");
}

struct Part {
  std::string_view name;
  void (*run)();
};

constexpr Part kParts[] = {{"publication", publication},
                           {"counter", counter},
                           {"checked_twice", checked_twice},
                           {"aba", aba},
                           {"lost_update", lost_update}};

}  // namespace

int main(int count, char** arguments) { return racing::run(kParts, count, arguments); }
