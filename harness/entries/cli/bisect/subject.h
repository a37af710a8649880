// SPDX-License-Identifier: Apache-2.0
// Subject: the reproducer of a bisection. Only its path, variant, ops and fault are parsed, because
// the format may differ between revisions.
#pragma once

#include <map>
#include <set>
#include <string>

namespace harness::entries {

/// A reproducer as text, which a revision may not be able to read.
struct Subject {
  std::string text;
  std::string path;
  std::string variant;
  std::string signature;      ///< The fault to bisect.
  std::set<std::string> ops;  ///< Ops in its script.
};

/// Errors: std::runtime_error with one line if it is not a reproducer, or has no fault.
Subject read_subject(const std::string& file);

/// Returns its text with ops renamed. `names` maps old names to new ones.
std::string with_ops(const Subject& subject, const std::map<std::string, std::string>& names);

}  // namespace harness::entries
