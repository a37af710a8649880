// How it works. Whoever lets go of the last reference puts the object into a queue. One task of the
// driver's takes them from there, in that order, whenever the schedule lets it; in a program
// without a world a thread does. Where a run is outside of its tasks, whoever is here calls the
// destructor.
#include "harness/devices/sim/graphs/user_object.h"

#include "harness/devices/sim/sim_device.h"
#include "harness/sanitizers.h"

namespace harness::devices {

static constexpr Resource kDestructors = hash_name("user object destructors");

void UserObjects::begin() {
  table_.begin();
  released_.clear();
  destructor_task_ = TaskId::none;
}

UserObject& UserObjects::create(void* data, CUhostFn destroy, std::uint64_t count) {
  UserObject& object = table_.add(sim_.ledger(), "user object");
  object.data = data;
  object.destroy = destroy;
  object.owned_by_callers = object.count = count;
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
  Scheduler& scheduler = sim_.scheduler();
  if (scheduler.in_task()) {
    released_.push_back(&object);
    if (destructor_task_ == TaskId::none)
      destructor_task_ =
          scheduler.spawn_daemon("user object destructors", [this] { serve_destructors(); });
    return scheduler.touch(kDestructors);
  }
  ProcessWorld* process = ProcessWorld::of(sim_.world());
  if (process == nullptr) return destroy(object);
  released_.push_back(&object);
  thread_.post(*process, [this] { destroy_next(); });
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

void UserObjects::destroy_next() {
  UserObject& object = *released_.front();
  released_.erase(released_.begin());
  edge_acquire(&object);
  const SiteScope site(sim_.scheduler(), "user object destructor");
  destroy(object);
}

void UserObjects::destroy(const UserObject& object) {
  sim_.data_races().host_saw(object.after);
  const CallbackScope scope(sim_.threads(), Callback::destructor);
  const ProcessWorld::Open open(ProcessWorld::of(sim_.world()));
  object.destroy(object.data);
}

void UserObjects::wait_a_while() {
  constexpr std::chrono::milliseconds kLimit{100};
  if (ProcessWorld* process = ProcessWorld::of(sim_.world()); process != nullptr)
    process->wait_until([this] { return thread_.idle(); }, kLimit);
}

}  // namespace harness::devices
