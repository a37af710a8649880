// SPDX-License-Identifier: Apache-2.0
// Subject: the reproducer that a bisection is about, read no further than every revision can: its
// path, variant, ops and fault.
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
  std::string signature;      ///< The fault that it is about.
  std::set<std::string> ops;  ///< Those that it names.
};

/// Errors: std::runtime_error with one line where it is not a reproducer, or one without a fault.
Subject read_subject(const std::string& file);

/// Returns its text with other names of ops, old ones by new ones.
std::string with_ops(const Subject& subject, const std::map<std::string, std::string>& names);

}  // namespace harness::entries
