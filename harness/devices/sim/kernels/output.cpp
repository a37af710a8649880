// SPDX-License-Identifier: Apache-2.0
// Output: printf() and assertions of translated kernels. Their texts are in device memory, and are
// read like a kernel reads memory, with every access checked.
//
// Source: CUDA C++ programming guide, Formatted output and Assertion. A text is printed
// immediately, since threads run one after another, while a GPU buffers it until the host waits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "harness/base/crash/crash.h"
#include "harness/devices/sim/kernels/stops.h"

#define AFTERLIFE_CODE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

extern "C" {
extern thread_local std::uint32_t afterlife_special_registers[12];
void __prov_load1_noabort(std::uint64_t address);
void afterlife_stop_kernel(std::uint32_t why, const char* words);
std::uint32_t afterlife_print(std::uint64_t format, std::uint64_t values);
void afterlife_fail_assertion(std::uint64_t message, std::uint64_t file, std::uint32_t line,
                              std::uint64_t function);
}

namespace harness::devices {
namespace {

unsigned char byte_at(std::uint64_t address) {
  __prov_load1_noabort(address);
  return *reinterpret_cast<const unsigned char*>(address);
}

std::string text_at(std::uint64_t address) {
  constexpr std::size_t kLimit = 1 << 16;
  std::string made;
  for (unsigned char c; made.size() < kLimit && (c = byte_at(address)) != 0; ++address)
    made += static_cast<char>(c);
  return made;
}

/// The arguments of a format, each at its natural alignment.
class Values {
 public:
  explicit Values(std::uint64_t address) : address_(address) {}
  std::uint64_t next(std::uint32_t bytes) {
    address_ = (address_ + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < bytes; ++i)
      value |= std::uint64_t{byte_at(address_ + i)} << 8 * i;
    address_ += bytes;
    ++count_;
    return value;
  }
  std::uint32_t count() const { return count_; }

 private:
  std::uint64_t address_;
  std::uint32_t count_ = 0;
};

/// A conversion of a format, split for the printf() of C.
struct Conversion {
  std::string flags;  ///< Such as "%-08.3", without length and letter.
  bool is_long = false;
  char letter = '\0';
};

template <class Value>
void append(std::string& to, const std::string& format, Value value) {
  std::array<char, 1024> text{};
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-security"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(text.data(), text.size(), format.c_str(), value);
#pragma clang diagnostic pop
  to += text.data();
}

/// Reads a conversion after its '%', and the widths that are arguments.
Conversion read(std::string_view& rest, Values& values) {
  Conversion made{"%", false, '\0'};
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '*') {
      made.flags += std::to_string(std::bit_cast<int>(static_cast<std::uint32_t>(values.next(4))));
    } else if (std::string_view("-+ #0123456789.").find(c) != std::string_view::npos) {
      made.flags += c;
    } else if (c == 'l' || c == 'j' || c == 'z' || c == 't') {
      made.is_long = true;
    } else if (c != 'h' && c != 'L') {
      made.letter = c;
      return made;
    }
  }
  return made;
}

void convert(std::string& to, const Conversion& what, Values& values) {
  switch (what.letter) {
    case 'd':
    case 'i': {
      const std::uint64_t raw = values.next(what.is_long ? 8 : 4);
      const auto value = what.is_long ? static_cast<long long>(raw)
                                      : static_cast<long long>(static_cast<int>(raw));
      return append(to, what.flags + "lld", value);
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return append(to, what.flags + "ll" + what.letter,
                    static_cast<unsigned long long>(values.next(what.is_long ? 8 : 4)));
    case 'c':
      return append(to, what.flags + "c", static_cast<int>(values.next(4)));
    case 'p':
      return append(to, what.flags + "p", reinterpret_cast<void*>(values.next(8)));
    case 's':
      return append(to, what.flags + "s", text_at(values.next(8)).c_str());
    case '%':
      to += '%';
      return;
    default:
      if (std::string_view("eEfFgGaA").find(what.letter) != std::string_view::npos)
        append(to, what.flags + what.letter, std::bit_cast<double>(values.next(8)));
  }
}

}  // namespace
}  // namespace harness::devices

extern "C" {

void afterlife_stop_kernel(std::uint32_t why, const char* words) {
  using namespace harness::devices;
  harness::crash_here({why == 0   ? kStopTrap
                       : why == 1 ? kStopUnknown
                                  : kStopMisaligned,
                       words, AFTERLIFE_CODE});
}

std::uint32_t afterlife_print(std::uint64_t format, std::uint64_t values) {
  using namespace harness::devices;
  const std::string text = text_at(format);
  Values from(values);
  std::string made;
  for (std::string_view rest = text;;) {
    const std::size_t plain = rest.find('%');
    made += rest.substr(0, plain);
    if (plain == std::string_view::npos) break;
    rest.remove_prefix(plain + 1);
    convert(made, read(rest, from), from);
  }
  std::fwrite(made.data(), 1, made.size(), stdout);
  std::fflush(stdout);
  return from.count();
}

void afterlife_fail_assertion(std::uint64_t message, std::uint64_t file, std::uint32_t line,
                              std::uint64_t function) {
  using namespace harness::devices;
  const std::uint32_t* at = afterlife_special_registers;
  const std::string report = fmt::format(
      "{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n", text_at(file),
      line, text_at(function), at[3], at[4], at[5], at[0], at[1], at[2], text_at(message));
  std::fwrite(report.data(), 1, report.size(), stderr);
  harness::crash_here({kStopAssertion, "", AFTERLIFE_CODE});
}

}  // extern "C"
