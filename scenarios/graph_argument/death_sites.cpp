// How a death is called: by what dies, and by the window that its use would be in.
#include <algorithm>

#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

using harness::Label;
using targets::graph_argument::ThingKind;

namespace {

#define WINDOWS(prefix)                                                                   \
  {                                                                                       \
      prefix "R1",  prefix "R2",  prefix "R3",  prefix "R4",  prefix "R5",  prefix "R6",  \
      prefix "R7",  prefix "R8",  prefix "R9",  prefix "R10", prefix "R11", prefix "R12", \
      prefix "R13", prefix "R14", prefix "R15", prefix "R16", prefix "R17", prefix "R18", \
      prefix "R19", prefix "R20", prefix "R21"}
using Sites = std::array<Label, kWindowCount>;
constexpr Sites kBufferSites WINDOWS("Buffer.__dealloc__/");
constexpr Sites kModuleSites WINDOWS("ObjectCode.__dealloc__/");
constexpr Sites kEventSites WINDOWS("Event.__dealloc__/");
#undef WINDOWS

}  // namespace

Label death_site(ThingKind kind, Window window) {
  const Sites& sites = kind == ThingKind::buffer   ? kBufferSites
                       : kind == ThingKind::module ? kModuleSites
                                                   : kEventSites;
  return sites[harness::raw(window)];
}

std::optional<Window> window_of_death(Label site) {
  for (const Sites* sites : {&kBufferSites, &kModuleSites, &kEventSites})
    if (const auto found = std::find(sites->begin(), sites->end(), site); found != sites->end())
      return static_cast<Window>(found - sites->begin());
  return std::nullopt;
}

}  // namespace scenarios::graph_argument
