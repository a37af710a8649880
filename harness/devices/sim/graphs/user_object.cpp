// SPDX-License-Identifier: Apache-2.0
// How it works. The task that releases the last reference puts the object into a queue. A driver
// task takes them from there in order, when it is scheduled; in a program without a world, a thread
// does. Outside of the tasks of a run, the caller destroys the object directly. A call that has to
// do so in a task does it when it has finished its own work.
#include "harness/devices/sim/graphs/user_object.h"

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/program_call.h"

namespace harness::devices {

static constexpr Resource kDestructors = hash_name("user object destructors");

void UserObjects::begin() {
  table_.begin();
  released_.clear();
  owed_.clear();
  by_itself_ = false;
  destructor_task_ = TaskId::none;
}

UserObject& UserObjects::create(void* data, CUhostFn destroy, std::uint64_t count) {
  UserObject& object = table_.add(sim_.ledger(), "user object");
  object.data = data;
  object.destroy = destroy;
  object.owned_by_callers = object.count = count;
  return object;
}

UserObject& UserObjects::create_data(void* data, CUhostFn release) {
  UserObject& object = create(data, release, 1);
  object.owned_by_callers = 0;
  object.is_data = true;
  return object;
}

void UserObjects::release(UserObject& object, std::uint64_t count) {
  HARNESS_CHECK(count <= object.count, "references are released once");
  object.count -= count;
  edge_release(&object);
  if (object.count > 0) return;
  table_.end(sim_.ledger(), object);
  destroy_later(object);
}

void UserObjects::destroy_later(UserObject& object) {
  if (object.is_data) {
    const CallbackScope scope(sim_.threads(), Callback::destructor);
    return object.destroy(object.data);
  }
  if (sim_.scheduler().in_task()) {
    enum : std::uint32_t { own_thread, shared_thread, caller, count };
    const std::uint32_t where =
        sim_.world().picker.pick(Site::thread, by_itself_ ? std::uint32_t{caller} : count);
    object.shares_thread = where == shared_thread;
    if (where != caller) return destroy_on_thread(object);
    object.owed_by = sim_.scheduler().current();
    return owed_.push_back(&object);
  }
  ProcessWorld* process = ProcessWorld::of(sim_.world());
  if (process == nullptr) return destroy(object);
  released_.push_back(&object);
  thread_.post(*process, [this] { destroy_next(); });
}

void UserObjects::destroy_on_thread(UserObject& object) {
  Scheduler& scheduler = sim_.scheduler();
  object.released = scheduler.now();
  released_.push_back(&object);
  if (destructor_task_ == TaskId::none)
    destructor_task_ =
        scheduler.spawn_daemon("user object destructors", [this] { serve_destructors(); });
  scheduler.touch(kDestructors);
}

void UserObjects::release(UserReferences& references, const Clock* after) {
  for (const UserReferences::Reference& held : references) {
    if (after != nullptr) held.object->after.join(*after);
    release(*held.object, held.count);
  }
  references.clear();
}

void UserObjects::copy(const UserReferences& from, UserReferences& to) {
  for (const UserReferences::Reference& held : from) {
    held.object->count += held.count;
    to.add(*held.object, held.count);
  }
}

void UserObjects::serve_destructors() {
  Scheduler& scheduler = sim_.scheduler();
  for (;;) {
    scheduler.wait_until({kDestructors, AccessKind::read}, "user object destructors",
                         [this] { return !released_.empty(); });
    destroy_next();
  }
}

// Other tasks, and this one, may add objects while a destructor runs.
void UserObjects::destroy_owed() {
  const TaskId me = sim_.scheduler().current();
  for (;;) {
    const auto mine = std::find_if(owed_.begin(), owed_.end(), [me](const UserObject* object) {
      return object->owed_by == me;
    });
    if (mine == owed_.end()) return;
    UserObject& object = **mine;
    owed_.erase(mine);
    edge_acquire(&object);
    const SiteScope site(sim_.scheduler(), "user object destructor");
    destroy(object);
  }
}

void UserObjects::destroy_next() {
  UserObject& object = *released_.front();
  released_.erase(released_.begin());
  if (sim_.scheduler().in_task()) {
    sim_.data_races().function_starts(object.after);
    LockWatch::joined(sim_.scheduler(), object.released);
  }
  edge_acquire(&object);
  const SiteScope site(sim_.scheduler(), "user object destructor");
  destroy(object);
}

void UserObjects::destroy(const UserObject& object) {
  sim_.data_races().host_saw(object.after);
  Scheduler& scheduler = sim_.scheduler();
  Process& process = sim_.processes().current();
  const DriverLock::Hold thread(process.thread, scheduler, object.shares_thread);
  const bool holds = scheduler.in_task() && sim_.world().picker.pick(Site::hold, 2) != 0;
  const DriverLock::Hold lock(process.lock, scheduler, holds);
  const CallbackScope scope(sim_.threads(), Callback::destructor);
  const CUhostFn act = object.destroy;  // Copied, because an object that the destructor creates may
                                        // take this one's place.
  void* const data = object.data;
  const ProcessWorld::Open open(ProcessWorld::of(sim_.world()));
  call_program(act, data);
}

void UserObjects::wait_a_while() {
  constexpr std::chrono::milliseconds kLimit{100};
  if (ProcessWorld* process = ProcessWorld::of(sim_.world()); process != nullptr)
    process->wait_until([this] { return thread_.idle(); }, kLimit);
}

}  // namespace harness::devices
