// SPDX-License-Identifier: Apache-2.0
// How it works. The options of the tools are not listed, because they differ between versions. The
// value of an unknown option is not mistaken for a source: its name does not end like a source, or
// the file is not PTX.
#include "harness/client/inside/stand_ins/commands.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string_view>

namespace harness::stand_ins {
namespace {

namespace fs = std::filesystem;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// An option with a value, in the same word ("-o=x") or in the next one.
struct Option {
  std::string_view brief;
  std::string_view name;

  /// Reads the option's value if the option is at `i`, and advances `i` to its last word.
  bool take(const Arguments& arguments, std::size_t& i, std::string& value) const {
    const std::string_view word = arguments[i];
    for (const std::string_view form : {brief, name}) {
      if (!word.starts_with(form)) continue;
      const std::string_view rest = word.substr(form.size());
      if (rest.empty() && i + 1 < arguments.size()) return value = arguments[++i], true;
      if (rest.starts_with('=')) return value = rest.substr(1), true;
    }
    return false;
  }
};

/// The arguments that are not options, and the values of the options that matter.
struct Split {
  std::vector<std::string> files;
  std::string output;
  std::string folder;
};

/// Values of `others` do not count as files.
Split split(const Arguments& arguments, std::initializer_list<Option> others) {
  constexpr Option kOutput{"-o", "--output-file"};
  constexpr Option kFolder{"-odir", "--output-directory"};
  Split made;
  std::string ignored;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (kOutput.take(arguments, i, made.output) || kFolder.take(arguments, i, made.folder) ||
        std::ranges::any_of(others,
                            [&](const Option& other) { return other.take(arguments, i, ignored); }))
      continue;
    if (!arguments[i].starts_with('-')) made.files.push_back(arguments[i]);
  }
  return made;
}

bool has_any(const Arguments& arguments, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(arguments,
                             [&](const std::string& word) { return is_one_of(word, words); });
}

bool is_source(const std::string& file) {
  const std::string suffix = fs::path(file).extension().string();
  return is_one_of(suffix, {".cu", ".c", ".cc", ".cpp", ".cxx", ".gpu", ".ptx"}) &&
         fs::is_regular_file(file);
}

}  // namespace

bool is_ptx(const std::string& file) {
  if (!fs::is_regular_file(file)) return false;
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t version = text.find(".version");
  return version != std::string::npos && text.find('\0') > version;
}

Wanted read_ptxas(const Arguments& arguments) {
  if (has_any(arguments, {"--version", "-V", "--help", "-h", "--list-version", "-version-ls",
                          "--input-as-string", "-ias", "--options-file", "-optf"}))
    return {};
  Split found = split(arguments, {});
  std::erase_if(found.files, [](const std::string& file) { return !is_ptx(file); });
  if (found.files.size() != 1) return {};
  return {found.files[0], found.output.empty() ? "elf.o" : found.output};
}

Wanted read_nvcc(const Arguments& arguments) {
  if (!has_any(arguments, {"-cubin", "--cubin"}) || has_any(arguments, {"-dryrun", "--dryrun"}))
    return {};
  Split found = split(arguments, {{"-include", "--pre-include"}, {"-MF", "--dependency-output"}});
  std::erase_if(found.files, [](const std::string& file) { return !is_source(file); });
  if (found.files.size() != 1) return {};
  if (!found.output.empty()) return {found.files[0], found.output};
  const fs::path name = fs::path(found.files[0]).stem().string() + ".cubin";
  return {found.files[0], (fs::path(found.folder) / name).string()};
}

Arguments for_ptx(const Arguments& arguments, const Wanted& wanted) {
  Arguments made = arguments;
  for (std::string& word : made)
    if (is_one_of(word, {"-cubin", "--cubin"})) word = "-ptx";
  if (split(arguments, {}).output.empty()) made.insert(made.end(), {"-o", wanted.output});
  return made;
}

}  // namespace harness::stand_ins
