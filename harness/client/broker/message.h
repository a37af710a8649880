// Message: the words in which a process of the program and the broker of its run talk.
//
// The process asks, and the broker answers each question once. `do` names the question; its other
// fields are those that harness/client/broker/broker.cpp reads. A message may carry a file.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/client/report.h"

namespace harness::client {

struct Message {
  nlohmann::json body;
  int file = -1;  ///< The receiver's to close; -1 for none.
};

/// One end of a connection, or the place where others connect. Threads: confined to one.
class BrokerSocket {
 public:
  /// Has others connect in this folder. Returns an end that is closed where they cannot.
  static BrokerSocket listen(const std::string& folder);
  /// Returns the end of a process; one that is closed where nobody listens.
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
  /// Returns the number that the system has for the process at the other end.
  int peer() const;
  /// Returns whether it was sent. `file` stays the caller's.
  bool send(const nlohmann::json& body, int file = -1) const;
  /// Waits for a message. Returns nothing where the other end is gone.
  std::optional<Message> receive() const;

 private:
  int number_ = -1;
};

/// A call of a process, or work of one, in a message.
nlohmann::json call_json(const std::string& site, Name call, Name stream, const Party& party);
/// Returns the party of such a call.
Party party_of_call(const nlohmann::json& call);

}  // namespace harness::client
