// SPDX-License-Identifier: Apache-2.0
// libafterlife_nvjitlink.so: nvJitLink's functions for PTX inputs. libnvJitLink.so.13 forwards to
// it. It needs no driver.
//
// How it works. The result is a single PTX text, also if a cubin is requested, because our driver
// loads PTX. Handles are looked up, so that an invalid one is an error and not a crash.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/base/short_lock.h"
#include "harness/device_code/libnvjitlink/interface.h"
#include "harness/device_code/ptx/link.h"
#include "harness/device_code/ptx/module.h"

namespace harness::nvjitlink {

class Linker {
 public:
  std::vector<ptx::LinkInput> inputs;
  std::string linked;
  std::string errors;
  std::string information;
  bool is_complete = false;
  bool is_verbose = false;

  Result fail(Result result, const std::string& line) {
    errors += fmt::format("error   : {}\n", line);
    return result;
  }
};

namespace {

/// The first release, so that clients pass PTX. A linker accepts only LTO IR that is not newer than
/// itself (nvJitLink's user guide, Compatibility), and this one accepts none. Clients that request
/// LTO from a new enough linker, such as numba-cuda from 12.3, pass PTX to an older one.
constexpr std::pair<unsigned, unsigned> kVersion{12, 0};

entries::ShortLock lock;
std::vector<std::unique_ptr<Linker>> linkers;

bool is_linker(const Linker* handle) {
  const std::lock_guard hold(lock);
  return std::ranges::any_of(linkers, [&](const auto& one) { return one.get() == handle; });
}

// ---- options ------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 7> kWithoutValue{"-time",     "-g",
                                                        "-lineinfo", "-optimize-unused-variables",
                                                        "-no-cache", "-device-stack-protector",
                                                        "-verbose"};
constexpr std::array<std::string_view, 11> kWithValue{"-maxrregcount=",
                                                      "-ftz=",
                                                      "-prec-div=",
                                                      "-prec-sqrt=",
                                                      "-fma=",
                                                      "-kernels-used=",
                                                      "-variables-used=",
                                                      "-Xptxas=",
                                                      "-split-compile=",
                                                      "-split-compile-extended=",
                                                      "-jump-table-density="};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

Result check_architecture(std::string_view value) {
  const std::size_t begin = value.starts_with("sm_") ? 3 : value.starts_with("compute_") ? 8 : 0;
  std::string_view number = value.substr(begin);
  if (number.ends_with('a') || number.ends_with('f')) number.remove_suffix(1);
  if (begin == 0 || !is_number(number)) return Result::ERROR_UNRECOGNIZED_ARCH;
  constexpr int kOldest = 75;
  return std::atoi(std::string(number).c_str()) < kOldest ? Result::ERROR_UNSUPPORTED_ARCH
                                                          : Result::SUCCESS;
}

/// Reads an option other than the architecture.
Result read_option(Linker& linker, std::string_view option) {
  if (option == "-lto" || option == "-ptx") return Result::ERROR_INCOMPATIBLE_OPTIONS;
  if (option == "-O0" || option == "-O3") return Result::SUCCESS;
  linker.is_verbose = linker.is_verbose || option == "-verbose";
  const bool is_known = std::ranges::find(kWithoutValue, option) != kWithoutValue.end() ||
                        std::ranges::any_of(kWithValue, [&](std::string_view name) {
                          return option.starts_with(name) && option.size() > name.size();
                        });
  return is_known ? Result::SUCCESS : Result::ERROR_UNRECOGNIZED_OPTION;
}

Result read_options(Linker& linker, std::uint32_t count, const char* const* options) {
  constexpr std::string_view kArchitecture = "-arch=";
  bool has_architecture = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (options[i] == nullptr) return Result::ERROR_NULL_INPUT;
    const std::string_view option = options[i];
    const bool is_architecture = option.starts_with(kArchitecture);
    has_architecture = has_architecture || is_architecture;
    const Result result = is_architecture ? check_architecture(option.substr(kArchitecture.size()))
                                          : read_option(linker, option);
    if (result != Result::SUCCESS) return result;
  }
  return has_architecture ? Result::SUCCESS : Result::ERROR_MISSING_ARCH;
}

// ---- inputs -------------------------------------------------------------------------------------

Result add(Linker& linker, Input type, const std::string& text, const std::string& name) {
  if (type == Input::none || type > Input::any || (type > Input::index && type < Input::any))
    return Result::ERROR_INCORRECT_INPUT_TYPE;
  if (type == Input::ltoir) return linker.fail(Result::ERROR_LTO_NOT_ENABLED, name + " is LTO IR");
  if (text.find(".version") == std::string::npos)
    return linker.fail(
        type == Input::ptx ? Result::ERROR_PTX_COMPILE : Result::ERROR_UNRECOGNIZED_INPUT,
        fmt::format("'{}' is not PTX, and only PTX is linked here", name));
  try {
    ptx::parse(text);
  } catch (const ptx::Malformed& malformed) {
    return linker.fail(Result::ERROR_PTX_COMPILE, fmt::format("{}: {}", name, malformed.words));
  }
  linker.inputs.push_back({name, text});
  return Result::SUCCESS;
}

Result complete(Linker& linker) {
  try {
    linker.linked = ptx::link(linker.inputs);
  } catch (const ptx::NotLinked& refused) {
    for (const std::string& line : refused.errors) linker.fail(Result::ERROR_FINALIZE, line);
    return Result::ERROR_FINALIZE;
  } catch (const ptx::Malformed& malformed) {
    return linker.fail(Result::ERROR_PTX_COMPILE, malformed.words);
  }
  linker.is_complete = true;
  if (linker.is_verbose)
    linker.information +=
        fmt::format("info    : {} inputs, {} bytes\n", linker.inputs.size(), linker.linked.size());
  return Result::SUCCESS;
}

