// SPDX-License-Identifier: Apache-2.0
// Message: the protocol between a process of the program and the broker of its run.
//
// The process sends requests, and the broker replies to each. `do` names the request;
// harness/client/outside/broker/broker.cpp reads the other fields. A message may carry a file.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/client/border/report.h"

namespace harness::client {

struct Message {
  nlohmann::json body;
  int file = -1;  ///< The receiver must close it; -1 for none.
};

/// One end of a connection, or a listening socket. Threads: confined to one thread.
class BrokerSocket {
 public:
  /// Listens in this folder. Returns a closed end on failure.
  static BrokerSocket listen(const std::string& folder);
  /// Connects as a process. Returns a closed end if nothing listens.
  static BrokerSocket connect(const std::string& folder);

  BrokerSocket() = default;
  explicit BrokerSocket(int number) : number_(number) {}
  ~BrokerSocket() { close(); }
  BrokerSocket(BrokerSocket&& other) noexcept;
  BrokerSocket& operator=(BrokerSocket&& other) noexcept;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();
  BrokerSocket accept() const;
  /// Returns the process id of the other end.
  int peer() const;
  /// Returns whether the message was sent. The caller keeps `file`.
  bool send(const nlohmann::json& body, int file = -1) const;
  /// Waits for a message. Returns nothing if the connection was closed.
  std::optional<Message> receive() const;

 private:
  int number_ = -1;
};

/// Converts a call of a process, or a piece of its work, for a message.
nlohmann::json call_json(const std::string& site, Name call, Name stream, const Party& party);
/// Returns the party in the result of call_json().
Party party_of_call(const nlohmann::json& call);

}  // namespace harness::client
