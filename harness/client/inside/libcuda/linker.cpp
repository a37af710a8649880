// SPDX-License-Identifier: Apache-2.0
// How it works. Each input is parsed when it is added, and refused if it is not PTX. The texts are
// combined when the program requests the image. States are identified by their addresses.
#include "harness/client/inside/libcuda/linker.h"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/client/inside/libcuda/jit_options.h"
#include "harness/client/inside/libcuda/ptx.h"
#include "harness/device_code/ptx/image.h"
#include "harness/device_code/ptx/link.h"
#include "harness/device_code/ptx/module.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/process.h"

// cuda.h renames these to their newest version. We export both, with the same parameters.
#undef cuLinkCreate
#undef cuLinkAddData
#undef cuLinkAddFile

struct CUlinkState_st {
  harness::entries::JitOptions options;
  std::vector<harness::devices::LentId> lent;  ///< The memory to which the options refer.
  std::vector<harness::ptx::LinkInput> inputs;
  std::string image;
};

namespace harness::entries {
namespace {

std::mutex mutex;
std::vector<std::unique_ptr<CUlinkState_st>> states;

/// Returns the state if it exists, else null. Requires the mutex.
CUlinkState_st* find_state(CUlinkState wanted) {
  const auto found = std::ranges::find_if(
      states, [&](const std::unique_ptr<CUlinkState_st>& one) { return one.get() == wanted; });
  return found != states.end() ? found->get() : nullptr;
}

/// A driver call, while it has the driver.
class DriverCall {
 public:
  explicit DriverCall(Label function) : process_(ProcessWorld::get()) {
    process_.begin_call(function);
    site_.emplace(process_.world().scheduler, function);
  }
  ~DriverCall() {
    site_.reset();
    process_.unlock();
  }
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

  devices::LentMemory& lent_memory() const {
    return static_cast<devices::SimDevice&>(*process_.world().device).host_memory().lent();
  }

