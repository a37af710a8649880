// SPDX-License-Identifier: Apache-2.0
// Server socket: the protocol between `afterlife run` and a process that forks runs.
//
// The process connects at its first choice if its orders say so, and reports whether it can serve.
// For each run it gets `begin` with new ends for stdout and stderr, and forks. It sends the child's
// process id and exit status, and on `clear` kills what the child left behind.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace harness::client {

struct Packet {
  enum class Kind : std::uint8_t {
    ready,      ///< The process waits at its first choice; `value` is the number of its end.
    not_alone,  ///< The same, and the program has or had other processes.
    begin,      ///< Requests a run. `pipes` are those of the process, which are to be replaced.
    begun,      ///< `value` is the process id of the child.
    ended,      ///< `value` is the child's exit code, or minus the signal.
    clear,      ///< Requests the end of all processes that the child left.
  };
  Kind kind{};
  int value = 0;
  std::array<std::uint64_t, 2> pipes{};  ///< The pipes' inodes.
};

/// Two files that a packet carries, for stdout and stderr.
using Carried = std::array<int, 2>;

/// One end of a connection, or a listening socket. Threads: confined to one thread.
class ServerSocket {
 public:
  /// Listens in this folder. Errors: std::runtime_error.
  static ServerSocket listen(const std::string& folder);
  /// Connects as the process. Returns nothing if nothing listens.
  static std::optional<ServerSocket> connect(const std::string& folder);

  explicit ServerSocket(int number) : number_(number) {}
  ~ServerSocket();
  ServerSocket(ServerSocket&& other) noexcept;
  ServerSocket& operator=(ServerSocket&& other) noexcept;

  /// Returns its file descriptor, to be polled.
  int number() const { return number_; }
  /// Accepts a connection, which must be pending.
  ServerSocket accept() const;
  /// Returns the id of the process at the other end.
  int peer() const;
  /// Returns whether the packet was sent.
  bool send(const Packet& packet, const Carried* carried = nullptr) const;
  /// Waits for a packet. Returns nothing if the connection was closed.
  std::optional<Packet> receive(Carried* carried = nullptr) const;

 private:
  int number_;
};

}  // namespace harness::client
