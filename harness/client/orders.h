// Orders: how the driver of a process answers that is run under our control, and where it reports.
//
// They are a file in a folder that the environment names. Every process of the program that calls
// the driver reads them, takes the next number there is, and writes its report there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/pick.h"

namespace harness::client {

/// The variable of the environment that names the folder.
inline constexpr const char* kFolderVariable = "AFTERLIFE_RUN";

/// A repair that a run is given, to see whether its fault goes away with it: something else happens
/// at one call of the program.
struct Trial {
  enum class Kind : std::uint8_t {
    none,
    wait,       ///< The host waits for a stream right before the call.
    leave_out,  ///< The call does nothing, and returns success.
  };
  Kind kind = Kind::none;
  Name call = 0;
  Name stream = 0;
  bool operator==(const Trial&) const = default;
};

struct Orders {
  bool draws = false;      ///< Answers are drawn from `seed`; otherwise they are on `tape`.
  std::uint64_t seed = 0;  ///< Number from which answers are drawn.
  Tape tape;
  bool asks = false;     ///< Reports what was asked.
  bool locates = false;  ///< Notes where in the program each call is made, which takes time.
  bool serves = false;   ///< Stops at the first question, and forks a child for each run wanted.
  bool forces = false;   ///< Asks of Python also what its version cannot come to by itself.
  bool fails = false;    ///< Calls that may fail are told to, by an answer.
  std::uint64_t failable_count = 0;  ///< So many calls of a run may fail, about.
  bool pedantic = false;             ///< The driver is as late as the documentation lets it be.
  Trial trial{};
  bool flushes = false;      ///< Reports each decision at once: the program may end badly after it.
  double limit_seconds = 0;  ///< How long the run may take, if less than any run of the client may.
                             ///< 0 for that; in no file, as the driver need not know.
};

/// Writes the file of the orders. Errors: std::runtime_error with one line.
void write_orders(const std::string& folder, const Orders& orders);

/// Returns what the file says. Errors: std::runtime_error with one line.
Orders read_orders(const std::string& folder);

/// Returns the folder that the environment names, or nothing.
std::optional<std::string> ordered_folder();

}  // namespace harness::client
