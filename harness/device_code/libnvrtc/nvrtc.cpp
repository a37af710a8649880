// SPDX-License-Identifier: Apache-2.0
// libafterlife_nvrtc.so: NVRTC's functions, implemented with compilers on this machine.
// libnvrtc.so.13 forwards to it.
//
// Handles are looked up, so that an invalid one is an error and not a crash.
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "harness/base/short_lock.h"
#include "harness/device_code/nvrtc/program.h"

#define AFTERLIFE_NVRTC extern "C" __attribute__((visibility("default"))) Result

namespace harness::nvrtc {
namespace {

constexpr int kMajor = 13;
constexpr int kMinor = 0;
constexpr std::size_t kPchHeapBytes = std::size_t{256} << 20;

entries::ShortLock lock;
std::set<const void*> programs;
std::size_t pch_heap_bytes = kPchHeapBytes;

bool is_program(const void* handle) {
  const std::lock_guard hold(lock);
  return programs.contains(handle);
}

/// Returns the size of a text with its terminating zero, or of an image, which may be missing.
Result give_size(const Program* program, std::size_t* bytes, std::size_t count) {
  if (!is_program(program)) return Result::ERROR_INVALID_PROGRAM;
  if (bytes == nullptr) return Result::ERROR_INVALID_INPUT;
  *bytes = count;
  return Result::SUCCESS;
}

Result give(char* to, const std::string& text) {
  if (to == nullptr) return Result::ERROR_INVALID_INPUT;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return Result::SUCCESS;
}

/// Returns an empty image, for kinds that are never produced.
Result give_nothing(const Program* program, const char* to) {
  if (!is_program(program)) return Result::ERROR_INVALID_PROGRAM;
  return to == nullptr ? Result::ERROR_INVALID_INPUT : Result::SUCCESS;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(Result result) {
  switch (result) {
#define NVRTC_RESULT(name, number) \
  case Result::name:               \
    return "NVRTC_" #name;
#include "harness/device_code/nvrtc/interface.def"
#undef NVRTC_RESULT
  }
  return "NVRTC_ERROR unknown";
}

AFTERLIFE_NVRTC nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return Result::ERROR_INVALID_INPUT;
  *major = kMajor;
  *minor = kMinor;
  return Result::SUCCESS;
}

AFTERLIFE_NVRTC nvrtcGetNumSupportedArchs(int* count) {
  if (count == nullptr) return Result::ERROR_INVALID_INPUT;
  *count = static_cast<int>(std::size(kArchitectures));
  return Result::SUCCESS;
}

AFTERLIFE_NVRTC nvrtcGetSupportedArchs(int* architectures) {
  if (architectures == nullptr) return Result::ERROR_INVALID_INPUT;
  std::copy(std::begin(kArchitectures), std::end(kArchitectures), architectures);
  return Result::SUCCESS;
}

// ---- programs -----------------------------------------------------------------------------------

AFTERLIFE_NVRTC nvrtcCreateProgram(Program** made, const char* source, const char* name,
                                   int header_count, const char* const* headers,
                                   const char* const* names) {
  if (made == nullptr) return Result::ERROR_INVALID_PROGRAM;
  if (source == nullptr || header_count < 0) return Result::ERROR_INVALID_INPUT;
  if (header_count > 0 && (headers == nullptr || names == nullptr))
    return Result::ERROR_INVALID_INPUT;
  Source all{source, name != nullptr && *name != '\0' ? name : "default_program", {}, {}};
  for (int i = 0; i < header_count; ++i) {
    if (headers[i] == nullptr || names[i] == nullptr) return Result::ERROR_INVALID_INPUT;
    all.headers.push_back({names[i], headers[i]});
  }
  auto program = std::make_unique<Program>(std::move(all));
  const std::lock_guard hold(lock);
  programs.insert(program.get());
  *made = program.release();
  return Result::SUCCESS;
}

AFTERLIFE_NVRTC nvrtcDestroyProgram(Program** program) {
  if (program == nullptr) return Result::ERROR_INVALID_PROGRAM;
  {
    const std::lock_guard hold(lock);
    if (programs.erase(*program) == 0) return Result::ERROR_INVALID_PROGRAM;
  }
  delete *program;
  *program = nullptr;
  return Result::SUCCESS;
}

AFTERLIFE_NVRTC nvrtcCompileProgram(Program* program, int option_count,
                                    const char* const* options) {
  if (!is_program(program)) return Result::ERROR_INVALID_PROGRAM;
  if (option_count < 0) return Result::ERROR_INVALID_INPUT;
  if (option_count > 0 && options == nullptr) return Result::ERROR_INVALID_OPTION;
  return program->compile({options, static_cast<std::size_t>(option_count)});
}

AFTERLIFE_NVRTC nvrtcAddNameExpression(Program* program, const char* expression) {
  if (!is_program(program)) return Result::ERROR_INVALID_PROGRAM;
  if (expression == nullptr) return Result::ERROR_INVALID_INPUT;
  return program->add_expression(expression);
}

AFTERLIFE_NVRTC nvrtcGetLoweredName(Program* program, const char* expression, const char** name) {
  if (!is_program(program)) return Result::ERROR_INVALID_PROGRAM;
  if (expression == nullptr || name == nullptr) return Result::ERROR_INVALID_INPUT;
  return program->find_lowered(expression, name);
}

AFTERLIFE_NVRTC nvrtcSetFlowCallback(Program* program, int (*callback)(void*, void*),
                                     void* payload) {
  if (!is_program(program)) return Result::ERROR_INVALID_PROGRAM;
  if (callback == nullptr) return Result::ERROR_INVALID_INPUT;
  program->ask(callback, payload);
  return Result::SUCCESS;
}

// ---- results ------------------------------------------------------------------------------------

AFTERLIFE_NVRTC nvrtcGetPTXSize(Program* program, std::size_t* bytes) {
  return give_size(program, bytes, is_program(program) ? program->ptx().size() + 1 : 0);
}

AFTERLIFE_NVRTC nvrtcGetPTX(Program* program, char* text) {
  return is_program(program) ? give(text, program->ptx()) : Result::ERROR_INVALID_PROGRAM;
}

AFTERLIFE_NVRTC nvrtcGetCUBINSize(Program* program, std::size_t* bytes) {
  const std::string cubin = is_program(program) ? program->cubin() : "";
  return give_size(program, bytes, cubin.empty() ? 0 : cubin.size() + 1);
}

AFTERLIFE_NVRTC nvrtcGetCUBIN(Program* program, char* image) {
  if (give_nothing(program, image) != Result::SUCCESS || program->cubin().empty())
    return give_nothing(program, image);
  return give(image, program->cubin());
}

AFTERLIFE_NVRTC nvrtcGetLTOIRSize(Program* program, std::size_t* bytes) {
  return give_size(program, bytes, 0);
}

AFTERLIFE_NVRTC nvrtcGetLTOIR(Program* program, char* image) {
  return give_nothing(program, image);
}

AFTERLIFE_NVRTC nvrtcGetOptiXIRSize(Program* program, std::size_t* bytes) {
  return give_size(program, bytes, 0);
}

AFTERLIFE_NVRTC nvrtcGetOptiXIR(Program* program, char* image) {
  return give_nothing(program, image);
}

AFTERLIFE_NVRTC nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
  return give_size(program, bytes, is_program(program) ? program->log().size() + 1 : 0);
}

AFTERLIFE_NVRTC nvrtcGetProgramLog(Program* program, char* log) {
  return is_program(program) ? give(log, program->log()) : Result::ERROR_INVALID_PROGRAM;
}

// ---- precompiled headers, which are not supported -----------------------------------------------

AFTERLIFE_NVRTC nvrtcGetPCHHeapSize(std::size_t* bytes) {
  if (bytes == nullptr) return Result::ERROR_INVALID_INPUT;
  const std::lock_guard hold(lock);
  *bytes = pch_heap_bytes;
  return Result::SUCCESS;
}

AFTERLIFE_NVRTC nvrtcSetPCHHeapSize(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::lock_guard hold(lock);
  pch_heap_bytes = (bytes + kPage - 1) / kPage * kPage;
  return Result::SUCCESS;
}

AFTERLIFE_NVRTC nvrtcGetPCHCreateStatus(Program* program) {
  return is_program(program) ? program->pch_status() : Result::ERROR_INVALID_PROGRAM;
}

AFTERLIFE_NVRTC nvrtcGetPCHHeapSizeRequired(Program* program, std::size_t* bytes) {
  return give_size(program, bytes, 0);
}

}  // namespace harness::nvrtc
