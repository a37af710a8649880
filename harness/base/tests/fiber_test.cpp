// SPDX-License-Identifier: Apache-2.0
#include "harness/base/fiber.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "harness/base/sanitizers/sanitizers.h"

namespace harness {
namespace {

constexpr std::size_t kStackBytes = (kAsan || kTsan ? 256 : 64) * 1024;

/// A fiber that runs `steps`, and switches back after each.
struct Walker {
  Fiber* home;
  Fiber fiber;
  int steps = 0;
  int taken = 0;

  static void body(void* argument) {
    auto& self = *static_cast<Walker*>(argument);
    for (; self.taken < self.steps; ++self.taken) self.fiber.switch_to(*self.home);
    self.fiber.finish(*self.home);
  }
};

TEST(Fiber, RunsInTurnsAndFinishes) {
  StackPool stacks(kStackBytes);
  Fiber home;
  home.adopt_thread();
  Walker walker{&home, {}, 3};
  walker.fiber.start(stacks, Walker::body, &walker);
  for (int i = 0; i <= 3; ++i) {
    EXPECT_EQ(walker.taken, i == 0 ? 0 : i - 1);
    home.switch_to(walker.fiber);
  }
  EXPECT_EQ(walker.taken, 3);
}

TEST(Fiber, AnAbandonedFiberRestartsOnTheSameStack) {
  StackPool stacks(kStackBytes);
  Fiber home;
  home.adopt_thread();
  Walker walker{&home, {}, 1000};
  for (int round = 0; round < 100; ++round) {
    walker.taken = 0;
    walker.fiber.start(stacks, Walker::body, &walker);
    home.switch_to(walker.fiber);
    home.switch_to(walker.fiber);
    EXPECT_EQ(walker.taken, 1);
  }
}

TEST(Fiber, AReusedStackIsNotPoisonedByAbandonedFrames) {
  struct Deep {
    Fiber* home;
    Fiber fiber;
    static void body(void* argument) {
      auto& self = *static_cast<Deep*>(argument);
      volatile char frame[4096];
      for (volatile char& byte : frame) byte = 1;
      self.fiber.switch_to(*self.home);  // Abandoned here, its frame's redzones still poisoned.
      self.fiber.finish(*self.home);
    }
  };
  StackPool stacks(kStackBytes);
  Fiber home;
  home.adopt_thread();
  for (int round = 0; round < 10; ++round) {
    Deep deep{&home, {}};
    deep.fiber.start(stacks, Deep::body, &deep);
    home.switch_to(deep.fiber);
    deep.fiber.release();
    std::byte* stack = stacks.take();
    std::memset(stack, 0, stacks.stack_bytes());  // ASan checks every byte of it.
    stacks.give(stack);
  }
}

TEST(Fiber, EachHasItsOwnExceptionsInFlight) {
  struct Thrower {
    Fiber* home;
    const char* words;
    Fiber fiber;
    bool same = false;
    static void body(void* argument) {
      auto& self = *static_cast<Thrower*>(argument);
      try {
        throw std::runtime_error(self.words);
      } catch (...) {
        self.fiber.switch_to(*self.home);
        try {
          throw;
        } catch (const std::exception& again) {
          self.same = std::strcmp(again.what(), self.words) == 0;
        }
      }
      self.fiber.finish(*self.home);
    }
  };
  StackPool stacks(kStackBytes);
  Fiber home;
  home.adopt_thread();
  Thrower first{&home, "first", {}};
  Thrower second{&home, "second", {}};
  for (Thrower* thrower : {&first, &second}) thrower->fiber.start(stacks, Thrower::body, thrower);
  for (Thrower* thrower : {&first, &second, &first, &second}) home.switch_to(thrower->fiber);
  EXPECT_TRUE(first.same);
  EXPECT_TRUE(second.same);
}

TEST(Fiber, StacksAreReusedLastInFirstOut) {
  StackPool stacks(kStackBytes);
  std::vector<std::byte*> taken;
  taken.reserve(40);
  for (int i = 0; i < 40; ++i) taken.push_back(stacks.take());
  for (std::byte* stack : taken) stacks.give(stack);
  EXPECT_EQ(stacks.take(), taken.back());
}

TEST(FiberDeathTest, AnOverflowHitsTheGuardPage) {
  if (kAsan || kTsan) GTEST_SKIP() << "the sanitizers' own stacks are deeper";
  EXPECT_DEATH(
      {
        StackPool stacks(kStackBytes);
        std::byte* stack = stacks.take();
        *static_cast<volatile std::byte*>(stack - 1) = std::byte{1};
      },
      "");
}

}  // namespace
}  // namespace harness
