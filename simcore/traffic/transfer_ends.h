// SPDX-License-Identifier: MIT
//
// TransferEnds: of transfers through a network that is in several parts, the ends that are in this part. A part may have
// one end of a transfer and another part the other, so each is added, and read out, by itself.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simcore/network/simulated_network.h"
#include "simcore/traffic/transfer_client.h"
#include "simcore/traffic/transfer_server.h"

namespace simcore {

class TransferEnds {
 public:
  // `network` must outlive it.
  explicit TransferEnds(SimulatedNetwork& network) : network_(network) {}

  // From then on that host answers at the port, or asks at config.start, or, where that is never(), once the client at the
  // place `after` has its bytes. Each says its place in servers() or clients(). They throw ConfigError: there is no such host,
  // or no such client, or as the ends do.
  std::size_t add_server(const std::string& host, const TransferServer::Config& config);
  std::size_t add_client(const std::string& host, const TransferClient::Config& config,
                         std::optional<std::size_t> after = std::nullopt);

  const std::vector<std::unique_ptr<TransferServer>>& servers() const { return servers_; }
  const std::vector<std::unique_ptr<TransferClient>>& clients() const { return clients_; }

 private:
  SimulatedNetwork& network_;
  std::vector<std::unique_ptr<TransferServer>> servers_;
  std::vector<std::unique_ptr<TransferClient>> clients_;
};

}  // namespace simcore
