// SPDX-License-Identifier: Apache-2.0
// UserObject: the object behind a CUuserObject: the program's data, and its reference count. When
// the count reaches zero, its destructor is called at some time. The calling thread is a choice: a
// driver thread that all of them share (default), the thread that calls host functions, too, or the
// thread that released the last reference, before its call returns. Whether the driver holds its
// lock during the call is also a choice.
#pragma once

#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/devices/sim/handles_recycled.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/driver/cuda/process.h"

namespace harness::devices {

class SimDevice;

struct UserObject : Object {
  void* data = nullptr;
  CUhostFn destroy = nullptr;
  std::uint64_t owned_by_callers = 0;  ///< References that calls may release.
  std::uint64_t count = 0;             ///< All references, including those of graphs, executables
                                       ///< and launches.
  Name activation = 0;                 ///< The activation that released the last reference.
  Clock after;                    ///< The launches that held references. The destructor observes
                                  ///< their end.
  Tick released = 0;              ///< The tick at which the last reference was released.
  TaskId owed_by = TaskId::none;  ///< The task whose call must call the destructor.
  bool shares_thread = false;     ///< Its destructor is called on the thread of host functions.
  bool is_data = false;           ///< The data of host work, which is released immediately.
  void reset() {
    after.clear();
    is_data = false;
  }
};

/// The references that a graph, an executable or a launch holds.
class UserReferences {
 public:
  struct Reference {
    UserObject* object;
    std::uint64_t count;
  };

  void clear() { held_.clear(); }
  auto begin() const { return held_.begin(); }
  auto end() const { return held_.end(); }

  /// Adds references. The caller updates the object's count.
  void add(UserObject& object, std::uint64_t count) {
    for (Reference& held : held_)
      if (held.object == &object) {
        held.count += count;
        return;
      }
    held_.push_back({&object, count});
  }
  std::uint64_t count(const UserObject& object) const {
    for (const Reference& held : held_)
      if (held.object == &object) return held.count;
    return 0;
  }
  /// Removes references, which must exist.
  void remove(UserObject& object, std::uint64_t count) {
    for (Reference& held : held_)
      if (held.object == &object) held.count -= count;
    std::erase_if(held_, [](const Reference& held) { return held.count == 0; });
  }

 private:
  std::vector<Reference> held_;  ///< In the order in which they were added; few.
};

/// Ownership: owns the user objects, and keeps their storage from run to run.
class UserObjects {
 public:
  explicit UserObjects(SimDevice& sim) : sim_(sim) {}
  void begin();

  const auto& table() const { return table_; }

  UserObject& create(void* data, CUhostFn destroy, std::uint64_t count);
  /// Makes an object for the data of host work, with one reference, which a graph holds.
  UserObject& create_data(void* data, CUhostFn release);
  void release(UserObject& object, std::uint64_t count);
  /// Releases all references. `after`: the launches that may have used them, if any.
  void release(UserReferences& references, const Clock* after = nullptr);
  /// Waits for a limited time for pending destructors to return, in a program without a world. Used
  /// by synchronizing calls, although no call is documented to wait for them.
  void wait_a_while();
  /// Returns whether a task must still call destructors.
  bool owes() const { return !owed_.empty(); }
  /// Calls the destructors that the running task owes.
  void destroy_owed();
  /// While it exists, the driver continues work outside of a call, so that no call is responsible
  /// for released references.
  class ByItself {
   public:
    explicit ByItself(UserObjects& objects)
        : by_itself_(objects.by_itself_), outer_(std::exchange(by_itself_, true)) {}
    ~ByItself() { by_itself_ = outer_; }
    ByItself(const ByItself&) = delete;
    ByItself& operator=(const ByItself&) = delete;

   private:
    bool& by_itself_;
    bool outer_;
  };
  /// Adds the references of `from` to `to`, and counts them.
  static void copy(const UserReferences& from, UserReferences& to);

 private:
  void destroy_later(UserObject& object);
  void destroy_on_thread(UserObject& object);
  void destroy_next();
  void destroy(const UserObject& object);
  [[noreturn]] void serve_destructors();

  SimDevice& sim_;
  RecycledHandles<UserObject, HandleKind::user_object> table_;
  std::vector<UserObject*> released_;  ///< To be destroyed, in this order.
  std::vector<UserObject*> owed_;      ///< To be destroyed by the task that released them.
  bool by_itself_ = false;
  TaskId destructor_task_ = TaskId::none;
  ProcessThread thread_;
};

}  // namespace harness::devices
