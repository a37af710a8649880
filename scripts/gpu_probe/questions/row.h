// SPDX-License-Identifier: Apache-2.0
// Row: one question. A chapter, which is a source of this folder, adds its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

struct Row {
  std::string id, question, doc;
  std::function<void()> run;
  int seconds = 5;      // Then it is ended: that is the answer.
  bool beside = false;  // May be asked while others are.
};

/// All rows, by chapter.
inline std::vector<Row>& rows() {
  static std::vector<Row> all;
  return all;
}

struct Add {
  Add(std::string id, std::string question, std::string doc, std::function<void()> run,
      int seconds = 5, bool beside = false) {
    rows().push_back({id, question, doc, run, seconds, beside});
  }
};

#define ROW(...) static Add TEXT_JOIN(row_, __LINE__)(__VA_ARGS__);
#define TEXT_JOIN_(a, b) a##b
#define TEXT_JOIN(a, b) TEXT_JOIN_(a, b)
