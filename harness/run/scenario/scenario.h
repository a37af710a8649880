// SPDX-License-Identifier: Apache-2.0
// Door 2 of 3: the interface of drivers and oracles. The one harness header that scenarios/
// includes.
//
// A scenario contains everything about one path that decides or judges: the driver that picks the
// ops, the reference model, the windows to reach, and the contract that callers must keep.
#pragma once

#include <any>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/world.h"
#include "harness/device_code/kernel_image.h"
#include "harness/driver/runtime.h"
#include "harness/run/scenario/observed.h"  // IWYU pragma: export
#include "harness/run/verdict.h"

namespace harness {

/// A property that a config fixes: backend, GIL, layout.
struct Axis {
  Label name;
  std::span<const Label> values;
};

inline constexpr std::size_t kAxisLimit = 8;

/// The value of each axis, by index. Minimizing never changes it.
struct Config {
  std::array<std::uint8_t, kAxisLimit> values{};
  bool operator==(const Config&) const = default;
};

/// One way to manage lifetimes: a row in the driver's table.
struct VariantInfo {
  Label name;
  Claim claim;
};

/// A named place where a race can happen.
struct Window {
  Label name;
  std::string_view summary;  ///< Death site, then use site, in words.
  bool has_one_way =
      false;  ///< True if the window has one way in, even if the scenario distinguishes several.
  bool is_callers = false;  ///< By the contract, the caller must avoid it in every variant.
};

struct OpInfo {
  Label name;
};

/// An action that the caller must avoid. A fault that matches it is *caller error* and refutes no
/// claim. An empty label matches anything.
struct ContractClause {
  Label object_kind;
  Label death_site;
  Label use_site;
  std::string_view source;  ///< The document that forbids it.
};

/// Known growth of the real system, which the oracle `retention` ignores.
struct Growth {
  Label kind;
  std::string_view why;
};

/// Returns the value of an op on a tape: the hash of its name, never its place in a table.
constexpr std::uint32_t op_value(Label op) { return static_cast<std::uint32_t>(op.hash()) | 1; }

/// An oracle that a scenario leaves out, because its findings are not faults there.
struct Omission {
  Label oracle;  ///< The name of a file of harness/run/oracles, or an owner in
                 ///< harness/core/fault/fault.def.
  std::string_view why;
};

class Scene;

/// A way to see more of a run than its oracles need.
struct InstrumentInfo {
  Label name;
  std::string_view summary;
};

/// A set of a scenario's instruments, by index.
using InstrumentSet = std::uint32_t;

/// The class of the writer that caused the fault, and the evidence.
struct Diagnosis {
  std::string kind;                   ///< A word for tables: "b", "legal".
  std::string conclusion;             ///< One sentence.
  std::vector<std::string> evidence;  ///< The reasons, a sentence each, the most important first.
};

/// Instruments: record a run for a scenario, and evaluate the record.
///
/// They do not change the run, and their record does not contain the variant. Lifetime: outlives
/// the runs that it records, which are all of one case.
class Instruments {
 public:
  virtual ~Instruments() = default;
  /// Returns whether another run of the case would show more, since there are few hardware
  /// watchpoints.
  virtual bool wants_another_run() const = 0;
  /// Returns the conclusion of all instruments except `without`.
  virtual Diagnosis diagnose(InstrumentSet without) const = 0;
  /// Returns the record, one line per entry.
  virtual std::vector<std::string> record() const = 0;
};

struct Scenario {
  Label name;
  std::string_view summary;
  std::span<const VariantInfo> variants;
  std::span<const Axis> axes;
  std::span<const OpInfo> ops;
  std::span<const Window> windows;
  std::span<const ContractClause> contract;
  std::span<const Growth> growth;
  std::span<const Label> actors;           ///< Names of files of harness/run/actors.
  std::span<const Omission> without = {};  ///< The oracles that do not judge it; all others do.
  Tick turn_limit;
  /// Spawns the tasks; the caller runs them. Objects that it makes come from the arena.
  void (*drive)(Scene& scene);
  /// Checks path-specific properties after the run. May be null.
  void (*judge)(Scene& scene);
  /// Returns the index of the window that a fault belongs to, or -1. The fault then has no window,
  /// and a claim names its kind, or no rule assigns it to one, and it is unexplained
  /// (is_unexplained).
  int (*window_of)(const Scene& scene, const Fault& fault);
  /// Returns whether a fault follows from an earlier caller error and is therefore one, too. Null
  /// if none does.
  bool (*comes_of)(const Fault& fault, const Fault& callers) = nullptr;
  const KernelImage* kernels;         ///< The kernels for the simulated device.
  std::span<const std::byte> fatbin;  ///< The kernels for the GPU; empty when built without nvcc.
  /// Ways in that a claim may distinguish. Empty if there is one.
  std::span<const Label> ways = {};
  /// Returns the way in of a fault in a window, as an index into `ways`. Null if there is one.
  int (*way_of)(const Scene& scene, const Fault& fault) = nullptr;
  /// Instruments for `afterlife explain`; empty and null if a path has none.
  std::span<const InstrumentInfo> instruments = {};
  std::unique_ptr<Instruments> (*make_instruments)() = nullptr;
};

/// The state of one run, with the driver's reports to the judges. Ownership: borrows the world; its
/// own buffers are kept from run to run.
class Scene {
 public:
  explicit Scene(World& world) : world_(world) {}

