// SPDX-License-Identifier: MIT
#include "simcore/traffic/transfer_ends.h"

namespace simcore {

std::size_t TransferEnds::add_server(const std::string& host, const TransferServer::Config& config) {
  TcpSockets& sockets = network_.nodes().applications(host, "add a transfer's server").tcp();
  servers_.push_back(std::make_unique<TransferServer>(sockets, config));
  return servers_.size() - 1;
}

std::size_t TransferEnds::add_client(const std::string& host, const TransferClient::Config& config) {
  TcpSockets& sockets = network_.nodes().applications(host, "add transfer " + config.name).tcp();
  clients_.push_back(std::make_unique<TransferClient>(network_.simulation(), sockets, config));
  return clients_.size() - 1;
}

}  // namespace simcore
