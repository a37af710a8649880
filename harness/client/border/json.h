// SPDX-License-Identifier: Apache-2.0
// JSON: the form of choices, places and faults in the files of this folder.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/base/files/json_words.h"
#include "harness/client/border/report.h"

namespace harness::client {

void to_json(nlohmann::json& json, const Frame& frame);
void from_json(const nlohmann::json& json, Frame& frame);
void to_json(nlohmann::json& json, const ToldDecision& told);
void from_json(const nlohmann::json& json, ToldDecision& told);
void to_json(nlohmann::json& json, const ToldError& error);
void from_json(const nlohmann::json& json, ToldError& error);
void to_json(nlohmann::json& json, const ToldFault& fault);
void from_json(const nlohmann::json& json, ToldFault& fault);

/// Returns the offered choices as rows of numbers.
nlohmann::json asked_json(const std::vector<AskedQuestion>& asked);
/// Parses the result of asked_json(). Errors: nlohmann::json::exception.
std::vector<AskedQuestion> asked_of(const nlohmann::json& json);

/// Returns the choices as rows of numbers.
nlohmann::json tape_json(const Tape& tape);
/// Parses the result of tape_json(). Errors: nlohmann::json::exception.
Tape tape_of(const nlohmann::json& json);

/// Runs `read`, and turns an error in the text into one line about `what`.
template <class Read>
auto checked_json(const char* what, Read read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(std::string(what) + " cannot be read: " + json_words(error.what()));
  }
}

}  // namespace harness::client
