// SPDX-License-Identifier: Apache-2.0
// How it works. The driver's data about a kernel come from the text, which is parsed at each load.
// The shared object contains its code, and is compiled when the text is first loaded.
#include "harness/device_code/ptx/image.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>
#include <deque>
#include <vector>

#include "harness/device_code/ptx/check.h"
#include "harness/device_code/ptx/driver_table.h"
#include "harness/device_code/ptx/translation.h"

extern "C" {
/// The text of the headers in device/.
__attribute__((visibility("hidden"))) extern const char afterlife_ptx_device[];
}

namespace harness::ptx {
namespace {

/// Returns the headers as one text, without the lines that include each other.
std::string device_text() {
  std::string made;
  std::string_view rest = afterlife_ptx_device;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    if (!line.starts_with("#include") && !line.starts_with("#pragma once")) made += line;
    rest.remove_prefix(end);
  }
  return made;
}

/// Calls a function. Errors of the text become Refused.
template <class Call>
auto refusing(const Call& call) {
  try {
    return call();
  } catch (const Malformed& malformed) {
    throw Refused{Refused::Why::malformed, malformed.words};
  } catch (const TooLarge& large) {
    throw Refused{Refused::Why::too_large, large.words};
  }
}

Module parse_text(const std::string& text) {
  return refusing([&] {
    Module module = parse(text);
    require_valid(module);
    return module;
  });
}

Layout layout_of(const Module& module) {
  return refusing([&] {
    Layout layout(module);
    require_valid(layout);
    return layout;
  });
}

/// The code of a module.
struct Code {
  void (**entries)(void* const*);
  const std::uint64_t* functions;
};

Code open_code(const Compiler& compiler, const std::string& source) {
  const auto open = [](const std::string& file) {
    return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  };
  void* library = open(compiler.compile(source));
  if (library == nullptr) library = open(compiler.compile_anew(source));
  if (library == nullptr) throw Refused{Refused::Why::compiler_failed, dlerror()};
  auto* driver = static_cast<::ptx::Driver**>(dlsym(library, kDriverSymbol));
  const Code code{reinterpret_cast<void (**)(void* const*)>(dlsym(library, kEntriesSymbol)),
                  static_cast<const std::uint64_t*>(dlsym(library, kFunctionsSymbol))};
  if (driver == nullptr || code.entries == nullptr || code.functions == nullptr)
    throw Refused{Refused::Why::compiler_failed, "the compiled module lacks its tables"};
  **driver = driver_table();
  return code;
}

// ---- properties from the text -------------------------------------------------------------------

/// Everything that a KernelImage points at.
struct Loaded {
  KernelImage image{};
  std::deque<std::string> names;
  std::vector<KernelEntry> entries;
  std::deque<std::vector<KernelParameter>> parameters;
  std::deque<KernelExtras> extras;
  std::vector<KernelVariable> variables;
  std::deque<std::vector<std::byte>> initial;
  std::vector<KernelRelocation> relocations;
  std::vector<std::uint64_t> addresses;
};

std::uint32_t target_of(const Module& module) {
  std::uint32_t number = 0;
  const std::size_t place = module.target.find_first_of("0123456789");
  if (place != std::string::npos)
    std::from_chars(module.target.data() + place, module.target.data() + module.target.size(),
                    number);
  return number;
}

void add_parameters(Loaded& made, KernelEntry& entry, const Function& function) {
  std::vector<KernelParameter>& list = made.parameters.emplace_back();
  std::uint64_t end = 0;
  for (const Variable& parameter : function.parameters) {
    const std::uint64_t offset = aligned(end, parameter.alignment);
    list.push_back(
        {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(parameter.bytes())});
    end = offset + parameter.bytes();
  }
  entry.parameters = list.data();
  entry.parameter_count = static_cast<std::uint32_t>(list.size());
  entry.parameter_bytes = static_cast<std::uint32_t>(end);
}

std::uint32_t local_bytes(const Function& function) {
  std::uint64_t bytes = 0;
  for (const Statement& statement : function.body)
    if (statement.kind == Statement::Kind::variable && statement.variable.space == Space::local)
      bytes += statement.variable.bytes();
  return static_cast<std::uint32_t>(bytes);
}

std::uint32_t constant_bytes(const Module& module) {
  std::uint64_t bytes = 0;
  for (const Variable& variable : module.variables)
    if (variable.space == Space::constant) bytes += variable.bytes();
  return static_cast<std::uint32_t>(bytes);
}

void add_entries(Loaded& made, const Layout& layout, const Code& code) {
  std::size_t index = 0;
  for (const Function& function : layout.module().functions) {
    if (!function.is_defined || !function.is_entry) continue;
    KernelEntry entry{};
    entry.name = made.names.emplace_back(function.name).c_str();
    entry.call = code.entries[index++];
    add_parameters(made, entry, function);
    entry.extras = &made.extras.emplace_back(
        KernelExtras{static_cast<std::uint32_t>(layout.shared_bytes(function)),
                     static_cast<std::uint32_t>(function.max_threads), function.max_registers,
                     local_bytes(function), constant_bytes(layout.module()),
                     layout.module().version, target_of(layout.module()),
                     static_cast<std::uint32_t>(layout.variable_count()), made.addresses.data()});
    made.entries.push_back(entry);
  }
}

/// Returns the address of a function, 0 if the module has no such function.
std::uint64_t address_of(const Layout& layout, const Code& code, const std::string& name) {
  std::size_t index = 0;
  for (const Function& function : layout.module().functions) {
    if (!function.is_defined) continue;
    if (function.name == name) return code.functions[index];
    ++index;
  }
  return 0;
}

void add_value(Loaded& made, const Layout& layout, const Code& code, std::size_t variable,
               std::size_t element) {
  const Variable& from = layout.variable_at(variable);
  const Initial& value = from.initial[element];
  const std::uint32_t bytes = from.element_bytes();
  const std::uint64_t offset = element * bytes;
  std::uint64_t bits = value.bits;
  if (value.is_double && from.type == "f32")
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
  if (!value.symbol.empty()) {
    if (const int target = layout.variable(value.symbol); target >= 0 && bytes == 8) {
      made.relocations.push_back({static_cast<std::uint32_t>(variable),
                                  static_cast<std::uint32_t>(target), offset, value.bits});
      bits = 0;
    } else {
      bits = address_of(layout, code, value.symbol);
      if (bits == 0 || bytes != 8)
        throw Refused{Refused::Why::malformed,
                      fmt::format("line {}: {} has no address that can be kept in {}", from.line,
                                  value.symbol, from.name)};
    }
  }
  std::memcpy(made.initial.back().data() + offset, &bits,
              std::min<std::size_t>(bytes, sizeof bits));
}

void add_variables(Loaded& made, const Layout& layout, const Code& code) {
  for (std::size_t i = 0; i < layout.variable_count(); ++i) {
    const Variable& variable = layout.variable_at(i);
    KernelVariable row{made.names.emplace_back(variable.name).c_str(), variable.bytes(), nullptr,
                       variable.is_managed};
    if (!variable.initial.empty()) {
      made.initial.emplace_back(variable.bytes());
      for (std::size_t element = 0; element < variable.initial.size(); ++element)
        add_value(made, layout, code, i, element);
      row.initial = made.initial.back().data();
    }
    made.variables.push_back(row);
  }
}

}  // namespace

