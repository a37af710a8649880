// SPDX-License-Identifier: Apache-2.0
#include "harness/client/border/broker_message.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/client/border/json.h"

namespace harness::client {
namespace {

constexpr std::size_t kMostBytes = std::size_t{128} << 10;

int new_socket() { return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

std::optional<sockaddr_un> address_in(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string file = folder + "/broker";
  if (file.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, file.c_str(), file.size() + 1);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// A message in the form that sendmsg() and recvmsg() take, with room for a file.
struct Envelope {
  Envelope(void* bytes, std::size_t count) : part{bytes, count} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
  Envelope(const Envelope&) = delete;  // `header` points into it.
  Envelope& operator=(const Envelope&) = delete;

  iovec part;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
};

}  // namespace

BrokerSocket::BrokerSocket(BrokerSocket&& other) noexcept
    : number_(std::exchange(other.number_, -1)) {}

BrokerSocket& BrokerSocket::operator=(BrokerSocket&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void BrokerSocket::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

BrokerSocket BrokerSocket::listen(const std::string& folder) {
  constexpr int kWaiting = 64;
  const std::optional<sockaddr_un> address = address_in(folder);
  BrokerSocket socket(new_socket());
  if (!address || !socket.is_open() ||
      ::bind(socket.number_, generic(*address), sizeof *address) != 0 ||
      ::listen(socket.number_, kWaiting) != 0)
    socket.close();
  return socket;
}

BrokerSocket BrokerSocket::connect(const std::string& folder) {
  const std::optional<sockaddr_un> address = address_in(folder);
  BrokerSocket socket(new_socket());
  if (!address || !socket.is_open() ||
      ::connect(socket.number_, generic(*address), sizeof *address) != 0)
    socket.close();
  return socket;
}

BrokerSocket BrokerSocket::accept() const {
  return BrokerSocket(::accept4(number_, nullptr, nullptr, SOCK_CLOEXEC));
}

int BrokerSocket::peer() const {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return ::getsockopt(number_, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 ? peer.pid : -1;
}

bool BrokerSocket::send(const nlohmann::json& body, int file) const {
  std::vector<std::uint8_t> bytes = nlohmann::json::to_msgpack(body);
  if (bytes.size() > kMostBytes) return false;
  Envelope envelope(bytes.data(), bytes.size());
  if (file >= 0) {
    cmsghdr* files = CMSG_FIRSTHDR(&envelope.header);
    files->cmsg_level = SOL_SOCKET;
    files->cmsg_type = SCM_RIGHTS;
    files->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(files), &file, sizeof file);
  } else {
    envelope.header.msg_controllen = 0;
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(number_, &envelope.header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

std::optional<Message> BrokerSocket::receive() const {
  std::vector<std::uint8_t> bytes(kMostBytes);
  Envelope envelope(bytes.data(), bytes.size());
  ssize_t count = 0;
  do {
    count = ::recvmsg(number_, &envelope.header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return std::nullopt;
  Message message;
  const cmsghdr* files = CMSG_FIRSTHDR(&envelope.header);
  if (files != nullptr && files->cmsg_type == SCM_RIGHTS)
    std::memcpy(&message.file, CMSG_DATA(files), sizeof message.file);
  bytes.resize(static_cast<std::size_t>(count));
  message.body = nlohmann::json::from_msgpack(bytes, true, false);
  return message;
}

nlohmann::json call_json(const std::string& site, Name call, Name stream, const Party& party) {
  return {{"site", site},
          {"call", call},
          {"on", stream},
          {"place", party.place},
          {"thread", party.thread},
          {"stream", party.stream},
          {"process", party.process}};
}

Party party_of_call(const nlohmann::json& call) {
  return {.site = call.at("site"),
          .place = call.at("place").get<Place>(),
          .thread = call.at("thread"),
          .stream = call.at("stream"),
          .call = call.at("call"),
          .on = call.at("on"),
          .process = call.at("process")};
}

}  // namespace harness::client
