// SPDX-License-Identifier: MIT
//
// CaptureFilter: an expression of pcap-filter(7), compiled to the program that is run on each frame.
//
// The kernel takes the 802.1Q tag out of a frame before a packet socket sees it, and keeps it beside it. A program
// that looks for tags must know where they are, so there are two kinds of it.
#pragma once

#include <pcap/pcap.h>

#include <cstdint>
#include <span>
#include <string>

namespace simcore {

class CaptureFilter {
 public:
  // For Ethernet frames with their tags in them. Throws ConfigError when libpcap does not understand `expression`.
  explicit CaptureFilter(const std::string& expression);

  // For frames as the kernel shows them to sockets that capture at `device`. Throws as above, and EnvironmentError
  // when libpcap cannot capture there.
  CaptureFilter(const std::string& expression, const std::string& device);

  // The same, for a handle of libpcap that has been activated.
  CaptureFilter(const std::string& expression, pcap_t& handle);

  CaptureFilter(const CaptureFilter&) = delete;
  CaptureFilter& operator=(const CaptureFilter&) = delete;
  ~CaptureFilter();

  // From now on the socket receives only frames that match.
  void attach_to(int socket) const;

  // Whether `frame`, which has its tags in it, matches.
  bool matches(std::span<const std::uint8_t> frame) const;

  const bpf_program& program() const { return program_; }

 private:
  void compile(pcap_t& compiler);

  std::string expression_;
  bpf_program program_{};
};

}  // namespace simcore
