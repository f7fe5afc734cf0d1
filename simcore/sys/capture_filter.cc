// SPDX-License-Identifier: MIT
#include "simcore/sys/capture_filter.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include <memory>

#include "simcore/sys/checked_call.h"

namespace simcore {

namespace {

constexpr int kWholeFrame = 262'144;  // bytes of a matching frame to keep: all of them

// libpcap's instruction is the kernel's, field by field.
static_assert(sizeof(bpf_insn) == sizeof(sock_filter));

}  // namespace

CaptureFilter::CaptureFilter(const std::string& expression) : expression_(expression) {
  const std::unique_ptr<pcap_t, decltype(&::pcap_close)> compiler(::pcap_open_dead(DLT_EN10MB, kWholeFrame),
                                                                  ::pcap_close);
  if (::pcap_compile(compiler.get(), &program_, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
    throw ConfigError("compile the capture filter \"" + expression + "\": " + ::pcap_geterr(compiler.get()) +
                      "; the language is that of pcap-filter(7)");
  }
}

CaptureFilter::~CaptureFilter() { ::pcap_freecode(&program_); }

void CaptureFilter::attach_to(int socket) const {
  sock_fprog program{};
  program.len = static_cast<unsigned short>(program_.bf_len);
  program.filter = reinterpret_cast<sock_filter*>(program_.bf_insns);
  checked(::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program),
          "attach the capture filter \"" + expression_ + "\"");
}

}  // namespace simcore
