// SPDX-License-Identifier: Apache-2.0
#include "harness/client/command/trust.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "harness/base/printable.h"
#include "harness/command/command_words.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using Key = std::array<unsigned char, crypto_auth_KEYBYTES>;
constexpr const char* kMac = "mac";

/// Owns a file descriptor, and closes it.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::optional<fs::path> state_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "afterlife";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return std::nullopt;
  return fs::path(home) / ".local/state/afterlife";
}

/// Reads the key. Refuses a link, and a file that others may read or write.
std::optional<Key> read_key(const fs::path& file) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found{};
  if (in.get() < 0 || ::fstat(in.get(), &found) != 0 || !S_ISREG(found.st_mode))
    return std::nullopt;
  Key key;
  const bool is_private = found.st_uid == ::geteuid() && (found.st_mode & 077) == 0;
  if (!is_private || ::read(in.get(), key.data(), key.size()) != ssize_t{crypto_auth_KEYBYTES})
    return std::nullopt;
  return key;
}

/// Creates a key. It is written under a temporary name and then linked, which fails if another
/// process was faster.
void make_key(const fs::path& folder) {
  std::error_code none;
  fs::create_directories(folder, none);
  const fs::path draft = folder / fmt::format("key.{}", ::getpid());
  Key key;
  crypto_auth_keygen(key.data());
  {
    const Descriptor out(
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (out.get() < 0) return;
    if (::write(out.get(), key.data(), key.size()) == ssize_t{crypto_auth_KEYBYTES})
        [[maybe_unused]]
      const int linked = ::link(draft.c_str(), (folder / "key").c_str());
  }
  ::unlink(draft.c_str());
}

enum class IfMissing { make, none };

std::optional<Key> key_of_user(IfMissing what) {
  const std::optional<fs::path> folder = state_folder();
  if (!folder || sodium_init() < 0) return std::nullopt;
  std::error_code none;
  if (what == IfMissing::make && !fs::exists(fs::symlink_status(*folder / "key", none)))
    make_key(*folder);
  return read_key(*folder / "key");
}

/// Returns the bytes under the MAC: the finding without its MAC, in the one form in which it is
/// written.
std::string bytes_of(nlohmann::json json) {
  json.erase(kMac);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string mac_of(const nlohmann::json& json, const Key& key) {
  const std::string bytes = bytes_of(json);
  std::array<unsigned char, crypto_auth_BYTES> mac;
  crypto_auth(mac.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
              key.data());
  std::string text;
  for (const unsigned char byte : mac) text += fmt::format("{:02x}", byte);
  return text;
}

bool says_yes() {
  fmt::print(stderr, "Start this command? [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

std::string sealed_finding(const std::string& text) {
  const std::optional<Key> key = key_of_user(IfMissing::make);
  if (!key) return text;
  nlohmann::json json = nlohmann::json::parse(text);
  json[kMac] = mac_of(json, *key);
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool is_own_finding(const std::string& text) {
  const std::optional<Key> key = key_of_user(IfMissing::none);
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!key || !json.is_object() || !json.contains(kMac) || !json[kMac].is_string()) return false;
  const std::string wanted = mac_of(json, *key);
  const auto& given = json[kMac].get_ref<const std::string&>();
  return given.size() == wanted.size() &&
         sodium_memcmp(given.data(), wanted.data(), wanted.size()) == 0;
}

void require_trust(const std::string& file, const std::string& text, const Command& command,
                   bool trusted) {
  std::error_code none;
  fmt::print(
      stderr,
      "command: {}\nfolder: {}\nenvironment: LD_PRELOAD, LD_AUDIT and LD_LIBRARY_PATH name our "
      "libraries first; PYTHONHASHSEED=0 unless it is set\n",
      printable(typed(command)), printable(fs::current_path(none).string()));
  std::fflush(stderr);
  if (trusted || is_own_finding(text)) return;
  if (::isatty(0) == 1 && ::isatty(2) == 1 && says_yes()) return;
  throw std::runtime_error(fmt::format(
      "{}: was not written by your Afterlife: check the command above, and add --trust to start it",
      printable(file)));
}

}  // namespace harness::entries
