#include "harness/reports/decision_words.h"

#include <fmt/format.h>

namespace harness::reports {
namespace {

std::string what(Site site, unsigned number, const std::string& answer) {
  switch (site) {
    case Site::op:
      return fmt::format("the op is {}", answer);
    case Site::argument:
      return fmt::format("argument {} of the op is {}", number, answer);
    case Site::schedule:
      return fmt::format("at its {}. chance to switch, {} goes on", number, answer);
    case Site::collect:
      return fmt::format("at its {}. chance to collect, the collector runs (answer {})", number,
                         answer);
    case Site::reuse:
      return fmt::format("new storage is where {} was", answer);
    case Site::lag:
      return fmt::format("the device lags behind its {}. submission (answer {})", number, answer);
    case Site::failure:
      return fmt::format("its {}. call that may fail does (answer {})", number, answer);
    case Site::skew:
      return fmt::format("it is slowed down (answer {})", answer);
    case Site::spawn:
      return fmt::format("it starts only when it is its turn (answer {})", answer);
    case Site::order:
      return fmt::format("its {}. walk or choice without an order takes answer {}", number, answer);
    case Site::delay:
      return fmt::format("at its {}. named point it is held up (answer {})", number, answer);
    case Site::thread:
      return fmt::format(
          "the {}. destructor is called by {}", number,
          answer == "1" ? "the driver's thread that calls host functions" : "this call itself");
    case Site::hold:
      return fmt::format("the driver holds its lock around its {}. function", number);
    case Site::watch:
      return fmt::format("uses of its {}. allocation by the program are seen", number);
  }
  return answer;
}

}  // namespace

std::string sentence(const Reproducer& reproducer, const Decision& decision) {
  const DecisionWords words = in_words(reproducer, decision);
  const auto site = static_cast<Site>(site_of_tag(decision.site_tag));
  return fmt::format("{}: {}", words.who, what(site, decision.nth + 1U, words.answer));
}

}  // namespace harness::reports
