// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/sample_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace harness::gate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "afterlife_gate_samples";
constexpr const char* kUnjudgedKey = "last_look_not_computed";
constexpr std::array kEnds{End::complete, End::out_of_time, End::stopped, End::too_short};

Json to_json(const Plan& plan) {
  return {{kVersionKey, 1},
          {"base", plan.base},
          {"head", plan.head},
          {"repetition_seconds", plan.repetition_seconds},
          {"slower_by", plan.rule.slower_by},
          {"allowed", plan.rule.allowed},
          {"confidence", plan.rule.confidence},
          {"looks", plan.rule.looks},
          {"confirmations", plan.rule.confirmations},
          {"seed", plan.rule.seed}};
}

Plan plan_of(const Json& line) {
  if (line.at(kVersionKey) != 1) throw std::runtime_error("is of another version");
  Plan plan{.base = line.at("base"), .head = line.at("head")};
  plan.rule.slower_by = line.at("slower_by");
  plan.rule.allowed = line.at("allowed");
  plan.rule.confidence = line.at("confidence");
  plan.rule.looks = line.at("looks").get<std::vector<std::size_t>>();
  plan.rule.confirmations = line.at("confirmations");
  plan.rule.seed = line.at("seed");
  plan.repetition_seconds = line.value("repetition_seconds", kRepetitionSeconds);
  const bool sound = plan.rule.slower_by > -1 && plan.rule.allowed > -1 &&
                     plan.rule.confidence > 0 && plan.rule.confidence < 1 &&
                     !plan.rule.looks.empty() && plan.rule.looks.front() >= kLeastRounds;
  if (!sound) throw std::runtime_error("has an invalid rule");
  return plan;
}

Sample sample_of(const Json& line) {
  Sample sample{line.at("confirmation"), line.at("round"),
                line.at("side") == "base" ? Side::base : Side::head,
                line.at("values").get<Reading>()};
  for (const auto& [name, value] : sample.reading)
    if (!std::isfinite(value) || value <= 0) throw std::runtime_error("is not a time above zero");
  return sample;
}

End end_of(const std::string& name) {
  for (const End end : kEnds)
    if (name == name_of(end)) return end;
  throw std::runtime_error("has an unknown end");
}

}  // namespace

// ---- writing ----

SampleWriter::SampleWriter(std::string file, const Plan& plan)
    : file_(std::move(file)), stream_(std::fopen(file_.c_str(), "wxe")) {
  if (stream_ == nullptr)
    throw std::runtime_error(fmt::format("{}: cannot create: {}", file_, std::strerror(errno)));
  write(to_json(plan).dump(-1, ' ', true, Json::error_handler_t::replace));
}

SampleWriter::~SampleWriter() { std::fclose(stream_); }

void SampleWriter::add(const Sample& sample) {
  const Json line{{"confirmation", sample.confirmation},
                  {"round", sample.round},
                  {"side", name_of(sample.side)},
                  {"values", sample.reading}};
  write(line.dump(-1, ' ', true, Json::error_handler_t::replace));
}

void SampleWriter::end(End why, bool is_unjudged) {
  Json line{{"end", name_of(why)}};
  if (is_unjudged) line[kUnjudgedKey] = true;
  write(line.dump());
}

void SampleWriter::write(const std::string& line) {
  errno = 0;
  if (std::fputs((line + "\n").c_str(), stream_) < 0 || std::fflush(stream_) != 0)
    throw std::runtime_error(fmt::format("{}: cannot write: {}", file_, std::strerror(errno)));
}

// ---- reading ----

Recorded::Recorded(const std::string& file, double seconds) : seconds_(seconds) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("{}: cannot open: {}", file, std::strerror(errno)));
  std::size_t number = 0;
  bool ended = false;
  for (std::string text; std::getline(in, text) && !in.eof();) {
    ++number;
    try {
      const Json line = Json::parse(text);
      if (number == 1)
        plan_ = plan_of(line);
      else if (ended)
        throw std::runtime_error("comes after the end");
      else if ((ended = line.contains("end")))
        std::tie(end_, is_unjudged_) =
            std::pair(end_of(line.at("end")), line.value(kUnjudgedKey, false));
      else
        samples_.push_back(sample_of(line));
    } catch (const nlohmann::json::exception&) {
      throw std::runtime_error(
          fmt::format("{}: line {} is not a line of a sample file", file, number));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}: line {} {}", file, number, error.what()));
    }
  }
  if (number == 0) throw std::runtime_error(fmt::format("{}: contains no samples", file));
}

// A round with one missing side was interrupted, and is ignored.
std::optional<Round> Recorded::measure(const Request& request) {
  Round round;
  if (next_ + 2 > samples_.size()) return std::nullopt;
  for (int i = 0; i < 2; ++i, ++next_) {
    const Sample& sample = samples_[next_];
    if (sample.confirmation != request.confirmation || sample.round != request.round)
      throw std::runtime_error(
          fmt::format("the samples are not in order: expected round {}", request.round + 1));
    (sample.side == Side::base ? round.base : round.head) = sample.reading;
  }
  return round;
}

bool Recorded::must_end() {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  is_late_ = seconds_ > 0 && passed.count() > seconds_;
  return is_late_ || (is_unjudged_ && next_ == samples_.size());
}

}  // namespace harness::gate
