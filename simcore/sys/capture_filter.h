// SPDX-License-Identifier: MIT
//
// CaptureFilter: an expression of pcap-filter(7), compiled to the program that the kernel runs on each frame.
#pragma once

#include <pcap/pcap.h>

#include <string>

namespace simcore {

class CaptureFilter {
 public:
  // For Ethernet frames. Throws ConfigError when libpcap does not understand `expression`.
  explicit CaptureFilter(const std::string& expression);
  CaptureFilter(const CaptureFilter&) = delete;
  CaptureFilter& operator=(const CaptureFilter&) = delete;
  ~CaptureFilter();

  // From now on the socket receives only frames that match.
  void attach_to(int socket) const;

  const bpf_program& program() const { return program_; }

 private:
  std::string expression_;
  bpf_program program_{};
};

}  // namespace simcore
