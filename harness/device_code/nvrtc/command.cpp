// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/nvrtc/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "harness/base/printable.h"
#include "harness/device_code/nvrtc/lowered_names.h"

namespace harness::nvrtc {
namespace {

/// Returns the folder of the program's file; "" if there is none, or if it is not safe for a
/// compiler.
std::string folder_beside(const std::string& name) {
  std::error_code error;
  const auto file = std::filesystem::absolute(name, error);
  if (error) return {};
  const std::string folder = file.parent_path().string();
  const bool is_there = is_plain_folder(folder) && std::filesystem::is_directory(folder, error);
  return is_there ? folder : "";
}

void add_headers(Command& command, const Source& source, const Options& options) {
  std::vector<std::string> folders{kHeaderFolder};
  if (const std::string beside = folder_beside(source.name);
      options.searches_beside_source && !beside.empty())
    folders.push_back(beside);
  folders.insert(folders.end(), options.includes.begin(), options.includes.end());
  for (const std::string& folder : folders) command.push_back("-I" + folder);
}

Command nvcc_command(const Options& options, const Toolchain& toolchain) {
  Command command{toolchain.program, "-ptx", "-lineinfo", "-allow-unsupported-compiler",
                  "-Wno-deprecated-gpu-targets"};
  if (!toolchain.host_compiler.empty())
    command.insert(command.end(), {"-ccbin", toolchain.host_compiler});
  command.push_back(fmt::format("-arch=compute_{}", options.generation()));
  command.push_back("-std=" + options.standard);
  if (options.is_relocatable) command.emplace_back("-rdc=true");
  if (options.is_fast_math) command.emplace_back("--use_fast_math");
  if (!options.contracts) command.emplace_back("-fmad=false");
  // nvcc lacks the option. With this one, it accepts constexpr functions on the device, too.
  if (options.is_device_by_default) command.emplace_back("--expt-relaxed-constexpr");
  for (const SharedOption& option : options.shared)
    command.push_back(option.argument.empty() ? option.name
                                              : fmt::format("{}={}", option.name, option.argument));
  return command;
}

/// Returns the newest architecture that clang 19 supports and that is not newer than requested.
std::string clang_architecture(const Options& options) {
  constexpr int kNewest = 90;
  int number = 0;
  const std::string_view generation = options.generation();
  std::from_chars(generation.data(), generation.data() + generation.size(), number);
  if (number == 88) number = 87;
  return fmt::format("sm_{}", std::min(number, kNewest));
}

Command clang_command(const Options& options, const Toolchain& toolchain) {
  Command command{toolchain.program,
                  "-x",
                  "cuda",
                  "--cuda-device-only",
                  "--cuda-gpu-arch=" + clang_architecture(options),
                  "--cuda-feature=+ptx83",
                  fmt::format("--cuda-path={}", kOwnFolder),
                  "-nocudainc",
                  "-nocudalib",
                  "-Wno-unknown-cuda-version",
                  "-S",
                  "-O2",
                  "-gline-tables-only",
                  "-fdebug-compilation-dir=.",
                  "-fno-color-diagnostics",
                  "-D__CUDACC_RTC__",
                  "-std=" + options.standard};
  if (options.is_relocatable) command.emplace_back("-fgpu-rdc");
  command.emplace_back(options.contracts ? "-ffp-contract=fast" : "-ffp-contract=off");
  if (options.is_fast_math)
    command.insert(command.end(), {"-fgpu-flush-denormals-to-zero", "-D__USE_FAST_MATH__"});
  for (const SharedOption& option : options.shared)
    if (!option.for_clang.empty()) command.push_back(option.for_clang);
  command.insert(command.end(),
                 {"-I", kOwnFolder, "-include", "harness/device_code/nvrtc/device/functions.cuh",
                  "-include", "harness/device_code/nvrtc/device/textures.cuh"});
  return command;
}

}  // namespace

Command command_of(const Source& source, const Options& options, const Toolchain& toolchain) {
  Command command = toolchain.kind == Toolchain::Kind::nvcc ? nvcc_command(options, toolchain)
                                                            : clang_command(options, toolchain);
  add_headers(command, source, options);
  command.insert(command.end(), {"-MD", "-MF", kDependencyFile, "-o", kPtxFile, kProgramFile});
  return command;
}

std::string plain_name(const std::string& name) {
  constexpr std::size_t kLongest = 1000;
  const std::string_view kept = std::string_view(name).substr(0, kLongest);
  const bool is_text = utf8_bytes(kept) == kept.size();
  std::string made;
  for (const char c : kept) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    made += is_plain || (c < 0 && is_text) ? c : '_';
  }
  return made;
}

std::string program_text(const Source& source, const Options& options, const Toolchain& toolchain) {
  const bool is_nvcc = toolchain.kind == Toolchain::Kind::nvcc;
  std::string text = "#line 1 \"options\"\n" + options.macros;
  if (is_nvcc) text += "#include <cassert>\n#include <cstdio>\n";
  text += options.pre_includes;
  const bool is_device_by_default = options.is_device_by_default && !is_nvcc;
  if (is_device_by_default) text += "#pragma clang force_cuda_host_device begin\n";
  text += fmt::format("#line 1 \"{}\"\n{}\n", plain_name(source.name), source.text);
  if (is_device_by_default) text += "#pragma clang force_cuda_host_device end\n";
  return text + name_declarations(source.expressions);
}

}  // namespace harness::nvrtc
