// SPDX-License-Identifier: MIT
#include "simcore/traffic/transfer_ends.h"

#include <string>

#include "simcore/units/error.h"

namespace simcore {

std::size_t TransferEnds::add_server(const std::string& host, const TransferServer::Config& config) {
  TcpSockets& sockets = network_.nodes().applications(host, "add a transfer's server").tcp();
  servers_.push_back(std::make_unique<TransferServer>(sockets, config));
  return servers_.size() - 1;
}

std::size_t TransferEnds::add_client(const std::string& host, const TransferClient::Config& config,
                                     std::optional<std::size_t> after) {
  if (after && *after >= clients_.size()) {
    throw ConfigError("add transfer " + config.name + ": it follows transfer number " +
                      std::to_string(*after) + ", and there are " + std::to_string(clients_.size()) +
                      "; add that one first");
  }
  TcpSockets& sockets = network_.nodes().applications(host, "add transfer " + config.name).tcp();
  clients_.push_back(std::make_unique<TransferClient>(network_.simulation(), sockets, config));
  if (after) clients_.back()->follow(*clients_[*after]);
  return clients_.size() - 1;
}

}  // namespace simcore
