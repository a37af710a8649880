// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/ptx/fatbin.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "harness/base/files/content_cache.h"
#include "harness/base/files/read.h"
#include "harness/base/files/scratch_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/process/cuda_tool.h"
#include "harness/base/process/tool.h"
#include "harness/device_code/ptx/compiler.h"

namespace harness::ptx {
namespace {

namespace fs = std::filesystem;

// ---- uncompressed texts -------------------------------------------------------------------------

bool is_text(std::string_view bytes) {
  return std::ranges::all_of(
      bytes, [](unsigned char c) { return (c >= ' ' && c != 0x7f) || std::isspace(c) != 0; });
}

/// Returns the beginning of the comments and empty lines before a line.
std::size_t begin_before(std::string_view bytes, std::size_t line) {
  while (line > 0 && bytes[line - 1] == '\n') {
    const std::size_t before = bytes.find_last_of(std::string_view("\n\0", 2), line - 2);
    const std::size_t begin = line < 2 || before == std::string_view::npos ? 0 : before + 1;
    const std::string_view words = bytes.substr(begin, line - begin);
    if (words != "\n" && !(words.starts_with("//") && is_text(words))) break;
    line = begin;
  }
  return line;
}

// ---- cuobjdump ----------------------------------------------------------------------------------

constexpr double kToolSeconds = 60;

/// Returns texts as one file: each follows a line with its length.
std::string together(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += fmt::format("{}\n{}", text.size(), text);
  return all;
}

/// Splits such a file into its texts; none if it is damaged.
std::optional<std::vector<std::string>> apart(const std::string& all) {
  std::vector<std::string> texts;
  for (std::size_t place = 0; place < all.size();) {
    std::size_t bytes = 0;
    const char* const end = all.data() + all.size();
    const auto [rest, error] = std::from_chars(all.data() + place, end, bytes);
    const auto begin = static_cast<std::size_t>(rest - all.data()) + 1;
    if (error != std::errc{} || rest == end || *rest != '\n' || bytes > all.size() - begin)
      return std::nullopt;
    texts.push_back(all.substr(begin, bytes));
    place = begin + bytes;
  }
  return texts;
}

/// cuobjdump fails if other bytes follow the image. This does no harm, because it has written the
/// files by then.
std::vector<std::string> ask(const std::string& program, std::string_view bytes) {
  const ScratchFolder folder("afterlife-fatbin");
  std::ofstream(folder.name() + "/image", std::ios::binary) << bytes;
  ProcessOptions options;
  options.timeout_seconds = kToolSeconds;
  const ProcessEnd end = run_tool({program, "-xptx", "all", "image"}, options, folder.name());
  if (end.timed_out || end.code < 0)
    throw std::runtime_error(program + " " + end.complaint(options.timeout_seconds));
  std::vector<std::string> files;
  for (const fs::directory_entry& file : fs::directory_iterator(folder.name()))
    if (file.path().extension() == ".ptx") files.push_back(file.path());
  std::ranges::sort(files);
  std::vector<std::string> texts;
  for (const std::string& file : files) texts.push_back(read_whole_file(file));
  return texts;
}

// ---- targets ------------------------------------------------------------------------------------

/// Returns the compute capability that a text needs, such as 80; 0 if a device of `capability` is
/// not suitable: "sm_90a" is only for 9.0, "sm_100f" only for its family.
unsigned needed_by(std::string_view text, unsigned capability) {
  constexpr std::string_view kTarget = ".target sm_";
  std::size_t place = text.find(kTarget);
  if (place == std::string_view::npos) return 0;
  unsigned number = 0;
  for (place += kTarget.size(); place < text.size() && std::isdigit(text[place]) != 0; ++place)
    number = 10 * number + static_cast<unsigned>(text[place] - '0');
  const char suffix = place < text.size() ? text[place] : ' ';
  if (number > capability || (suffix == 'a' && number != capability)) return 0;
  return suffix == 'f' && number / 10 != capability / 10 ? 0 : number;
}

// ---- memory -------------------------------------------------------------------------------------

/// Returns the end of the mapping that contains an address, or the address itself if there is none.
std::uintptr_t mapping_end(std::uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2 &&
        begin <= address && address < end)
      return end;
  }
  return address;
}

}  // namespace

