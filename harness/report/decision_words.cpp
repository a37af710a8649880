// SPDX-License-Identifier: Apache-2.0
#include "harness/report/decision_words.h"

#include <fmt/format.h>

namespace harness::reports {
namespace {

std::string what(Site site, unsigned number, const std::string& answer) {
  switch (site) {
    case Site::op:
      return fmt::format("the operation is {}", answer);
    case Site::argument:
      return fmt::format("argument {} of the operation is {}", number, answer);
    case Site::schedule:
      return fmt::format("at scheduling point {}, {} runs", number, answer);
    case Site::collect:
      return fmt::format("at collection point {}, the collector runs (option {})", number, answer);
    case Site::reuse:
      return fmt::format("new storage is where {} was", answer);
    case Site::lag:
      return fmt::format("the device is late after submission {} (option {})", number, answer);
    case Site::failure:
      return fmt::format("call {} of those that may fail returns an error (option {})", number,
                         answer);
    case Site::skew:
      return fmt::format("it is slowed down (option {})", answer);
    case Site::spawn:
      return fmt::format("it starts late (option {})", answer);
    case Site::order:
      return fmt::format("unordered walk or choice {} takes option {}", number, answer);
    case Site::delay:
      return fmt::format("at named point {} it is delayed (option {})", number, answer);
    case Site::thread:
      return fmt::format(
          "destructor {} is called by {}", number,
          answer == "1" ? "the driver's thread that calls host functions" : "this call itself");
    case Site::hold:
      return fmt::format("the driver holds its lock around function {}", number);
    case Site::watch:
      return fmt::format("the program's uses of allocation {} are watched", number);
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
