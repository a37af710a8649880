// SPDX-License-Identifier: Apache-2.0
// How it works. A result is cached under a hash of all inputs that are known beforehand: the text,
// the headers given with it, the options, the compiler. It also contains a list of the files that
// the compiler read, and is valid as long as these have the same size and time.
#include "harness/device_code/nvrtc/compilation.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "harness/base/files/content_cache.h"
#include "harness/base/files/read.h"
#include "harness/base/files/scratch_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/printable.h"
#include "harness/base/process/tool.h"
#include "harness/device_code/nvrtc/command.h"
#include "harness/device_code/nvrtc/lowered_names.h"
#include "harness/device_code/nvrtc/own_headers.h"

namespace harness::nvrtc {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// ---- the folder in which the compiler works -----------------------------------------------------

void write(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(fmt::format("cannot write to {}", file.string()));
}

/// Returns the file for a header; "" if that would be outside of the folder, or is not a valid file
/// name.
std::string header_file(const std::string& name) {
  constexpr std::size_t kLongestName = 255;
  const bool has_control =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
  const fs::path path = (fs::path(kHeaderFolder) / name).lexically_normal();
  const bool is_long = std::any_of(path.begin(), path.end(), [](const fs::path& part) {
    return part.native().size() > kLongestName;
  });
  const bool is_within = fs::path(name).is_relative() && path.native().starts_with("headers/");
  const bool is_file = path.has_filename() && path.filename() != "..";
  return is_within && is_file && !has_control && !is_long ? path.string() : "";
}

/// Returns the first header that cannot be stored as a file together with the others, or null.
const Header* impossible_header(const std::vector<Header>& headers) {
  std::set<fs::path> folders;
  const auto add_parents = [&](fs::path file) {
    while (!(file = file.parent_path()).empty()) folders.insert(file);
  };
  add_parents(header_file("any"));
  for (const Header& header : headers) add_parents(header_file(header.name));
  for (const Header& header : headers) {
    const std::string file = header_file(header.name);
    if (file.empty() || folders.contains(file)) return &header;
  }
  return nullptr;
}

/// Returns the reason why no compiler can compile a program; "" if there is none.
std::string complaint_of(const Source& source) {
  if (const Header* header = impossible_header(source.headers); header != nullptr)
    return fmt::format("{}: error: a header cannot have this name\n", shown(header->name));
  for (const std::string& expression : source.expressions)
    if (!is_expression(expression))
      return fmt::format("name expression: error: no expression: {}\n", shown(expression));
  return {};
}

void write_all(const fs::path& folder, const Source& source, const Options& options,
               const Toolchain& toolchain) {
  write(folder / kProgramFile, program_text(source, options, toolchain));
  fs::create_directories(folder / kHeaderFolder);
  for (const Header& header : source.headers) write(folder / header_file(header.name), header.text);
  if (toolchain.kind == Toolchain::Kind::clang)
    for (const auto& [name, text] : own_headers())
      write(folder / kOwnFolder / name, std::string(text));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t place = 0; (place = text.find(from, place)) != std::string::npos;
       place += to.size())
    text.replace(place, from.size(), to);
  return text;
}

/// Removes the names of our folder from a text, so that the program and the headers have their own
/// names.
std::string without_folder(std::string text, const fs::path& folder, const Source& source) {
  const std::string root = fs::canonical(folder).string() + "/";
  for (const std::string& prefix :
       {root + kHeaderFolder + "/", root, std::string(kHeaderFolder) + "/"})
    text = replaced(std::move(text), prefix, "");
  return replaced(std::move(text), kProgramFile, plain_name(source.name));
}

// ---- files that were read -----------------------------------------------------------------------

