// SPDX-License-Identifier: Apache-2.0
// Picks: everything that can differ between two runs is a choice.
//
// A run presents each choice to a Picker as a Question, a Strategy makes it, and the choices that
// are not the default are the Tape. Option 0 is always the default: keep running this task, do not
// collect, let calls succeed, put no op into this slot. If a tape has no entry for a choice, it is
// 0.
//
// A tape is sparse and keyed by cause: (activation, site, number of that site in that activation).
// Deleting an op or a preemption leaves every other choice where it was. The entry is a *value*
// that names something stable (a task, an op kind), not a position.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/base.h"

namespace harness {

/// The kind of a choice. One row per site in kSites; a new site is one line in each.
enum class Site : std::uint8_t {
  op,        ///< Which op goes into this slot of a driver's task.
  argument,  ///< A parameter of an op: which object, how deep, which value.
  schedule,  ///< The next task, or stream, to advance.
  collect,   ///< Whether the collector runs now, and how old a generation it takes.
  reuse,     ///< Which freed storage a new object gets.
  lag,       ///< The progress of device work when its submission returns.
  failure,   ///< Whether this API call fails, and how.
  skew,      ///< How slow a task is.
  spawn,     ///< Whether a task starts with the others or waits for its turn.
  order,     ///< The order in which an unordered container is walked.
  delay,     ///< How long a task is held up at a named point.
  thread,    ///< The thread on which the driver calls a destructor of the program.
  hold,      ///< Whether the driver holds its lock while it calls a function of the program.
  watch,     ///< Whether host accesses to an allocation are watched.
};
inline constexpr std::size_t kSiteCount = 14;

struct SiteInfo {
  std::string_view name;
  /// How often a random walk deviates from the default; 0/1 makes it uniform over the options.
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

/// Code with a cause, and the number of choices of each site that it has made so far. After
/// kQuestionLimit choices of one site the default is used, because a further choice could not have
/// a unique name.
struct Activation {
  static constexpr std::uint16_t kQuestionLimit = 0xffff;
  Name name = 0;
  std::array<std::uint16_t, kSiteCount> asked{};
  /// Number of names given, by the low bits of the hash of their kind: kinds rarely collide.
  std::array<std::uint16_t, 8> named{};
};

/// The activation of op slot `slot` of root task `task`: small numbers, so that a fuzzer that knows
/// nothing still hits them.
constexpr Name slot_name(std::uint32_t task, std::uint32_t slot) {
  return (std::uint64_t{task + 1} << 16) | slot;
}

/// Returns the name of the `nth` thing of `kind` that `parent` caused. Its top two bits are 10, so
/// that it never collides with slot_name or with the other patterns of a fuzzer
/// (strategies/bytes.h).
constexpr Name derive_name(Name parent, std::uint64_t kind_hash, std::uint32_t nth) {
  return (mix(mix(parent, kind_hash), nth) >> 2) | (std::uint64_t{1} << 63);
}

/// A choice that is not the default.
struct Decision {
  Name activation;
  std::uint16_t site_tag;
  std::uint16_t nth;
  std::uint32_t value;
  friend auto operator<=>(const Decision&, const Decision&) = default;
};
static_assert(sizeof(Decision) == 16, "a decision is one fixed-size record on disk");

/// Choices that are not the default, in the order in which they were made. The order has no
/// meaning.
using Tape = std::vector<Decision>;

enum class AccessKind : std::uint8_t { none, read, write, acquire, release };

/// Something that tasks access in turns, such as a lock, an atomic or a stream. Any hash that
/// depends only on its cause.
using Resource = std::uint64_t;

/// The announced next step of a task or stream.
struct Access {
  Resource resource = 0;
  AccessKind kind = AccessKind::none;
};

/// The options of a choice between things: their names, and the next step of each. Lifetime: valid
/// until the choice is made.
class Options {
 public:
  virtual ~Options() = default;
  /// Returns the value that a tape stores for option `index`; 0 only for the default. Options of
  /// equal value are one choice, which random strategies find more often.
  virtual std::uint32_t value(std::uint32_t index) const = 0;
  /// Returns the next step if the option is chosen (schedule choices); otherwise an empty one.
  virtual Access access(std::uint32_t) const { return {}; }
};

struct Question {
  Name activation;
  Site site;
  std::uint16_t nth;
  std::uint32_t option_count;  ///< At least 2, unless the strategy hears_all().
  const Options* options;      ///< Null if the options are just the numbers.

  /// Returns the name of an option on a tape.
  std::uint32_t value(std::uint32_t index) const {
    return options != nullptr ? options->value(index) : index;
  }
  /// Returns the option that `value` names, or 0 (the default) if none does.
  std::uint32_t index(std::uint32_t value) const;
};

/// Makes choices. The only source of difference between runs.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Called when a new run begins.
  virtual void begin() {}
  /// Returns whether it also gets choices with one option; its result for them is ignored.
  virtual bool hears_all() const { return false; }
  /// Returns the sites for which it makes the default choice throughout this run, so that it is not
  /// called for them.
  virtual Sites silent() const { return 0; }
  /// Returns an index in [0, question.option_count).
  virtual std::uint32_t answer(const Question& question) = 0;
};

/// Presents choices to a strategy, and keeps those that are not the default. Ownership: borrows the
/// strategy for one run; keeps its buffers between runs.
class Picker {
 public:
  /// Begins a run whose choices `strategy` makes; the tape is empty.
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

  /// Returns a number in [0, option_count). Does not call the strategy if there is one option.
  std::uint32_t pick(Site site, std::uint32_t option_count, const Options* options = nullptr) {
    if (is_silent(site)) {
      count_unasked(site, option_count);
      return 0;
    }
    return ask_out_of_line(site, option_count, options);
  }

  /// Does the same for a caller that can name option `index` on a tape faster than `options`.
  template <class ValueOf>
  std::uint32_t pick(Site site, std::uint32_t option_count, const Options* options,
                     ValueOf value_of) {
    if (!is_silent(site)) return ask(site, option_count, options, value_of);
    count_unasked(site, option_count);
    return 0;
  }

  /// Returns whether the strategy makes the default choice for this site throughout the run.
  bool is_silent(Site site) const { return (silent_ & site_bit(site)) != 0; }
  /// Counts a choice of a silent site.
  void count_unasked(Site site, std::uint32_t option_count) {
    ++current_->asked[raw(site)];
    question_count_ += option_count > 1;
  }

  /// Picks one of `values`, which are the same from run to run; [0] is the default.
  std::uint32_t pick_value(Site site, std::span<const std::uint32_t> values);

  Activation& current() { return *current_; }
  /// Makes `activation` the current one. Returns the previous one, for leave_to().
  Activation* enter(Activation& activation) {
    Activation* previous = current_;
    current_ = &activation;
    return previous;
  }
  /// Restores the activation that enter() returned.
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
  Activation outside_;  ///< The activation of choices outside of tasks, such as the first task.
  Tape tape_;
  std::uint64_t question_count_ = 0;
  bool hears_all_ = false;
  Sites silent_ = 0;
};

}  // namespace harness
