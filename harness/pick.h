// Picks: everything that can differ between two runs is a question, and its answer is a pick.
//
// A run asks through a Picker, a Strategy answers, and the answers that are not plain are the Tape.
// Option 0 is always the plainest: stay on this task, collect nothing, fail no call, no op in this
// slot. Where a tape is silent the answer is 0.
//
// A tape is sparse and keyed by cause: (activation, site, how many-th question of that site in that
// activation). Deleting an op or a preemption leaves every other decision where it was. What it
// holds is a *value* that names a thing that stays put (a task, an op kind), not a position.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base.h"

namespace harness {

/// The kind of a question. One row per site in kSites; a new site is one line in each.
enum class Site : std::uint8_t {
  op,        ///< Which op goes into this slot of a driver's task.
  argument,  ///< A parameter of an op: which object, how deep, which value.
  schedule,  ///< The next to go on: a task, or a stream that can advance.
  collect,   ///< Whether the collector runs now, and how old a generation it takes.
  reuse,     ///< Which freed storage a new object gets.
  lag,       ///< How far the device got with work when its submission returns.
  failure,   ///< Whether this API call fails, and how.
  skew,      ///< How slow a task is.
  spawn,     ///< Whether a task starts with the others or waits for its turn.
  order,     ///< In which order an unordered container is walked.
  delay,     ///< How long a task is held up at a named point.
  thread,    ///< On which thread the driver calls a destructor of the program's.
  hold,      ///< Whether the driver holds its lock while it calls a function of the program's.
  watch,     ///< Whether it is seen how the program itself uses an allocation.
};
inline constexpr std::size_t kSiteCount = 14;

struct SiteInfo {
  std::string_view name;
  /// How often a random walk leaves the plain answer; 0/1 leaves it uniform over the options.
  Ratio chance;
};

inline constexpr std::array<SiteInfo, kSiteCount> kSites{{
    {"op", {3, 4}},
    {"argument", {0, 1}},
    {"schedule", {0, 1}},
    {"collect", {1, 16}},
    {"reuse", {1, 2}},
    {"lag", {1, 2}},
    {"failure", {1, 512}},
    {"skew", {1, 8}},
    {"spawn", {1, 8}},
    {"order", {0, 1}},
    {"delay", {1, 32}},
    {"thread", {1, 4}},
    {"hold", {1, 4}},
    {"watch", {1, 4}},
}};

inline constexpr std::array<std::uint16_t, kSiteCount> kSiteTags = [] {
  std::array<std::uint16_t, kSiteCount> tags{};
  for (std::size_t i = 0; i < kSiteCount; ++i)
    tags[i] = static_cast<std::uint16_t>(hash_name(kSites[i].name));
  return tags;
}();

/// Returns a site's tag on disk: the low bits of the hash of its name. Never an enum position.
constexpr std::uint16_t site_tag(Site site) { return kSiteTags[raw(site)]; }

/// The index in kSites of the site with this tag, or -1.
constexpr int site_of_tag(std::uint16_t tag) {
  for (std::size_t i = 0; i < kSiteCount; ++i)
    if (kSiteTags[i] == tag) return static_cast<int>(i);
  return -1;
}

/// A set of sites.
using Sites = std::uint32_t;
/// Returns the set of `site` alone.
constexpr Sites site_bit(Site site) { return Sites{1} << raw(site); }
inline constexpr Sites kAllSites = (Sites{1} << kSiteCount) - 1;
/// The sites that make up a program; every other site perturbs how it runs.
inline constexpr Sites kProgramSites = site_bit(Site::op) | site_bit(Site::argument);

/// Code with a cause, and how many questions of each site it has asked so far. Past kQuestionLimit
/// of one site it is asked no more: the next question would have the name of another.
struct Activation {
  static constexpr std::uint16_t kQuestionLimit = 0xffff;
  Name name = 0;
  std::array<std::uint16_t, kSiteCount> asked{};
  /// How many things it has named, by the low bits of their kind's hash: kinds rarely disturb each
  /// other.
  std::array<std::uint16_t, 8> named{};
};

/// The activation of op slot `slot` of root task `task`: small numbers, so that a fuzzer that knows
/// nothing still hits them.
constexpr Name slot_name(std::uint32_t task, std::uint32_t slot) {
  return (std::uint64_t{task + 1} << 16) | slot;
}

/// The name of the `nth` thing of `kind` that `parent` caused. Its top two bits are 10, so that it
/// never collides with slot_name, nor with what a fuzzer means by other patterns
/// (strategies/bytes.h).
constexpr Name derive_name(Name parent, std::uint64_t kind_hash, std::uint32_t nth) {
  return (mix(mix(parent, kind_hash), nth) >> 2) | (std::uint64_t{1} << 63);
}

/// One answer that is not plain.
struct Decision {
  Name activation;
  std::uint16_t site_tag;
  std::uint16_t nth;
  std::uint32_t value;
  friend auto operator<=>(const Decision&, const Decision&) = default;
};
static_assert(sizeof(Decision) == 16, "a decision is one fixed-size record on disk");

/// Non-plain decisions in the order they were asked. Order carries no meaning.
using Tape = std::vector<Decision>;

enum class AccessKind : std::uint8_t { none, read, write, acquire, release };

/// A thing that tasks touch in turns: a lock, an atomic, a stream. Any hash that is stable by
/// cause.
using Resource = std::uint64_t;

/// The next step of a task or stream, as it announces it.
struct Access {
  Resource resource = 0;
  AccessKind kind = AccessKind::none;
};

/// The options of a question whose options are things: who they are, and what each would do next.
/// Lifetime: valid until the question is answered.
class Options {
 public:
  virtual ~Options() = default;
  /// The value a tape stores for option `index`; 0 only for the plain. Options of equal value are
  /// one answer, which strategies that draw find more often.
  virtual std::uint32_t value(std::uint32_t index) const = 0;
  /// Returns what happens if it is chosen (schedule questions); otherwise nothing.
  virtual Access access(std::uint32_t) const { return {}; }
};

struct Question {
  Name activation;
  Site site;
  std::uint16_t nth;
  std::uint32_t option_count;  ///< At least 2, unless the strategy hears all.
  const Options* options;      ///< Null where the options are just the numbers.

