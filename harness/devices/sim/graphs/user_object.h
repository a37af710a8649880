// SPDX-License-Identifier: Apache-2.0
// UserObject: what a CUuserObject stands for: the program's data, and how often it is referenced.
// Once nothing does, its destructor is called, at some time. By whom is a pick: a thread of the
// driver's that all of them share (plain), the one that calls host functions, too, or code that let
// go of the last reference, before his call returns. So is whether the driver holds its lock
// meanwhile.
#pragma once

#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/cuda/process.h"
#include "harness/devices/sim/handles_recycled.h"
#include "harness/devices/sim/streams/clock.h"

namespace harness::devices {

class SimDevice;

struct UserObject : Object {
  void* data = nullptr;
  CUhostFn destroy = nullptr;
  std::uint64_t owned_by_callers = 0;  ///< References that calls may release.
  std::uint64_t count = 0;             ///< All of them: graphs, executables and launches hold some.
  Name activation = 0;                 ///< The activation that released the last one.
  Clock after;                    ///< The launches that held some: its destructor reports them.
  Tick released = 0;              ///< When the last reference went.
  TaskId owed_by = TaskId::none;  ///< The task whose call is to call the destructor.
  bool shares_thread = false;     ///< Its destructor is called where host functions are.
  bool is_data = false;           ///< The data of host work: let go of at once.
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

  /// The caller counts the references of the object.
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
  /// There are as many.
  void remove(UserObject& object, std::uint64_t count) {
    for (Reference& held : held_)
      if (held.object == &object) held.count -= count;
    std::erase_if(held_, [](const Reference& held) { return held.count == 0; });
  }

 private:
  std::vector<Reference> held_;  ///< In the order in which they came; few.
};

/// Ownership: owns the user objects, and keeps their storage from run to run.
class UserObjects {
 public:
  explicit UserObjects(SimDevice& sim) : sim_(sim) {}
  void begin();

  const auto& table() const { return table_; }

  UserObject& create(void* data, CUhostFn destroy, std::uint64_t count);
  /// The data of host work, with one reference, which a graph is to hold.
  UserObject& create_data(void* data, CUhostFn release);
  void release(UserObject& object, std::uint64_t count);
  /// Releases all references. `after`: the launches that used them, if there may have been any.
  void release(UserReferences& references, const Clock* after = nullptr);
  /// Gives the destructors that are still to be called a while to return, in a program without a
  /// world: a synchronise does. Nothing is documented to wait for them.
  void wait_a_while();
  /// Whether calls owe destructors.
  bool owes() const { return !owed_.empty(); }
  /// Calls the destructors that the running task owes.
  void destroy_owed();
  /// The driver continues with work by itself, for as long as it lives: what that lets go of, no
  /// call did.
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
  /// Takes the references that `from` holds once more, for `to`.
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
  std::vector<UserObject*> owed_;      ///< The same, by who let go of them.
  bool by_itself_ = false;
  TaskId destructor_task_ = TaskId::none;
  ProcessThread thread_;
};

}  // namespace harness::devices
