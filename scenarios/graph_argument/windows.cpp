// Which window a fault belongs to. The target's death sites say it where memory is concerned
// ("Buffer.__dealloc__/R6"); else the kind of thing, and who met it.
#include <algorithm>
#include <optional>
#include <string_view>

#include "scenarios/graph_argument/contract.h"
#include "scenarios/graph_argument/script.h"

namespace scenarios::graph_argument {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using targets::graph_argument::Window;

bool is_kernel(Label use) {
  return std::any_of(kContract.begin(), kContract.end(),
                     [&](const harness::ContractClause& clause) {
                       return !clause.use_site.empty() && clause.use_site == use;
                     });
}

/// A graph that its builder had, or took for its own.
bool is_builders(const Fault& fault) {
  return fault.death_site.view().starts_with("GraphBuilder.") ||
         fault.use_site.view().starts_with("GraphBuilder.");
}

/// The window that the target's death sites end in.
std::optional<Window> window_of_site(const Fault& fault) {
  const std::string_view death = fault.death_site.view();
  if (death == "Buffer.close") return is_kernel(fault.use_site) ? Window::r3 : Window::r2;
  const std::size_t slash = death.rfind("__/");
  if (slash == death.npos) return std::nullopt;
  const auto& labels = targets::graph_argument::kWindowLabels;
  const auto found = std::find_if(labels.begin(), labels.end(), [&](Label label) {
    return label.view() == death.substr(slash + 3);
  });
  const auto window = static_cast<Window>(found - labels.begin());
  // A bare address may name what somebody else has by its buffer.
  const bool bare = window == Window::r5 && !(fault.use_site == Label("chase"));
  return bare ? Window::r1 : window;
}

/// Things that are no memory.
std::optional<Window> window_of_kind(const Fault& fault) {
  const std::string_view kind = fault.object_kind.view();
  if (kind == "interpreter") return Window::r11;
  if (kind == "function") return Window::r6;  // Only a slot that is emptied takes one away.
  if (kind == "Stream" || kind == "Event") return Window::r13;
  if (kind == "graph" && is_builders(fault)) return Window::r19;
  if (kind == "graph" || kind == "graph node" || kind == "embedded graph")
    return fault.kind == FaultKind::recycled_use ? Window::r18 : Window::r10;
  if (kind == "graph memory") return Window::r15;
  if (kind == "reference cycle") return Window::r20;
  return std::nullopt;
}

/// CUDA was called by a thread that it called itself.
bool is_callback(const Fault& fault) {
  return fault.kind == FaultKind::api_misuse &&
         (fault.object_kind == Label("user object destructor") ||
          fault.object_kind == Label("host function"));
}

}  // namespace

int window_of(const harness::Scene& scene, const Fault& fault) {
  const auto& script = *static_cast<const Script*>(scene.state);
  // What nobody could use any more, by the model's account, is no cycle's.
  const bool bounded = fault.use_site == Label("bound");
  if (fault.kind == FaultKind::retention && (bounded || !script.keeps_itself())) return -1;
  if (fault.kind == FaultKind::refusal) return -1;
  if (is_callback(fault)) return harness::raw(Window::r11);
  if (const auto window = window_of_site(fault)) return harness::raw(*window);
  if (const auto window = window_of_kind(fault)) return harness::raw(*window);
  return script.last_window();
}

}  // namespace scenarios::graph_argument
