// SPDX-License-Identifier: Apache-2.0
// Price views: the costs of variants, as tables for a terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/report/terminal.h"
#include "harness/search/price/price.h"

namespace harness::reports {

/// The programs of one class, and their costs.
struct PricedClass {
  std::string name;             ///< One word: "ordinary".
  std::string words;            ///< A phrase.
  PriceTable table;             ///< The prices.
  std::vector<double> seconds;  ///< Host time by variant; empty if it was not measured.
};

struct PricedPath {
  const Scenario* scenario = nullptr;
  std::vector<PricedClass> classes;
};

/// Returns a table for each class, followed by the reasons for missing prices.
std::string price_tables(const PricedPath& path, const Terminal& terminal);

/// Returns one table for all paths, with a row for each variant. If a variant fails on a program,
/// the cells of that class show that instead of a price.
std::string price_summary(const std::vector<PricedPath>& paths, const Terminal& terminal);

/// Returns one object. Without host times, equal prices give equal bytes.
std::string price_json(const std::vector<PricedPath>& paths);

}  // namespace harness::reports