  /// Returns the name of an option on a tape.
  std::uint32_t value(std::uint32_t index) const {
    return options != nullptr ? options->value(index) : index;
  }
  /// The option that `value` names, or 0 (plain) when none does.
  std::uint32_t index(std::uint32_t value) const;
};

/// Answers questions. The only source of difference between runs.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// A new run begins.
  virtual void begin() {}
  /// Whether it wants to hear of questions with one option too; what it answers them is not used.
  virtual bool hears_all() const { return false; }
  /// Sites of which no question is put to it in this run: to all of them its answer is the plain
  /// one.
  virtual Sites silent() const { return 0; }
  /// Returns an index in [0, question.option_count).
  virtual std::uint32_t answer(const Question& question) = 0;
};

/// Asks a strategy, and keeps the answers that are not plain.
/// Ownership: borrows the strategy for one run; keeps its buffers between runs.
class Picker {
 public:
  /// Begins a run that `strategy` answers; the tape is empty.
  void begin(Strategy& strategy) {
    strategy_ = &strategy;
    current_ = &outside_;
    outside_ = {};
    tape_.clear();
    question_count_ = 0;
    strategy.begin();
    hears_all_ = strategy.hears_all();
    silent_ = hears_all_ ? 0 : strategy.silent();
  }

  /// Returns a number in [0, option_count). Asks nothing when there is one way to go.
  std::uint32_t pick(Site site, std::uint32_t option_count, const Options* options = nullptr) {
    if (is_silent(site)) {
      count_unasked(site, option_count);
      return 0;
    }
    return ask_out_of_line(site, option_count, options);
  }

  /// The same, where the caller can say faster than `options` what the tape calls option `index`.
  template <class ValueOf>
  std::uint32_t pick(Site site, std::uint32_t option_count, const Options* options,
                     ValueOf value_of) {
    if (!is_silent(site)) return ask(site, option_count, options, value_of);
    count_unasked(site, option_count);
    return 0;
  }

  /// Whether the strategy answers plainly to every question of this site in this run, unasked.
  bool is_silent(Site site) const { return (silent_ & site_bit(site)) != 0; }
  /// A question of such a site came up.
  void count_unasked(Site site, std::uint32_t option_count) {
    ++current_->asked[raw(site)];
    question_count_ += option_count > 1;
  }

  /// Picks one of `values`, which stay put under the same name from run to run; [0] is the plain.
  std::uint32_t pick_value(Site site, std::span<const std::uint32_t> values);

  Activation& current() { return *current_; }
  /// Makes `activation` the one that asks. Returns the previous one, to be put back.
  Activation* enter(Activation& activation) {
    Activation* previous = current_;
    current_ = &activation;
    return previous;
  }
  /// Puts back the activation that enter() returned.
  void leave_to(Activation* previous) { current_ = previous; }

  const Tape& tape() const { return tape_; }
  std::uint64_t question_count() const { return question_count_; }

 private:
  std::uint32_t ask_out_of_line(Site site, std::uint32_t option_count, const Options* options);

  template <class ValueOf>
  std::uint32_t ask(Site site, std::uint32_t option_count, const Options* options,
                    ValueOf value_of) {
    HARNESS_CHECK(option_count > 0, "a question needs at least one option");
    std::uint16_t& asked = current_->asked[raw(site)];
    question_count_ += option_count > 1;
    if (asked == Activation::kQuestionLimit) [[unlikely]]
      return 0;
    const std::uint16_t nth = asked++;
    if (option_count == 1 && !hears_all_) return 0;
    const std::uint32_t index =
        strategy_->answer(Question{current_->name, site, nth, option_count, options});
    if (index == 0 || option_count == 1) return 0;
    HARNESS_CHECK(index < option_count, "a strategy answers within bounds");
    tape_.emplace_back(current_->name, site_tag(site), nth, value_of(index));
    return index;
  }

  Strategy* strategy_ = nullptr;
  Activation* current_ = &outside_;
  Activation outside_;  ///< Questions that no task asks: who goes first.
  Tape tape_;
  std::uint64_t question_count_ = 0;
  bool hears_all_ = false;
  Sites silent_ = 0;
};

}  // namespace harness
