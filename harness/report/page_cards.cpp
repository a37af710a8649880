// SPDX-License-Identifier: Apache-2.0
#include "harness/report/page_cards.h"

#include <fmt/format.h>

#include "harness/core/fault/kinds.h"
#include "harness/report/fault_sides.h"
#include "harness/report/html.h"

namespace harness::reports {
namespace {

class Cards {
 public:
  Cards(const Telling& telling, const Teller& teller)
      : telling_(telling),
        teller_(teller),
        fault_(teller.fault()),
        items_(teller.items()),
        sides_(fault_sides(telling, teller, items_)) {}

  Markup all() const {
    const std::string missing = missing_in_words(telling_, teller_, *fault_);
    Markup html = "<div class=\"cards\">\n" + first_card() + use_card();
    if (!missing.empty())
      html += card("missing", "Missing", missing, advice_in_words(telling_, teller_));
    if (const Seen seen = seen_by_user(telling_); !seen.words.empty())
      html += card("found", "A user sees", seen.words, seen.source);
    return html + "</div>\n";
  }

 private:
  Markup first_card() const {
    const Life* life = teller_.names().life(sides_.victim);
    if (is_overwritten(*fault_))
      return card(
          "death", "Overwritten", victim_in_words(telling_, teller_, *fault_),
          fmt::format("turn {}, in {}, by {}", fault_->writer.tick, fault_->writer.site.view(),
                      teller_.names().task(fault_->writer.task)));
    if (life == nullptr) return {};
    const std::string name = teller_.names().object(sides_.victim);
    if (life->alive || life->death_tick > fault_->tick)
      return card("found", "Alive", name,
                  fmt::format("since turn {}, from {}", life->birth_tick, life->birth_site.view()));
    return card("death", "Died", name,
                fmt::format("turn {}, in {}{}", life->death_tick, life->death_site.view(),
                            who_ended(sides_.victim)));
  }

  /// Returns the task that ended it, such as ", by script [finalize]".
  std::string who_ended(Name object) const {
    for (const StoryItem& item : items_)
      if (item.event != nullptr && item.event->kind == EventKind::death &&
          item.event->object == object) {
        const std::string cause = teller_.names().activation(item.event->activation);
        return fmt::format(", by {}{}", teller_.names().task(item.event->task),
                           cause.empty() ? "" : " [" + cause + "]");
      }
    return {};
  }

  /// Returns the use with which a free is not ordered.
  Markup early_use_card() const {
    const Event& use = *items_[sides_.before].event;
    const std::string by =
        use.task == kNoTask ? teller_.names().object(use.object) : teller_.names().task(use.task);
    return card(
        "use", "Used before", std::string(fault_->use_site.view()),
        fmt::format("turn {}{}; {}", use.tick, by.empty() ? "" : ", by " + by, fault_->detail));
  }

  Markup use_card() const {
    if (fault_->kind == FaultKind::data_race && sides_.before != FaultSides::kNone)
      return early_use_card();
    const Line line = teller_.line_of(*fault_);
    const std::string who = is_about_all(*fault_) ? "" : ", by " + teller_.names().task(line.task);
    const bool used =
        fault_->kind == FaultKind::use_after_free || fault_->kind == FaultKind::recycled_use ||
        fault_->kind == FaultKind::data_race || fault_->kind == FaultKind::ghost_generation;
    const std::string_view site =
        fault_->use_site.empty() ? fault_->object_kind.view() : fault_->use_site.view();
    std::string where = fmt::format("turn {}{}", fault_->tick, who);
    if (!fault_->detail.empty()) where += ": " + fault_->detail;
    return card("use", used ? "Still used" : to_label(fault_->kind).view(), std::string(site),
                where);
  }

  const Telling& telling_;
  const Teller& teller_;
  const Fault* fault_;
  const std::vector<StoryItem> items_;
  const FaultSides sides_;
};

}  // namespace

Markup card(std::string_view kind, std::string_view what, std::string_view headline,
            std::string_view where) {
  return Markup::of(
      "<section class=\"card {}\"><span class=\"what\">{}</span><b>{}</b><span "
      "class=\"dim\">{}</span></section>\n",
      kind, what, headline, where);
}

Markup cards(const Telling& telling, const Teller& teller) {
  return teller.fault() != nullptr ? Cards(telling, teller).all() : Markup();
}

}  // namespace harness::reports
