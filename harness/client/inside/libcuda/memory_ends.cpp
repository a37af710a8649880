// SPDX-License-Identifier: Apache-2.0
// How it works. The preloaded library first checks the pages of freed memory, and then holds()
// checks the addresses without taking the driver. If the memory is lent, or was until just now, its
// end is an activation like a call. Memory of the driver itself is never lent, so a thread that has
// the driver frees nothing that is.
#include "harness/client/inside/libcuda/memory_ends.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "harness/client/inside/libcuda/guide/stream_wait.h"
#include "harness/client/inside/libcuda/native_place.h"
#include "harness/client/inside/libcuda/python/python.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/call_frame.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

MemoryEnds* memory_ends = nullptr;

struct Stack {
  std::uintptr_t low = 0, high = 0;
};

/// Returns the stack that the C library allocated for the calling thread; empty if it is unknown.
const Stack& calling_stack() {
  static thread_local const Stack stack = [] {
    Stack found;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return found;
    void* low = nullptr;
    std::size_t bytes = 0;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
      found = {reinterpret_cast<std::uintptr_t>(low),
               reinterpret_cast<std::uintptr_t>(low) + bytes};
    pthread_attr_destroy(&attributes);
    return found;
  }();
  return stack;
}

/// The lowest lent address on the calling thread's stack.
thread_local std::uintptr_t lowest_lent = ~std::uintptr_t{0};

devices::LentMemory& lent_memory(World& world) {
  return static_cast<devices::SimDevice&>(*world.device).host_memory().lent();
}

}  // namespace

/// Ends the whole stack of a thread when the thread ends. Not for the main thread: exit() destroys
/// this object while its stack is still in use.
class MemoryEnds::LeftStack {
 public:
  explicit LeftStack(MemoryEnds& ends) : ends_(ends), stack_(calling_stack()) {}
  ~LeftStack() {
    if (::gettid() != ::getpid())
      ends_.end(stack_.low, stack_.high, "the end of its thread", nullptr);
  }
  LeftStack(const LeftStack&) = delete;
  LeftStack& operator=(const LeftStack&) = delete;

 private:
  MemoryEnds& ends_;
  Stack stack_;
};

void MemoryEnds::begin(World& world) {
  static MemoryHooks table{nullptr, ends};
  void* take = dlsym(RTLD_DEFAULT, kTakeMemoryHooks);
  if (take == nullptr) return;
  memory_ends = this;
  table.lent = &pages_;
  pthread_atfork([] { memory_ends->mutex_.lock(); }, [] { memory_ends->mutex_.unlock(); },
                 [] { memory_ends->mutex_.unlock(); });
  reinterpret_cast<TakeMemoryHooks>(take)(&table);
  lent_memory(world).watch(*this);
}

// ---- lent memory ------------------------------------------------------------------------------

void MemoryEnds::lent(std::uint64_t address, Name /*birth*/) {
  {
    const std::lock_guard lock(mutex_);
    addresses_.insert(address);
  }
  pages_.add(address);
  if (address < call_frame || address >= calling_stack().high) return;
  lowest_lent = std::min<std::uintptr_t>(lowest_lent, address);
  static thread_local const LeftStack left(*this);
}

void MemoryEnds::returned(std::uint64_t address) {
  pages_.remove(address);
  const std::lock_guard lock(mutex_);
  addresses_.erase(addresses_.find(address));
}

bool MemoryEnds::holds(std::uintptr_t low, std::uintptr_t high) {
  const std::lock_guard lock(mutex_);
  const auto first = addresses_.lower_bound(low);
  return first != addresses_.end() && *first < high;
}

// ---- ends -------------------------------------------------------------------------------------

void MemoryEnds::begin_call(World& world, const Activation& call) {
  const Stack& stack = lowest_lent < call_frame ? calling_stack() : Stack{};
  if (call_frame <= stack.low || call_frame >= stack.high) return;
  Activation ending = call;
  Activation* const caller = world.picker.enter(ending);
  const SiteScope site(world.scheduler, "the end of its stack frame");
  lent_memory(world).end(stack.low, call_frame);
  world.picker.leave_to(caller);
  lowest_lent = lent_memory(world).first_in(call_frame, stack.high);
}

bool MemoryEnds::ends(void* memory, std::size_t bytes, const char* how) {
  if (ProcessWorld::has_driver()) return false;
  const int before = errno;
  const auto low = reinterpret_cast<std::uintptr_t>(memory);
  const Label label = Label::of(how);
  void* const block = label != Label("munmap") ? memory : nullptr;
  const bool stays = memory_ends->end(low, low + bytes, label, block);
  errno = before;
  return stays;
}

/// Returns whether the block is kept unchanged. `block` is null for a mapping.
bool MemoryEnds::end(std::uintptr_t low, std::uintptr_t high, Label how, void* block) {
  if (!holds(low, high)) return false;
  client::Place place = calling_place();
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  Activation ending = askers_.call(ProcessWorld::calling_thread(), how, Baton::mine());
  if (orders_.locates) parties_.note(ending.name, std::move(place));
  World& world = process.world();
  const client::Trial& trial = orders_.trial;
  if (parties_.is_tried(trial, client::Trial::Kind::wait, ending.name))
    wait_for_stream(world, trial.stream);
  bool stays = parties_.is_tried(trial, client::Trial::Kind::leave_out, ending.name);
  if (!stays) {
    Activation* const caller = world.picker.enter(ending);
    const SiteScope site(world.scheduler, how);
    stays = lent_memory(world).end(low, high);
    world.picker.leave_to(caller);
  }
  stays = stays && block != nullptr;
  if (stays) keep(block, high - low);
  process.unlock();
  return stays;
}

/// Takes no lock that the program may hold.
client::Place MemoryEnds::calling_place() const {
  client::Place place;
  if (!orders_.locates) return place;
  const Python* python = Python::find();
  if (python != nullptr && python->has_lock()) place = Python::calling_place();
  return place.empty() ? native_place() : place;
}

/// Keeps the most recently freed blocks.
void MemoryEnds::keep(void* memory, std::size_t bytes) {
  constexpr std::size_t kMostBytes = 16 << 20;
  kept_.push_back({memory, bytes});
  for (kept_bytes_ += bytes; kept_bytes_ > kMostBytes; kept_.pop_front()) {
    kept_bytes_ -= kept_.front().bytes;
    std::free(kept_.front().memory);
  }
}

}  // namespace harness::entries