/// Reads a text only up to its .version, because some texts do not end with a zero.
Form form_of(const void* image) {
  constexpr std::string_view kVersion = ".version";
  const auto* text = static_cast<const unsigned char*>(image);
  for (std::size_t end = 0; text[end] != 0; ++end) {
    if ((text[end] < ' ' && std::isspace(text[end]) == 0) || text[end] == 0x7f) return Form::binary;
    if (std::string_view(static_cast<const char*>(image), end + 1).ends_with(kVersion))
      return Form::ptx;
  }
  return Form::text;
}

std::string source_of(const std::string& text) {
  const Module module = parse_text(text);
  return device_text() + translate(layout_of(module));
}

const KernelImage* load(const std::string& text) {
  const Module module = parse_text(text);
  const Layout layout = layout_of(module);
  const Compiler compiler;
  const Code code = open_code(compiler, device_text() + translate(layout));
  auto* made = new Loaded;
  made->addresses.resize(layout.variable_count());
  add_entries(*made, layout, code);
  add_variables(*made, layout, code);
  KernelImage& image = made->image;
  image = {kKernelImageMagic, "ptx", made->entries.data(),
           static_cast<std::uint32_t>(made->entries.size())};
  image.variable_count = static_cast<std::uint32_t>(made->variables.size());
  image.variables = made->variables.data();
  image.variable_addresses = made->addresses.data();
  image.relocations = made->relocations.data();
  image.relocation_count = static_cast<std::uint32_t>(made->relocations.size());
  return &image;
}

}  // namespace harness::ptx
