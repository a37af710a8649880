// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/search/triage/rehearsal.h"
#include "harness/search/triage/triage.h"

namespace harness {
namespace {

using triaging::kStep;

/// Returns the site with a preposition, such as " at free"; "" if the site is open.
std::string at(std::string_view how, Label site) {
  return site.empty() ? std::string() : fmt::format(" {} {}", how, site.view());
}

std::string thing(Label object) {
  return object.empty() ? "everything" : std::string(object.view());
}

}  // namespace

std::string in_words(const Repair& repair) {
  switch (repair.kind) {
    case RepairKind::hold:
      return fmt::format("keep {}{}{} alive{}", thing(repair.object), at("got at", repair.got),
                         at("and let go at", repair.let_go),
                         repair.used.empty()
                             ? std::string(" until all have used it")
                             : fmt::format(" until {} has used it", repair.used.view()));
    case RepairKind::release:
      return fmt::format("let go of {}{} when the program is done with it", thing(repair.object),
                         at("got at", repair.got));
    case RepairKind::spare:
      if (repair.object == kStep)
        return fmt::format("let the failed step{} succeed", at("in", repair.used));
      return repair.object.empty()
                 ? fmt::format("let no call{} fail", at("in", repair.used))
                 : fmt::format("let {}{} not fail", repair.object.view(), at("in", repair.used));
    case RepairKind::order:
      if (repair.used.empty()) return fmt::format("order the uses of {}", thing(repair.object));
      return fmt::format("have {} wait until {} is done with {}",
                         repair.let_go.empty() ? "all" : repair.let_go.view(), repair.used.view(),
                         thing(repair.object));
    case RepairKind::revert:
      if (!repair.let_go.empty())
        return fmt::format("as before, have {} in {} {}", repair.object.view(),
                           repair.let_go.view(), repair.got.view());
      return fmt::format("as before, have {}{} {}",
                         repair.object.empty() ? "what is done" : repair.object.view(),
                         at("in", repair.used), repair.got.view());
  }
  return {};
}

}  // namespace harness