/// Returns size and time of a file; null if it does not exist.
Json state_of(const std::string& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) return nullptr;
  return {found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

/// Reads a make rule: "out : file \ file ...".
Json read_files(const fs::path& dependencies) {
  Json files = Json::object();
  std::istringstream words(replaced(read_whole_file(dependencies.string()), "\\\n", " "));
  for (std::string word; words >> word;)
    if (word.starts_with('/')) files[word] = state_of(word);
  return files;
}

bool are_unchanged(const Json& files) {
  for (const auto& [file, state] : files.items())
    if (state != state_of(file)) return false;
  return true;
}

// ---- results ------------------------------------------------------------------------------------

std::string key_of(const Source& source, const Command& command, const std::string& text) {
  Json key{command, text, source.name};
  for (const Header& header : source.headers) key.push_back({header.name, header.text});
  for (const auto& [name, content] : own_headers()) key.push_back(content);
  const std::vector<std::uint8_t> bytes = Json::to_cbor(key);
  return {bytes.begin(), bytes.end()};
}

std::optional<Compiled> read_result(const std::string& file) {
  const Json all = Json::from_cbor(read_whole_file(file), true, false);
  if (!all.is_array() || all.size() != 4 || !are_unchanged(all[3])) return std::nullopt;
  return Compiled{true, all[0].get<std::string>(), all[1].get<std::string>(),
                  all[2].get<std::vector<std::string>>()};
}

void keep_result(const ContentCache& cache, const std::string& file, const Compiled& result,
                 const Json& files) {
  const std::vector<std::uint8_t> bytes =
      Json::to_cbor(Json{result.log, result.ptx, result.lowered, files});
  write_whole_file(file, std::string(bytes.begin(), bytes.end()), OnDisk::later);
  cache.bound();
}

Compiled compile_in(const fs::path& folder, const Source& source, const Command& command) {
  constexpr std::size_t kLogLimit = std::size_t{1} << 20;
  ProcessOptions options;
  options.environment = {"TMPDIR=" + folder.string()};
  options.err_kept = kLogLimit;
  const ProcessEnd end = run_tool(command, options, folder.string());
  Compiled made{end.code == 0 && !end.timed_out, without_folder(end.err, folder, source), {}, {}};
  if (!made.is_ok && (made.log.empty() || end.code < 0 || end.timed_out))
    made.log += fmt::format("{} {}\n", command[0], end.complaint(options.timeout_seconds));
  if (!made.is_ok) return made;
  made.ptx = without_folder(read_whole_file((folder / kPtxFile).string()), folder, source);
  made.lowered = take_names(made.ptx, source.expressions.size());
  return made;
}

Compiled compile_by(const Toolchain& toolchain, const Source& source, const Options& options) {
  if (const std::string complaint = complaint_of(source); !complaint.empty())
    return {false, complaint, {}, {}};
  const Command command = command_of(source, options, toolchain);
  const std::string text = program_text(source, options, toolchain);
  const ContentCache cache;
  const std::string file =
      cache.file_for(toolchain.identity, key_of(source, command, text), ".nvrtc");
  if (options.uses_cache && cache.has(file))
    if (std::optional<Compiled> kept = read_result(file)) return *kept;
  const ScratchFolder scratch("afterlife-nvrtc");
  write_all(scratch.name(), source, options, toolchain);
  const Compiled made = compile_in(scratch.name(), source, command);
  if (made.is_ok && options.uses_cache)
    keep_result(cache, file, made, read_files(fs::path(scratch.name()) / kDependencyFile));
  return made;
}

}  // namespace

/// If functions are device functions by default, nvcc is tried first, because it has all headers.
/// Programs that call a function that nvcc treats as a host function are compiled by clang.
Compiled compile(const Source& source, const Options& options, const Toolchain& toolchain) {
  Compiled made = compile_by(toolchain, source, options);
  if (made.is_ok || !options.is_device_by_default || toolchain.kind == Toolchain::Kind::clang)
    return made;
  const Toolchain clang = find_clang_toolchain();
  if (clang.program.empty()) {
    made.log += "nvrtc: nvcc knows no --device-as-default-execution-space; clang++ 19 does\n";
    return made;
  }
  Compiled again = compile_by(clang, source, options);
  return again.is_ok ? again : made;
}

}  // namespace harness::nvrtc
