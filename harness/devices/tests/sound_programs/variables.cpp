// SPDX-License-Identifier: Apache-2.0
// Variables of modules and libraries, loaded from a file or from memory.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "harness/base/tests/folder.h"
#include "harness/devices/sim/objects.h"
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {
namespace {

constexpr const char* kText = "kernels of a sound program";
constexpr std::size_t kTableBytes = 64;

/// The kernels for conformance, with a variable as well, and a managed one.
const KernelImage& with_tables() {
  static std::array<std::uint64_t, 2> addresses{};
  static const std::array<KernelVariable, 2> tables{
      {{"table", kTableBytes, nullptr}, {"managed", kTableBytes, nullptr, true}}};
  static const KernelImage image = [] {
    KernelImage made = afterlife_kernels_conformance;
    made.variable_count = tables.size();
    made.variables = tables.data();
    made.variable_addresses = addresses.data();
    return made;
  }();
  return image;
}

/// While it lives, a text stands for those kernels; so does the file that holds it.
class Text {
 public:
  Text() {
    devices::set_image_lookup([](const void* image) -> devices::ImageFound {
      const bool ours = std::strcmp(static_cast<const char*>(image), kText) == 0;
      return ours ? devices::ImageFound{&with_tables(), CUDA_SUCCESS}
                  : devices::ImageFound{nullptr, CUDA_ERROR_INVALID_IMAGE};
    });
  }
  ~Text() { devices::set_image_lookup(nullptr); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  static const char* file() {
    static const Folder folder;
    static const std::string name = [] {
      std::string made = folder / "kernels";
      write_file(made, kText);
      return made;
    }();
    return name.c_str();
  }
};

/// A variable is as good as memory that was allocated.
void use_table(Program& p, CUdeviceptr address, std::size_t bytes) {
  p.check(address != 0 && bytes == kTableBytes, "the variable");
  const std::size_t home = p.any_home();
  cuMemsetD32Async(address, 7, kTableBytes / sizeof(std::uint32_t), p.handle(home));
  p.work(home);
  p.wait(home);
}

void module_with_a_variable(Program& p) {
  CUmodule module = nullptr;
  {
    const Text text;
    if (p.coin())
      cuModuleLoad(&module, Text::file());
    else
      cuModuleLoadFatBinary(&module, kText);
  }
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  cuModuleGetGlobal_v2(&address, &bytes, module, "table");
  use_table(p, address, bytes);
  cuModuleUnload(module);
}

void library_with_a_variable(Program& p) {
  CUlibrary library = nullptr;
  {
    const Text text;
    cuLibraryLoadFromFile(&library, Text::file(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  }
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  cuLibraryGetGlobal(&address, &bytes, library, "table");
  use_table(p, address, bytes);
  cuLibraryGetManaged(&address, &bytes, library, "managed");
  use_table(p, address, bytes);
  cuLibraryUnload(library);
}

}  // namespace

Steps variable_steps() {
  static constexpr Program::Step kSteps[] = {module_with_a_variable, library_with_a_variable};
  return kSteps;
}

}  // namespace harness::testing::sound
