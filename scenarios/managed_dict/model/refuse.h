// SPDX-License-Identifier: Apache-2.0
// Refuse: the legal statuses of a statement.
#pragma once

#include "scenarios/managed_dict/model/state.h"

namespace scenarios::managed_dict {

/// Returns the required result of the statement: ok, or a documented status. Any other status is a
/// refusal.
Status expected_status(const State& state, const Statement& statement);

}  // namespace scenarios::managed_dict
