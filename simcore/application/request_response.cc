// SPDX-License-Identifier: MIT
#include "simcore/application/request_response.h"

#include <algorithm>

#include "simcore/units/error.h"

namespace simcore {

void RequestSizes::check(const std::string& owner) const {
  if (request >= 1 && response >= 1) return;
  throw ConfigError(owner + ": request is " + std::to_string(request) + " bytes and response " +
                    std::to_string(response) + "; both must be at least 1");
}

RequestServer::RequestServer(const RequestSizes& sizes) : sizes_(sizes) {
  sizes_.check("make request server");
}

TcpUser& RequestServer::tcp_accept(TcpSocket& socket) {
  socket.count_only();
  sessions_[&socket] = {.request_left = sizes_.request};
  return *this;
}

// A request is read when the answer to the one before is written.
void RequestServer::tcp_changed(TcpSocket& socket) {
  Session& session = sessions_.at(&socket);
  const TcpConnection& tcp = socket.connection();
  while (true) {
    session.response_left -= socket.write_virtual(session.response_left);
    if (session.response_left > 0 || tcp.readable() == 0) break;
    session.request_left -= socket.discard(std::min(session.request_left, tcp.readable()));
    if (session.request_left > 0) break;
    ++answered_;
    session = {.request_left = sizes_.request, .response_left = sizes_.response};
  }
  if (session.response_left == 0 && tcp.at_end_of_stream()) socket.close();
}

RequestClient::RequestClient(Simulation& simulation, TcpSockets& sockets, const std::string& name,
                             const Config& config)
    : simulation_(simulation), sockets_(sockets), config_(config), random_(simulation.stream(name)) {
  config_.sizes.check("make request client " + name);
  config_.tcp.check(name);
  if (config_.start < simulation_.now() || config_.count < 1 || config_.mean_think < Duration::zero()) {
    throw ConfigError("make request client " + name +
                      ": it starts in the past, asks nothing, or thinks a negative time; choose others");
  }
  simulation_.schedule(next_, config_.start);
}

std::string RequestClient::place() const { return sockets_.host_name(); }

void RequestClient::proceed() {
  if (socket_ == nullptr) {
    socket_ = sockets_.connect(config_.destination, config_.port, *this, config_.tcp);
    failed_ = socket_ == nullptr;
    if (socket_ != nullptr) socket_->count_only();
    return;
  }
  ++asked_;
  asked_at_ = simulation_.now();
  request_left_ = config_.sizes.request;
  response_left_ = config_.sizes.response;
  write_request();
}

void RequestClient::write_request() { request_left_ -= socket_->write_virtual(request_left_); }

void RequestClient::tcp_changed(TcpSocket& socket) {
  socket_ = &socket;
  const TcpConnection& tcp = socket.connection();
  if (tcp.state() == TcpState::syn_sent) return;
  if (request_left_ > 0) write_request();
  response_left_ -= socket.discard(std::min(response_left_, tcp.readable()));
  if (tcp.at_end_of_stream()) return socket.close();
  if (response_left_ > 0 || next_.pending()) return;
  if (asked_ > answered_) {
    ++answered_;
    const Duration took = simulation_.now() - asked_at_;
    greatest_ = std::max(greatest_, took);
    sum_ += took;
  }
  if (answered_ == config_.count) return socket.close();
  simulation_.schedule_in(next_, think());
}

Duration RequestClient::think() {
  const Duration mean = config_.mean_think;
  if (mean == Duration::zero() || config_.think_distribution == Think::constant) return mean;
  return Duration::ns(static_cast<std::int64_t>(random_.exponential(static_cast<double>(mean.count_ns()))));
}

void RequestClient::tcp_closed(TcpSocket& socket) {
  failed_ = socket.connection().error() != TcpError::none || answered_ < config_.count;
  socket_ = nullptr;
  simulation_.cancel(next_);
}

}  // namespace simcore
