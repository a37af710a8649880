// SPDX-License-Identifier: Apache-2.0
// System threads: the state of this process's threads, according to the system.
//
// Source: proc(5), /proc/PID/task/TID/stat.
#pragma once

#include <sys/types.h>

namespace harness::entries {

/// Returns whether the thread with this id is asleep. Allocates nothing.
bool is_asleep(pid_t id);

/// Returns whether all threads except the calling one are asleep.
bool others_are_asleep();

}  // namespace harness::entries
