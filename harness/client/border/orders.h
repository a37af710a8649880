// SPDX-License-Identifier: Apache-2.0
// Orders: how the driver in a process under our control makes choices, and where it reports.
//
// They are a file in a folder that the environment names. Every process that calls the driver reads
// them, takes the next free number, and writes its report there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/pick/pick.h"

namespace harness::client {

/// The environment variable that names the folder.
inline constexpr const char* kFolderVariable = "AFTERLIFE_RUN";

/// A repair of a run, to see whether it removes the fault: it changes the behaviour of one call, or
/// of all calls at its place.
struct Trial {
  enum class Kind : std::uint8_t {
    none,
    wait,       ///< The host waits for a stream right before the call.
    leave_out,  ///< The call does nothing, and returns success.
  };
  Kind kind = Kind::none;
  Name call = 0;
  Name stream = 0;
  Name place = 0;  ///< hash_of() the place, if all calls there are meant; else 0.
  bool operator==(const Trial&) const = default;
};

struct Orders {
  bool draws = false;      ///< True: choices are drawn from `seed`. False: they are on `tape`.
  std::uint64_t seed = 0;  ///< Seed of the choices.
  Tape tape;
  bool asks = false;     ///< Reports all choices that were offered.
  bool locates = false;  ///< Records the place of each call in the program, which takes time.
  bool serves = false;   ///< Stops at the first choice, and forks a child for each requested run.
  bool forces = false;   ///< Also makes choices that this version of Python cannot make by itself.
  bool fails = false;    ///< Errors are injected into calls that may fail, by choice.
  std::uint64_t failable_count = 0;  ///< Approximate number of errors in a run.
  bool pedantic = false;             ///< The driver is as late as the documentation permits.
  Trial trial{};
  bool flushes = false;  ///< Reports each choice at once, because the program may crash after it.
  double limit_seconds = 0;  ///< Time limit of this run, if it is shorter than that of the client;
                             ///< else 0. Not in the file, because the driver does not need it.
};

/// Writes the file of the orders. Errors: std::runtime_error with one line.
void write_orders(const std::string& folder, const Orders& orders);

/// Reads the file. Errors: std::runtime_error with one line.
Orders read_orders(const std::string& folder);

/// Returns the folder that the environment names, or nothing.
std::optional<std::string> ordered_folder();

}  // namespace harness::client
