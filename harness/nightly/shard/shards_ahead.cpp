// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/shard/shards_ahead.h"

#include <algorithm>
#include <thread>

#include "harness/nightly/shard/shard.h"

namespace harness::nightly {

ShardsAhead::ShardsAhead(std::span<const std::string> folders) : folders_(folders) {
  const std::size_t ahead = std::max(1U, std::thread::hardware_concurrency());
  while (reading_.size() < ahead && !folders_.empty()) begin_one();
}

ShardFile ShardsAhead::next() {
  std::future<ShardFile> read = std::move(reading_.front());
  reading_.pop_front();
  if (!folders_.empty()) begin_one();
  return read.get();
}

void ShardsAhead::begin_one() {
  reading_.push_back(std::async(std::launch::async, read_shard, folders_.front()));
  folders_ = folders_.subspan(1);
}

}  // namespace harness::nightly