// ---- results ------------------------------------------------------------------------------------

Result give_size(const Linker* linker, std::size_t* bytes, const std::string Linker::* text) {
  if (!is_linker(linker) || bytes == nullptr) return Result::ERROR_NULL_INPUT;
  *bytes = (linker->*text).size() + 1;
  return Result::SUCCESS;
}

Result give(const Linker* linker, void* to, const std::string Linker::* text) {
  if (!is_linker(linker) || to == nullptr) return Result::ERROR_NULL_INPUT;
  std::memcpy(to, (linker->*text).c_str(), (linker->*text).size() + 1);
  return Result::SUCCESS;
}

Result if_complete(const Linker* linker, Result result) {
  return is_linker(linker) && !linker->is_complete ? Result::ERROR_INTERNAL : result;
}

}  // namespace
}  // namespace harness::nvjitlink

using harness::nvjitlink::Input;
using harness::nvjitlink::Linker;
using harness::nvjitlink::Result;

#define AFTERLIFE_NVJITLINK extern "C" __attribute__((visibility("default"))) Result

AFTERLIFE_NVJITLINK nvJitLinkCreate(Linker** made, std::uint32_t count,
                                    const char* const* options) {
  using namespace harness::nvjitlink;
  if (made == nullptr || (count != 0 && options == nullptr)) return Result::ERROR_NULL_INPUT;
  *made = nullptr;
  auto linker = std::make_unique<Linker>();
  if (const Result result = read_options(*linker, count, options); result != Result::SUCCESS)
    return result;
  const std::lock_guard hold(lock);
  *made = linkers.emplace_back(std::move(linker)).get();
  return Result::SUCCESS;
}

AFTERLIFE_NVJITLINK nvJitLinkDestroy(Linker** linker) {
  using namespace harness::nvjitlink;
  if (linker == nullptr || !is_linker(*linker)) return Result::ERROR_NULL_INPUT;
  const std::lock_guard hold(lock);
  std::erase_if(linkers, [&](const auto& one) { return one.get() == *linker; });
  *linker = nullptr;
  return Result::SUCCESS;
}

AFTERLIFE_NVJITLINK nvJitLinkAddData(Linker* linker, Input type, const void* data,
                                     std::size_t bytes, const char* name) {
  using namespace harness::nvjitlink;
  if (!is_linker(linker) || data == nullptr) return Result::ERROR_NULL_INPUT;
  const auto* text = static_cast<const char*>(data);
  return add(*linker, type, std::string(text, ::strnlen(text, bytes)),
             name != nullptr ? name : fmt::format("input {}", linker->inputs.size() + 1));
}

AFTERLIFE_NVJITLINK nvJitLinkAddFile(Linker* linker, Input type, const char* file) {
  using namespace harness::nvjitlink;
  if (!is_linker(linker) || file == nullptr) return Result::ERROR_NULL_INPUT;
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return linker->fail(Result::ERROR_INVALID_INPUT, fmt::format("'{}' cannot be read", file));
  return add(*linker, type, {std::istreambuf_iterator<char>(in), {}}, file);
}

AFTERLIFE_NVJITLINK nvJitLinkComplete(Linker* linker) {
  using namespace harness::nvjitlink;
  return is_linker(linker) ? complete(*linker) : Result::ERROR_NULL_INPUT;
}

AFTERLIFE_NVJITLINK nvJitLinkGetLinkedCubinSize(Linker* linker, std::size_t* bytes) {
  using namespace harness::nvjitlink;
  return if_complete(linker, give_size(linker, bytes, &Linker::linked));
}
AFTERLIFE_NVJITLINK nvJitLinkGetLinkedCubin(Linker* linker, void* image) {
  using namespace harness::nvjitlink;
  return if_complete(linker, give(linker, image, &Linker::linked));
}
AFTERLIFE_NVJITLINK nvJitLinkGetLinkedPtxSize(Linker* linker, std::size_t* bytes) {
  using namespace harness::nvjitlink;
  return if_complete(linker, give_size(linker, bytes, &Linker::linked));
}
AFTERLIFE_NVJITLINK nvJitLinkGetLinkedPtx(Linker* linker, char* text) {
  using namespace harness::nvjitlink;
  return if_complete(linker, give(linker, text, &Linker::linked));
}
AFTERLIFE_NVJITLINK nvJitLinkGetErrorLogSize(Linker* linker, std::size_t* bytes) {
  return harness::nvjitlink::give_size(linker, bytes, &Linker::errors);
}
AFTERLIFE_NVJITLINK nvJitLinkGetErrorLog(Linker* linker, char* text) {
  return harness::nvjitlink::give(linker, text, &Linker::errors);
}
AFTERLIFE_NVJITLINK nvJitLinkGetInfoLogSize(Linker* linker, std::size_t* bytes) {
  return harness::nvjitlink::give_size(linker, bytes, &Linker::information);
}
AFTERLIFE_NVJITLINK nvJitLinkGetInfoLog(Linker* linker, char* text) {
  return harness::nvjitlink::give(linker, text, &Linker::information);
}

AFTERLIFE_NVJITLINK nvJitLinkVersion(unsigned* major, unsigned* minor) {
  if (major == nullptr || minor == nullptr) return Result::ERROR_INVALID_INPUT;
  std::tie(*major, *minor) = harness::nvjitlink::kVersion;
  return Result::SUCCESS;
}
