// SPDX-License-Identifier: MIT
#include "simcore/sys/pcap_handle.h"

#include <array>
#include <cerrno>

#include "simcore/sys/capture_filter.h"
#include "simcore/sys/network_device.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;

[[noreturn]] void fail(pcap_t* handle, const std::string& attempt, int status) {
  const std::string detail = attempt + ": " + ::pcap_statustostr(status) + "; " + ::pcap_geterr(handle);
  if (status == PCAP_ERROR_PERM_DENIED) throw EnvironmentError(detail + "; run as root");
  throw EnvironmentError(detail);
}

std::unique_ptr<pcap_t, decltype(&::pcap_close)> create(const std::string& device) {
  device_index(device);  // says it better than libpcap when there is none
  std::array<char, PCAP_ERRBUF_SIZE> message{};
  pcap_t* const handle = ::pcap_create(device.c_str(), message.data());
  if (handle == nullptr) throw EnvironmentError("capture at " + device + " with libpcap: " + message.data());
  return {handle, ::pcap_close};
}

}  // namespace

PcapHandle::PcapHandle(const std::string& device, const Options& options) : handle_(create(device)) {
  const std::string attempt = "capture at " + device + " with libpcap";
  const std::int64_t timeout_ms = options.timeout.count_ns() / kNanosecondsPerMillisecond;
  if (timeout_ms < 1 || timeout_ms > 10'000) {
    throw ConfigError(attempt + ": timeout is " + std::to_string(options.timeout.count_ns()) +
                      " ns; libpcap takes whole milliseconds, 1 to 10,000");
  }
  pcap_t* const handle = handle_.get();
  ::pcap_set_snaplen(handle, options.snapshot_bytes);
  ::pcap_set_promisc(handle, 1);
  ::pcap_set_timeout(handle, static_cast<int>(timeout_ms));
  ::pcap_set_immediate_mode(handle, options.immediate ? 1 : 0);
  ::pcap_set_buffer_size(handle, options.buffer_bytes);
  if (::pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO) != 0) ns_per_fraction_ = 1'000;
  if (const int status = ::pcap_activate(handle); status < 0) fail(handle, attempt, status);
  if (const int kind = ::pcap_datalink(handle); kind != DLT_EN10MB) {
    throw EnvironmentError(attempt + ": its frames are of link type " + std::to_string(kind) +
                           ", a portal needs an Ethernet device");
  }
  if (const int status = ::pcap_setdirection(handle, PCAP_D_IN); status < 0) fail(handle, attempt, status);
  if (!options.filter.empty()) {
    const CaptureFilter filter(options.filter, *handle);
    bpf_program program = filter.program();
    if (const int status = ::pcap_setfilter(handle, &program); status < 0) fail(handle, attempt, status);
  }
  std::array<char, PCAP_ERRBUF_SIZE> message{};
  if (::pcap_setnonblock(handle, 1, message.data()) < 0)
    throw EnvironmentError(attempt + ": " + message.data());
  fd_ = ::pcap_get_selectable_fd(handle);
  if (fd_ < 0) throw EnvironmentError(attempt + ": this libpcap cannot wait for frames at this device");
}

int PcapHandle::dispatch(int most, Receiver& receiver) {
  struct Call {
    Receiver& receiver;
    std::int64_t ns_per_fraction;

    static void take(u_char* self, const pcap_pkthdr* header, const u_char* bytes) {
      const Call& call = *reinterpret_cast<const Call*>(self);
      const std::int64_t stamp = static_cast<std::int64_t>(header->ts.tv_sec) * 1'000'000'000 +
                                 static_cast<std::int64_t>(header->ts.tv_usec) * call.ns_per_fraction;
      call.receiver.receive({{bytes, header->caplen}, header->len, stamp});
    }
  } call{receiver, ns_per_fraction_};
  return ::pcap_dispatch(handle_.get(), most, Call::take, reinterpret_cast<u_char*>(&call));
}

int PcapHandle::inject(std::span<const std::uint8_t> frame) {
  errno = 0;
  if (::pcap_inject(handle_.get(), frame.data(), frame.size()) >= 0) return 0;
  return errno != 0 ? errno : EIO;
}

std::uint64_t PcapHandle::kernel_drops() {
  pcap_stat stat{};
  if (::pcap_stats(handle_.get(), &stat) == 0) {
    // libpcap counts in 32 bits, which wrap.
    kernel_drops_ += static_cast<std::uint32_t>(stat.ps_drop - last_drops_);
    last_drops_ = stat.ps_drop;
  }
  return kernel_drops_;
}

}  // namespace simcore
