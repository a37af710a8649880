// SPDX-License-Identifier: Apache-2.0
// Mbarrier: barriers in shared memory that count arrivals, phase by phase.
//
// The layout of the object is ours: the pending arrivals of the phase, the expected arrivals of
// each phase, the number of completed phases, and a mark. An arrival returns the object's previous
// value as its state. Source: PTX ISA 9.0, "mbarrier".
#pragma once

#include "harness/device_code/ptx/device/thread.h"

namespace ptx {

inline constexpr u64 kMostArrivals = (1 << 20) - 1;
inline constexpr u64 kMbarrierMark = u64{1} << 63;

PTX_OP u64 pending_of(u64 object) { return object & kMostArrivals; }
PTX_OP u64 expected_of(u64 object) { return object >> 20 & kMostArrivals; }
PTX_OP u64 phase_of(u64 object) { return (object & ~kMbarrierMark) >> 40; }
PTX_OP u64 mbarrier_of(u64 pending, u64 expected, u64 phase) {
  return pending | expected << 20 | (phase << 40 & ~kMbarrierMark) | kMbarrierMark;
}

[[noreturn]] PTX_OP void refuse_mbarrier(const char* words) {
  driver.stop(static_cast<u32>(Stop::trap), words);
  __builtin_unreachable();
}

/// Returns the object at an address of shared memory. Ends the kernel if there is none.
PTX_OP u64 mbarrier_at(u64 address) {
  const u64 object = read<u64>(address);
  if ((object & kMbarrierMark) == 0) [[unlikely]]
    refuse_mbarrier("there is no mbarrier");
  return object;
}

PTX_OP void make_mbarrier(const Thread& t, u64 shared_address, u32 count) {
  const u64 at = in_shared<8>(t, shared_address);
  if (count == 0 || count > kMostArrivals) refuse_mbarrier("an mbarrier for that many arrivals");
  write<u64>(at, mbarrier_of(count, count, 0));
}
PTX_OP void end_mbarrier(const Thread& t, u64 shared_address) {
  const u64 at = in_shared<8>(t, shared_address);
  mbarrier_at(at);
  write<u64>(at, u64{0});
}

/// Counts arrivals. With `drops`, later phases expect that many fewer. The last pending arrival
/// completes the phase. Returns the previous state.
template <bool drops, bool may_complete>
PTX_OP u64 arrive_at_mbarrier(const Thread& t, u64 shared_address, u32 count) {
  const u64 at = in_shared<8>(t, shared_address);
  const u64 before = mbarrier_at(at);
  const u64 pending = pending_of(before);
  if (count == 0 || count > pending || (drops && count > expected_of(before)))
    refuse_mbarrier("more arrivals than an mbarrier waits for");
  if (!may_complete && count == pending)
    refuse_mbarrier("a phase of an mbarrier is completed with .noComplete");
  const u64 expected = expected_of(before) - (drops ? count : 0);
  const bool is_complete = count == pending;
  write<u64>(at, mbarrier_of(is_complete ? expected : pending - count, expected,
                             phase_of(before) + (is_complete ? 1 : 0)));
  driver.poll(1);
  return before;
}

/// Returns whether the phase of a state, or with .parity the last one of that parity, is complete.
/// If it is not, lets other threads run before it checks again.
template <bool is_parity>
PTX_OP bool is_phase_complete(const Thread& t, u64 shared_address, u64 state) {
  const u64 at = in_shared<8>(t, shared_address);
  const u64 asked = is_parity ? state : phase_of(state);
  const auto is_complete = [&] { return (phase_of(mbarrier_at(at)) & 1) != (asked & 1); };
  if (is_complete()) return true;
  driver.poll(0);
  return is_complete();
}

}  // namespace ptx
