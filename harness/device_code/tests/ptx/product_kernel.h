// SPDX-License-Identifier: Apache-2.0
// Kernels in PTX for one matrix product: each lane reads its registers of A, B and C in order, and
// writes its registers of D.
#pragma once

#include <fmt/format.h>

#include <string>

namespace harness::testing {

/// The registers that a lane has of a matrix.
struct Fragment {
  char name;
  unsigned count;
  const char* type;  ///< "b32", "f32" or "f64".

  unsigned bytes() const { return type[1] == '6' ? 8 : 4; }
  std::string names() const {
    std::string all;
    for (unsigned i = 0; i < count; ++i) all += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
    return "{" + all + "}";
  }
  std::string address() const {
    return fmt::format(
        "  ld.param.u64 %at{0}, [{0}];\n  mad.wide.u32 %at{0}, %lane, {1}, %at{0};\n", name,
        count * bytes());
  }
};

inline std::string product_header(const char* target) {
  return fmt::format(".version 8.7\n.target {}\n.address_size 64\n", target);
}

/// The kernel `name`, of pointers to A, B, C and D, with one instruction. If it has more operands,
/// there is a pointer to words %e, too.
inline std::string product_kernel(const std::string& name, const std::string& instruction,
                                  const Fragment& a, const Fragment& b, const Fragment& c,
                                  const Fragment& d, const std::string& more = "") {
  std::string body = "  .reg .b32 %lane;\n  mov.u32 %lane, %laneid;\n";
  for (const Fragment& one : {a, b, c, d})
    body += fmt::format("  .reg .{} %{}<{}>;\n  .reg .b64 %at{};\n", one.type, one.name, one.count,
                        one.name) +
            one.address();
  for (const Fragment& one : {a, b, c})
    for (unsigned i = 0; i < one.count; ++i)
      body += fmt::format("  ld.global.b{} %{}{}, [%at{}+{}];\n", 8 * one.bytes(), one.name, i,
                          one.name, i * one.bytes());
  if (!more.empty())
    body += "  .reg .b32 %e;\n  .reg .b64 %ate;\n" + Fragment{'e', 1, "b32"}.address() +
            "  ld.global.b32 %e, [%ate];\n";
  body += fmt::format("  {} {}, {}, {}, {}{};\n", instruction, d.names(), a.names(), b.names(),
                      c.names(), more);
  for (unsigned i = 0; i < d.count; ++i)
    body += fmt::format("  st.global.b{} [%atd+{}], %d{};\n", 8 * d.bytes(), i * d.bytes(), i);
  return fmt::format(
      ".visible .entry {}(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d{})\n"
      "{{\n{}  ret;\n}}\n",
      name, more.empty() ? "" : ", .param .u64 e", body);
}

}  // namespace harness::testing
