// SPDX-License-Identifier: Apache-2.0
// Guided, its reports: faults, errors, choices and a hang, in one file for each process.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "harness/base/files/whole_file.h"
#include "harness/client/inside/libcuda/guide/forced_words.h"
#include "harness/client/inside/libcuda/guide/guided.h"
#include "harness/client/inside/libcuda/guide/pedantic.h"
#include "harness/client/inside/libcuda/native_place.h"
#include "harness/client/inside/libcuda/unsupported.h"
#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

constexpr std::size_t kFaultLimit = 64;
constexpr std::ptrdiff_t kAlikeLimit = 8;

}  // namespace

void Guided::passed(const World& world) {
  for (const ActivationRecord& record : world.history.activations())
    askers_.add_parent(record.name, record.parent);
  parties_.passed(world);
  flush();
  if (world.injected_failures == told_failures_) return;
  told_failures_ = world.injected_failures;
  report(world);  // The program may end in any way now.
}

/// Keeps several faults with the same signature, because different calls may be different bugs.
void Guided::found(const World& world, const Fault& fault) {
  client::ToldFault told;
  told.signature = fault.signature();
  const auto is_alike = [&](const client::ToldFault& known) {
    return known.signature == told.signature;
  };
  if (report_.faults.size() == kFaultLimit ||
      std::ranges::count_if(report_.faults, is_alike) == kAlikeLimit)
    return;
  askers_.index();
  parties_.find(world, fault, orders_.locates, told);
  if (std::ranges::any_of(report_.faults, [&](const client::ToldFault& known) {
        return is_alike(known) && known.key == told.key;
      }))
    return;
  told.kind = to_label(fault.kind).view();
  told.object = fault.object_kind.view();
  told.detail = fault.detail;
  told.pedantic = pedantic_reason(fault);
  told.decision_count = world.picker.tape().size();
  told.free_threads = free_threads_.words(report_.has_python);
  report_.faults.push_back(std::move(told));
  report(world);
}

client::Party Guided::party_of(const HostRace::Side& side) const {
  const BatonThread& thread = python_threads_.all()[side.thread];
  return {.site = side.writes ? client::kOwnWrite : client::kOwnRead,
          .place = orders_.locates ? place_of(side.codes) : client::Place{},
          .thread = thread.shown};
}

/// Returns a name of the instruction that is the same in each process.
static Name name_of(const HostRace::Side& side) {
  const client::Place place = place_of(std::span(side.codes).first(1));
  return place.empty() ? 0 : mix(hash_name(place[0].file), place[0].offset);
}

/// The order in which the two accesses ran is no part of the race's identity.
void Guided::raced(const HostRace& race) {
  const ProcessWorld::Asking is_asking(ProcessWorld::get());
  if (report_.faults.size() == kFaultLimit) return;
  Fault fault;
  fault.kind = FaultKind::data_race;
  fault.object_kind = Label::of(client::kHostMemory);
  client::ToldFault told;
  told.signature = fault.signature();
  const Name first = name_of(race.first), second = name_of(race.second);
  told.key = mix(std::min(first, second), std::max(first, second));
  told.kind = to_label(fault.kind).view();
  told.object = fault.object_kind.view();
  told.other = party_of(race.first);
  told.use = party_of(race.second);
  told.detail = fmt::format(
      "both access the same {} byte{}{}", race.bytes, race.bytes == 1 ? "" : "s",
      race.first.is_atomic || race.second.is_atomic ? ", and only one of them atomically" : "");
  told.decision_count = ProcessWorld::get().world().picker.tape().size();
  told.free_threads = free_threads_.words(report_.has_python);
  report_.faults.push_back(std::move(told));
  report(ProcessWorld::get().world());
}

/// Writes the report. A failure to write is printed on stderr.
void Guided::report(const World& world) {
  claim_process();
  {
    const std::lock_guard lock(doubt_mutex_);
    report_.doubt = doubt_;
  }
  report_.free_threads = free_threads_.words(report_.has_python);
  // Late work may include another end of the object.
  const bool is_late = static_cast<devices::SimDevice&>(*world.device).queues().lags();
  for (std::size_t i = 0; i < failed_objects_.size(); ++i)
    report_.errors[i].is_alive = !is_late && world.ledger.alive(failed_objects_[i]);
  report_.decisions.clear();
  if (!world.picker.tape().empty()) askers_.index();
  for (const Decision& decision : world.picker.tape())
    report_.decisions.push_back(parties_.told(decision));
  report_.forced = why_forced(world.picker.tape());
  report_.wants_table = is_table_wanted();
  try {
    write_whole_file(client::report_file(folder_, report_.process), to_text(report_),
                     OnDisk::later);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "afterlife: %s\n", error.what());
  }
}

/// If all threads wait for each other, it does not matter whether the device has advanced by
/// itself.
void Guided::hangs(bool is_deadlock, std::vector<client::Party> stuck) {
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  report_.stuck = std::move(stuck);
  report_.is_deadlock = is_deadlock;
  if (is_deadlock) doubt("");
  report(process.world());
}

}  // namespace harness::entries