std::vector<std::string_view> texts_in(std::string_view bytes) {
  constexpr std::string_view kBegin = ".version ";
  std::vector<std::string_view> texts;
  for (std::size_t place = 0; (place = bytes.find(kBegin, place)) != std::string_view::npos;) {
    const std::size_t line = place;
    place += kBegin.size();
    const std::size_t end = bytes.find('\0', place);
    if (end == std::string_view::npos) break;
    const bool begins = line == 0 || bytes[line - 1] == '\n' || bytes[line - 1] == '\0';
    const std::string_view text = bytes.substr(line, end - line);
    if (!begins || std::isdigit(bytes[place]) == 0 || !is_text(text) ||
        text.find("\n.target ") == std::string_view::npos)
      continue;
    const std::size_t begin = begin_before(bytes, line);
    texts.push_back(bytes.substr(begin, end - begin));
    place = end;
  }
  return texts;
}

bool can_extract() { return !find_cuda_tool("cuobjdump").empty(); }

std::vector<std::string> extracted_texts(std::string_view bytes) {
  const std::string program = find_cuda_tool("cuobjdump");
  if (program.empty() || bytes.empty()) return {};
  try {
    const ContentCache cache;
    const std::string file = cache.file_for(tool_identity(program), bytes, ".texts");
    if (cache.has(file))
      if (auto kept = apart(read_whole_file(file))) return *kept;
    const std::vector<std::string> texts = ask(program, bytes);
    write_whole_file(file, together(texts), OnDisk::later);
    cache.bound();
    return texts;
  } catch (const std::exception& error) {
    throw Refused{Refused::Why::compiler_failed, error.what()};
  }
}

int best_text(const std::vector<std::string_view>& texts, unsigned capability) {
  int best = -1;
  unsigned most = 0;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (const unsigned needed = needed_by(texts[i], capability); needed > most) {
      most = needed;
      best = static_cast<int>(i);
    }
  return best;
}

std::string readable_text(const void* image) {
  const auto begin = reinterpret_cast<std::uintptr_t>(image);
  const auto* text = static_cast<const char*>(image);
  return {text, ::strnlen(text, mapping_end(begin) - begin)};
}

std::string_view without_rest(std::string_view text) {
  const std::size_t last = text.find_last_of(";}");
  if (last == std::string_view::npos) return text;
  const std::size_t rest = last + 1;
  const bool has_directive = text.find('.', rest) != std::string_view::npos;
  return has_directive ? text : text.substr(0, rest);
}

std::string readable_bytes(const void* image) {
  constexpr std::size_t kLimit = std::size_t{64} << 20;
  constexpr std::size_t kStep = std::size_t{1} << 16;
  constexpr std::size_t kMagic = 8;
  const auto begin = reinterpret_cast<std::uintptr_t>(image);
  const std::size_t size = std::min(mapping_end(begin) - begin, kLimit);
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t known = bytes.size();
    const std::size_t wanted = std::min(kStep, size - known);
    bytes.resize(known + wanted);
    const iovec to{bytes.data() + known, wanted};
    const iovec from{reinterpret_cast<void*>(begin + known), wanted};
    // Another thread may unmap the memory. Nothing is copied then, where a load would crash.
    const ssize_t copied = ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0);
    bytes.resize(known + static_cast<std::size_t>(std::max<ssize_t>(copied, 0)));
    if (bytes.size() < kMagic) break;
    const std::size_t searched = known < kMagic ? kMagic : known - kMagic + 1;
    const std::size_t next = bytes.find(std::string_view(bytes).substr(0, kMagic), searched);
    if (next != std::string::npos) bytes.resize(next);
    if (bytes.size() < known + wanted) break;
  }
  return bytes;
}

}  // namespace harness::ptx