  /// Forgets the previous run, except for the instruments.
  void begin(const Scenario& scenario, std::size_t variant, const Config& config);

  World& world() { return world_; }
  const World& world() const { return world_; }
  const Scenario& scenario() const { return *scenario_; }
  std::size_t variant() const { return variant_; }
  const Config& config() const { return config_; }
  Runtime runtime();  ///< Returns the parts of the world that a target may use.

  /// Returns the chosen option of `option_count`; 0 is the default.
  std::uint32_t pick(Site site, std::uint32_t option_count) {
    return world_.picker.pick(site, option_count);
  }
  /// Chooses the op for the current slot: an index into scenario().ops, or -1 for none. The tape
  /// stores the op's name, so that a new op kind does not change any tape.
  int pick_op();
  /// Chooses one of the ops that `offered` lists, or -1.
  int pick_op(std::span<const std::uint8_t> offered);

  // ---- for the judges ----
  /// Notes that the code under test really ran: the run is not vacuous.
  void exercised() { observed_.exercised = true; }
  /// Notes that the run reached a window, by one of the scenario's ways in.
  void reach(std::size_t window, std::size_t way = 0) {
    observed_.reached.insert(window);
    observed_.reached_by[way].insert(window);
  }
  /// Notes that a documented refusal kept the run out of a window.
  void keep_out(std::size_t window, std::size_t way = 0) {
    observed_.refused_by[way].insert(window);
  }
  /// Notes that an op ran.
  void count_op(std::size_t op) { observed_.ops.insert(op); }
  /// Compares a result with that of the reference model. A difference is a wrong_value fault at the
  /// current site.
  void expect(Label what, std::uint64_t observed, std::uint64_t expected, Name object = 0);
  /// Reports a refusal at the current site: `what` returned `answer`, or did not do its work.
  void refuse(Label what, std::string answer, Name object = 0);
  /// Requires that objects created from now on have ended when the run is quiescent.
  void mark_baseline() { observed_.baseline = world_.ledger.lives().size(); }
  /// Notes that everything was dropped, collected and synchronised: the oracle `retention` judges
  /// the objects that are still alive.
  void mark_quiescent() {
    world_.ledger.complete_repair();
    observed_.quiescent = Quiescence{world_.history.events().size(), world_.ledger.lives().size()};
  }
  /// Marks the run as vacuous, for a reason that an oracle found.
  void mark_vacuous() { observed_.shows_nothing = true; }
  /// Returns the notes of this run.
  const Observed& observed() const { return observed_; }

  // ---- the scenario's state ----
  /// Keeps a reference to the scenario's state for one run, which drive makes in the arena.
  template <class State>
  void set_state(State& state) {
    state_ = &state;
  }
  /// Returns whether drive has set a state.
  bool has_state() const { return state_.has_value(); }
  /// Returns the state, for judge and window_of. A state of another type is a failed check.
  template <class State>
  State& state() const {
    State* const* state = std::any_cast<State*>(&state_);
    HARNESS_CHECK(state != nullptr, "a scenario asks for the state that it has set");
    return **state;
  }

  /// Returns the scenario's instruments that record this run; null in most runs.
  Instruments* instruments() const { return instruments_; }
  void set_instruments(Instruments* instruments) { instruments_ = instruments; }  ///< Null: none.

 private:
  World& world_;
  const Scenario* scenario_ = nullptr;
  std::size_t variant_ = 0;
  Config config_;
  Observed observed_;
  std::any state_;  ///< A pointer to the state, with its type.
  Instruments* instruments_ = nullptr;
  std::vector<std::uint32_t> op_values_;  ///< The value of each op on a tape; [0] is "nothing".
};

// ---- parts that a scenario names ----------------------------------------------------------------

/// Judges a finished run. Owns the kinds of fault whose row in harness/core/fault/fault.def names
/// it.
struct OracleInfo {
  Label name;
  std::string_view summary;
  void (*judge)(Scene& scene);
};

/// Perturbs a run. Installed after the driver has spawned its tasks and before they run.
struct ActorInfo {
  Label name;
  std::string_view summary;
  void (*install)(Scene& scene);
  bool injects_errors = false;  ///< It makes calls fail (ErrorInjection).
};

/// Returns whether a repair of the run may delay a task until others have acted. A task that drives
/// several things then needs a second task that drives the rest.
bool holds_tasks_up();

/// Returns whether `scenario` leaves out the oracle called `name`.
bool leaves_out(const Scenario& scenario, Label name);

/// Returns the kinds of fault that count in `scenario`: all except those of omitted oracles.
FaultKinds counted_kinds(const Scenario& scenario);

/// Returns whether the contract makes `fault` a caller error.
bool is_caller_error(const Scenario& scenario, const Fault& fault);

}  // namespace harness
