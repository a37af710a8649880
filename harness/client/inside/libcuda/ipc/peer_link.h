// SPDX-License-Identifier: Apache-2.0
// Peer link: asks the broker of the run about the other processes, for the driver.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "harness/base/label.h"
#include "harness/client/border/broker_message.h"
#include "harness/client/inside/libcuda/guide/askers.h"
#include "harness/client/inside/libcuda/guide/parties.h"
#include "harness/devices/sim/peers/peers.h"

namespace harness::entries {

/// Lifetime: until the process ends; connects when something is first shared. Threads: requires the
/// driver, unless a function says otherwise.
class PeerLink final : public devices::Peers {
 public:
  /// `number` returns the number of this process in the run.
  PeerLink(std::string folder, Askers& askers, Parties& parties, std::function<unsigned()> number)
      : folder_(std::move(folder)),
        askers_(askers),
        parties_(parties),
        number_(std::move(number)) {}

  /// Returns whether this process shares something. Threads: any.
  bool is_sharing() const { return is_sharing_; }
  /// Waits for the turn of this process. Returns the reason why the system may have determined the
  /// order, or "". Threads: any, without the driver.
  std::string take_turn(bool is_slow);
  /// Reports whether its device has work left that it can complete while the process sleeps.
  void tell_lag(bool lags);
  /// Reports that the process ends regularly. Threads: any.
  void end();
  /// Disconnects, in a fork of the connected process.
  void forked();

  std::uint32_t process() override;
  std::uint64_t run() override;
  bool offer(const devices::PeerExport& exported, int file) override;
  devices::PeerOpened open(devices::PeerObject object, devices::PeerKind kind,
                           const devices::PeerCall& by) override;
  void close(devices::PeerObject object) override;
  devices::PeerMappings mappings(devices::PeerObject object) override;
  void end(devices::PeerObject object, const devices::PeerCall& by) override;
  std::uint64_t record(devices::PeerObject object, const devices::PeerRecord& record) override;
  void recorded(devices::PeerObject object, std::uint64_t count) override;
  devices::PeerRecord last_record(devices::PeerObject object) override;
  devices::PeerNews exchange(const std::vector<devices::PeerUse>& uses,
                             const devices::PeerClock& known) override;

 private:
  void connect();
  /// Returns the answer; an empty object if there is none.
  client::Message ask(const nlohmann::json& question, int file = -1);
  nlohmann::json told(const devices::PeerCall& call) const;
  devices::PeerCall call_of(const nlohmann::json& told);

  const std::string folder_;
  Askers& askers_;
  Parties& parties_;
  const std::function<unsigned()> number_;
  std::mutex mutex_;  ///< Guards the connection.
  client::BrokerSocket socket_;
  std::atomic<bool> is_sharing_{false};
  bool has_tried_ = false;
  bool told_lag_ = false;
  std::uint32_t process_ = 0;
  std::uint64_t run_ = 0;
};

}  // namespace harness::entries
