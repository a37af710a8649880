// Server socket: how `afterlife run` and a process of the program talk that forks its runs.
//
// The process connects where the orders tell it to serve, at its first question, and says whether
// it can. For each run it then gets `begin` with new ends for stdout and stderr, and forks; it
// tells the child's number and how it ended, and clears away at `clear` what the child left.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace harness::client {

struct Packet {
  enum class Kind : std::uint8_t {
    ready,      ///< The process stands at its first question; `value` is its end's number.
    not_alone,  ///< It stands there, and the program has or had other processes.
    begin,      ///< Wanted: a run. `pipes` are those of the process, which the new ones replace.
    begun,      ///< `value` is the number of the child.
    ended,      ///< `value` is its exit code, or minus the signal.
    clear,      ///< Wanted: the end of all that the child left.
  };
  Kind kind{};
  int value = 0;
  std::array<std::uint64_t, 2> pipes{};  ///< Their inodes.
};

/// Two files that a packet carries: the one that becomes stdout, and that for stderr.
using Carried = std::array<int, 2>;

/// One end, or the place where others connect. Threads: confined to one.
class ServerSocket {
 public:
  /// Has others connect, in this folder. Errors: std::runtime_error.
  static ServerSocket listen(const std::string& folder);
  /// Returns the end of the process; nothing where nobody listens.
  static std::optional<ServerSocket> connect(const std::string& folder);

  explicit ServerSocket(int number) : number_(number) {}
  ~ServerSocket();
  ServerSocket(ServerSocket&& other) noexcept;
  ServerSocket& operator=(ServerSocket&& other) noexcept;

  /// Returns its number, to be waited for.
  int number() const { return number_; }
  /// Returns the end for whoever has connected; it must be there.
  ServerSocket accept() const;
  /// Returns the process at the other end.
  int peer() const;
  /// Returns whether the other end can have got it.
  bool send(const Packet& packet, const Carried* carried = nullptr) const;
  /// Waits for a packet. Returns nothing where the other end is gone.
  std::optional<Packet> receive(Carried* carried = nullptr) const;

 private:
  int number_;
};

}  // namespace harness::client
