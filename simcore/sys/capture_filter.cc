// SPDX-License-Identifier: MIT
#include "simcore/sys/capture_filter.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include <array>
#include <memory>

#include "simcore/sys/checked_call.h"

namespace simcore {

namespace {

constexpr int kWholeFrame = 262'144;  // bytes of a matching frame to keep: all of them

// libpcap's instruction is the kernel's, field by field.
static_assert(sizeof(bpf_insn) == sizeof(sock_filter));

using Handle = std::unique_ptr<pcap_t, decltype(&::pcap_close)>;

Handle dead() { return {::pcap_open_dead(DLT_EN10MB, kWholeFrame), ::pcap_close}; }

// Only an activated handle knows how the kernel shows tags at its device. That needs the device up, so it is done for
// the one word that asks for tags; without it the program is the same.
Handle compiler_for(const std::string& expression, const std::string& device) {
  if (expression.find("vlan") == std::string::npos) return dead();
  const std::string attempt = "compile the capture filter \"" + expression + "\" for " + device;
  std::array<char, PCAP_ERRBUF_SIZE> message{};
  Handle handle(::pcap_create(device.c_str(), message.data()), ::pcap_close);
  if (!handle) throw EnvironmentError(attempt + ": " + message.data());
  ::pcap_set_snaplen(handle.get(), kWholeFrame);
  if (const int status = ::pcap_activate(handle.get()); status < 0) {
    throw EnvironmentError(attempt + ": " + ::pcap_statustostr(status) + "; " + ::pcap_geterr(handle.get()));
  }
  return handle;
}

}  // namespace

CaptureFilter::CaptureFilter(const std::string& expression) : expression_(expression) { compile(*dead()); }

CaptureFilter::CaptureFilter(const std::string& expression, const std::string& device)
    : CaptureFilter(expression, *compiler_for(expression, device)) {}

CaptureFilter::CaptureFilter(const std::string& expression, pcap_t& handle) : expression_(expression) {
  compile(handle);
}

CaptureFilter::~CaptureFilter() { ::pcap_freecode(&program_); }

void CaptureFilter::compile(pcap_t& compiler) {
  if (::pcap_compile(&compiler, &program_, expression_.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
    throw ConfigError("compile the capture filter \"" + expression_ + "\": " + ::pcap_geterr(&compiler) +
                      "; the language is that of pcap-filter(7)");
  }
}

void CaptureFilter::attach_to(int socket) const {
  sock_fprog program{};
  program.len = static_cast<unsigned short>(program_.bf_len);
  program.filter = reinterpret_cast<sock_filter*>(program_.bf_insns);
  checked(::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program),
          "attach the capture filter \"" + expression_ + "\"");
}

bool CaptureFilter::matches(std::span<const std::uint8_t> frame) const {
  pcap_pkthdr header{};
  header.caplen = header.len = static_cast<bpf_u_int32>(frame.size());
  return ::pcap_offline_filter(&program_, &header, frame.data()) != 0;
}

}  // namespace simcore
