// SPDX-License-Identifier: Apache-2.0
// Price views: what variants cost, as tables for a terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/price.h"
#include "harness/reports/terminal.h"

namespace harness::reports {

/// Programs of one class and what they cost.
struct PricedClass {
  std::string name;             ///< In a word: "ordinary".
  std::string words;            ///< In a phrase.
  PriceTable table;             ///< The prices.
  std::vector<double> seconds;  ///< Host time by variant; empty if it was not measured.
};

struct PricedPath {
  const Scenario* scenario = nullptr;
  std::vector<PricedClass> classes;
};

/// Returns a table for each class, and below it why variants have no price.
std::string price_tables(const PricedPath& path, const Terminal& terminal);

/// Returns one table of all paths, a row for each variant. If a variant fails on a program, the
/// cells of that class say so instead of a price.
std::string price_summary(const std::vector<PricedPath>& paths, const Terminal& terminal);

/// Returns one object; without host times equal prices make equal bytes.
std::string price_json(const std::vector<PricedPath>& paths);

}  // namespace harness::reports