 private:
  ProcessWorld& process_;
  std::optional<SiteScope> site_;
};

void lend_outputs(CUlinkState_st& state) {
  if (state.options.outputs.empty()) return;
  const DriverCall call("cuLinkCreate");
  for (const void* output : state.options.outputs)
    state.lent.push_back(call.lent_memory().lend(devices::LentFor::link_output,
                                                 reinterpret_cast<std::uint64_t>(output), 1));
}

/// Reports a fault if the memory for outputs was freed; then nothing is written to it any more.
void use_outputs(CUlinkState_st& state, Label function) {
  if (state.lent.empty()) return;
  const DriverCall call(function);
  for (const devices::LentId lent : state.lent)
    if (!call.lent_memory().used(lent, {})) state.options = {};
}

CUresult fail(CUlinkState_st& state, CUresult error, const std::string& line) {
  state.options.errors.add("error   : " + line);
  state.options.errors.tell();
  return error;
}

/// Returns whether the input may contain PTX. A cubin of our NVRTC is the text itself.
bool is_kind_of_image(CUjitInputType type) {
  return type == CU_JIT_INPUT_CUBIN || type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY ||
         type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY;
}

CUresult add(CUlinkState_st& state, CUjitInputType type, const std::string& text,
             const std::string& name) {
  if (type < 0 || type >= CU_JIT_NUM_INPUT_TYPES) return CUDA_ERROR_INVALID_VALUE;
  const ptx::Form form = ptx::form_of(text.c_str());
  if (!is_kind_of_image(type) || (type != CU_JIT_INPUT_PTX && form != ptx::Form::ptx)) {
    std::fputs("afterlife: the input of the linker is not PTX: needs PTX, such as from nvcc -ptx\n",
               stderr);
    return fail(state, CUDA_ERROR_NO_BINARY_FOR_GPU, fmt::format("'{}' is not PTX", name));
  }
  try {
    ptx::parse(text);
  } catch (const ptx::Malformed& malformed) {
    return fail(state, CUDA_ERROR_INVALID_PTX, fmt::format("{}: {}", name, malformed.words));
  }
  state.inputs.push_back({name, text});
  return CUDA_SUCCESS;
}

CUresult create(unsigned count, CUjit_option* options, void** values, CUlinkState* made) {
  if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUcontext context = nullptr;
  if (const CUresult error = ::cuCtxGetCurrent(&context); error != CUDA_SUCCESS) return error;
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  auto state = std::make_unique<CUlinkState_st>();
  if (const CUresult error = state->options.read(count, options, values); error != CUDA_SUCCESS)
    return error;
  lend_outputs(*state);
  const std::lock_guard lock(mutex);
  *made = states.emplace_back(std::move(state)).get();
  return CUDA_SUCCESS;
}

CUresult add_data(CUlinkState wanted, CUjitInputType type, const void* data, std::size_t bytes,
                  const char* name, unsigned count, const CUjit_option* options, void** values) {
  const std::lock_guard lock(mutex);
  CUlinkState_st* state = find_state(wanted);
  if (state == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (data == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (count != 0 && (options == nullptr || values == nullptr || !are_for_an_input(count, options)))
    return CUDA_ERROR_INVALID_VALUE;
  const auto* text = static_cast<const char*>(data);
  use_outputs(*state, "cuLinkAddData");
  const std::string input =
      name != nullptr ? name : fmt::format("input {}", state->inputs.size() + 1);
  if (type != CU_JIT_INPUT_FATBINARY || ptx::form_of(data) != ptx::Form::binary)
    return add(*state, type, std::string(text, ::strnlen(text, bytes)), input);
  const std::string best = text_of_fatbin(data);
  return !best.empty() ? add(*state, type, best, input)
                       : fail(*state, CUDA_ERROR_NO_BINARY_FOR_GPU,
                              fmt::format("'{}' has no PTX for this device", input));
}

CUresult add_file(CUlinkState wanted, CUjitInputType type, const char* path, unsigned count,
                  const CUjit_option* options, void** values) {
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::ifstream in(path, std::ios::binary);
  if (!in) return CUDA_ERROR_FILE_NOT_FOUND;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return add_data(wanted, type, text.c_str(), text.size() + 1, path, count, options, values);
}

CUresult complete(CUlinkState wanted, void** image, std::size_t* bytes) {
  const std::lock_guard lock(mutex);
  CUlinkState_st* state = find_state(wanted);
  if (state == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  use_outputs(*state, "cuLinkComplete");
  const auto began = std::chrono::steady_clock::now();
  try {
    state->image = ptx::link(state->inputs);
  } catch (const ptx::NotLinked& refused) {
    for (const std::string& line : refused.errors) fail(*state, CUDA_ERROR_INVALID_IMAGE, line);
    return CUDA_ERROR_INVALID_IMAGE;
  } catch (const ptx::Malformed& malformed) {
    return fail(*state, CUDA_ERROR_INVALID_PTX, malformed.words);
  }
  *image = state->image.data();
  if (bytes != nullptr) *bytes = state->image.size() + 1;
  if (state->options.is_verbose)
    state->options.information.add(
        fmt::format("info    : {} inputs, {} bytes", state->inputs.size(), state->image.size()));
  state->options.information.tell();
  state->options.took(
      std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - began).count());
  return CUDA_SUCCESS;
}

CUresult destroy(CUlinkState wanted) {
  const std::lock_guard lock(mutex);
  if (CUlinkState_st* state = find_state(wanted); state != nullptr && !state->lent.empty()) {
    const DriverCall call("cuLinkDestroy");
    for (const devices::LentId lent : state->lent) call.lent_memory().give_back(lent);
  }
  return std::erase_if(states, [&](const auto& one) { return one.get() == wanted; }) != 0
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace
}  // namespace harness::entries

#pragma GCC visibility push(default)
extern "C" {
#define AFTERLIFE_LINK_CREATE(name)                                                        \
  CUresult name(unsigned count, CUjit_option* options, void** values, CUlinkState* made) { \
    return harness::entries::create(count, options, values, made);                         \
  }
#define AFTERLIFE_LINK_ADD_DATA(name)                                                           \
  CUresult name(CUlinkState state, CUjitInputType type, void* data, size_t bytes,               \
                const char* input, unsigned count, CUjit_option* options, void** values) {      \
    return harness::entries::add_data(state, type, data, bytes, input, count, options, values); \
  }
#define AFTERLIFE_LINK_ADD_FILE(name)                                                     \
  CUresult name(CUlinkState state, CUjitInputType type, const char* path, unsigned count, \
                CUjit_option* options, void** values) {                                   \
    return harness::entries::add_file(state, type, path, count, options, values);         \
  }
AFTERLIFE_LINK_CREATE(cuLinkCreate)
AFTERLIFE_LINK_CREATE(cuLinkCreate_v2)
AFTERLIFE_LINK_ADD_DATA(cuLinkAddData)
AFTERLIFE_LINK_ADD_DATA(cuLinkAddData_v2)
AFTERLIFE_LINK_ADD_FILE(cuLinkAddFile)
AFTERLIFE_LINK_ADD_FILE(cuLinkAddFile_v2)

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  return harness::entries::complete(state, image, bytes);
}
CUresult cuLinkDestroy(CUlinkState state) { return harness::entries::destroy(state); }
}
#pragma GCC visibility pop

namespace harness::entries {

void* find_linker(const char* base) {
  struct Export {
    const char* name;
    void* function;
  };
  static const std::array kExports{
      Export{"cuLinkCreate", reinterpret_cast<void*>(::cuLinkCreate_v2)},
      Export{"cuLinkAddData", reinterpret_cast<void*>(::cuLinkAddData_v2)},
      Export{"cuLinkAddFile", reinterpret_cast<void*>(::cuLinkAddFile_v2)},
      Export{"cuLinkComplete", reinterpret_cast<void*>(::cuLinkComplete)},
      Export{"cuLinkDestroy", reinterpret_cast<void*>(::cuLinkDestroy)}};
  const auto* found = std::ranges::find_if(
      kExports, [&](const Export& one) { return std::strcmp(one.name, base) == 0; });
  return found != kExports.end() ? found->function : nullptr;
}

}  // namespace harness::entries
