// How it works. Whoever lets go of the last reference puts the object into a queue. One task of the
// driver's takes them from there, in that order, whenever the schedule lets it. Where there are no
// tasks, whoever is here calls the destructor.
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
  Scheduler& scheduler = sim_.scheduler();
  if (!scheduler.in_task()) {
    sim_.data_races().host_saw(object.after);
    const CallbackScope scope(sim_.threads(), Callback::destructor);
    object.destroy(object.data);
    return;
  }
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
    UserObject& object = *released_.front();
    released_.erase(released_.begin());
    edge_acquire(&object);
    sim_.data_races().host_saw(object.after);
    const SiteScope site(scheduler, "user object destructor");
    const CallbackScope scope(sim_.threads(), Callback::destructor);
    object.destroy(object.data);
  }
}

}  // namespace harness::devices
