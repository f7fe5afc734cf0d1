// SPDX-License-Identifier: MIT
//
// RequestServer answers every so many bytes by so many others; RequestClient asks one request after the other over one
// connection, and times each from its first byte written to the last byte of its answer read.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>

#include "simcore/kernel/random.h"
#include "simcore/kernel/simulation.h"
#include "simcore/packet/ip_address.h"
#include "simcore/stack/tcp_sockets.h"

namespace simcore {

struct RequestSizes {
  std::int64_t request = 100;      // bytes, at least 1
  std::int64_t response = 10'000;  // bytes, at least 1

  // Throws ConfigError; `owner` names whose sizes they are.
  void check(const std::string& owner) const;
};

class RequestServer final : public TcpListener, public TcpUser {
 public:
  explicit RequestServer(const RequestSizes& sizes);

  TcpUser& tcp_accept(TcpSocket& socket) override;
  void tcp_changed(TcpSocket& socket) override;
  void tcp_closed(TcpSocket& socket) override { sessions_.erase(&socket); }

  std::int64_t answered() const { return answered_; }

 private:
  struct Session {
    std::int64_t request_left;       // bytes
    std::int64_t response_left = 0;  // bytes to be written
  };

  RequestSizes sizes_;
  std::int64_t answered_ = 0;
  std::unordered_map<const TcpSocket*, Session> sessions_;
};

class RequestClient final : public TcpUser {
 public:
  enum class Think { exponential, constant };

  struct Config {
    IpAddress destination;
    std::uint16_t port;
    RequestSizes sizes;
    std::int64_t count = std::numeric_limits<std::int64_t>::max();
    Duration mean_think = Duration::zero();  // between an answer and the next request; 0: none
    Think think_distribution = Think::exponential;
    SimTime start = SimTime::zero();
    TcpOptions tcp;
  };

  // Throws ConfigError when a value is out of range. `name` names the random stream; both must outlive it.
  RequestClient(Simulation& simulation, TcpSockets& sockets, const std::string& name, const Config& config);

  void tcp_changed(TcpSocket& socket) override;
  void tcp_closed(TcpSocket& socket) override;

  std::string place() const;
  std::int64_t answered() const { return answered_; }
  Duration greatest() const { return greatest_; }  // of the times; both zero before the first answer
  Duration mean() const { return answered_ == 0 ? Duration::zero() : sum_ / answered_; }
  bool failed() const { return failed_; }  // no connection, or it ended in an error

 private:
  void proceed();
  void write_request();
  Duration think();

  Simulation& simulation_;
  TcpSockets& sockets_;
  Config config_;
  RandomStream random_;
  TcpSocket* socket_ = nullptr;
  std::int64_t asked_ = 0;
  std::int64_t answered_ = 0;
  std::int64_t request_left_ = 0;
  std::int64_t response_left_ = 0;
  SimTime asked_at_ = SimTime::zero();
  Duration greatest_ = Duration::zero();
  Duration sum_ = Duration::zero();
  bool failed_ = false;
  EventFor<RequestClient, &RequestClient::proceed, "the next request"> next_{*this};
};

}  // namespace simcore
