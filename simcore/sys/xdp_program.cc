// SPDX-License-Identifier: MIT
#ifdef SIMCORE_XDP

#include "simcore/sys/xdp_program.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/if_link.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/network_device.h"

namespace simcore {

namespace {

constexpr std::uint32_t kQueues = 1;

// libbpf returns the negative error number.
FileDescriptor checked_bpf(int result, const std::string& attempt) {
  if (result >= 0) return FileDescriptor(result);
  if (result == -EPERM)
    throw EnvironmentError(attempt + ": this needs CAP_BPF, CAP_NET_ADMIN and CAP_NET_RAW; run as root");
  if (result == -EBUSY || result == -EEXIST)
    throw EnvironmentError(attempt +
                           ": it has an XDP program already; see ip link, and end who put it there");
  throw SystemError(attempt, -result);
}

bpf_insn instruction(int code, int destination, int source, int offset, int value) {
  bpf_insn made{};
  made.code = static_cast<__u8>(code);
  made.dst_reg = static_cast<__u8>(destination) & 0xfU;
  made.src_reg = static_cast<__u8>(source) & 0xfU;
  made.off = static_cast<__s16>(offset);
  made.imm = value;
  return made;
}

// return bpf_redirect_map(&sockets, context->rx_queue_index, XDP_PASS)
FileDescriptor load_program(int sockets, const std::string& attempt) {
  const std::array<bpf_insn, 6> program = {
      instruction(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_1, offsetof(xdp_md, rx_queue_index), 0),
      instruction(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, sockets),
      instruction(0, 0, 0, 0, 0),  // the other half of that constant
      instruction(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, XDP_PASS),
      instruction(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_redirect_map),
      instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
  };
  return checked_bpf(
      ::bpf_prog_load(BPF_PROG_TYPE_XDP, "simcore_portal", "MIT", program.data(), program.size(), nullptr),
      attempt);
}

int link(int program, int device, std::uint32_t mode) {
  LIBBPF_OPTS(bpf_link_create_opts, options, .flags = mode);
  return ::bpf_link_create(program, device, BPF_XDP, &options);
}

}  // namespace

XdpProgram::XdpProgram(const std::string& device) {
  const std::string attempt = "attach an XDP program to " + device;
  const int index = device_index(device);
  sockets_ = checked_bpf(::bpf_map_create(BPF_MAP_TYPE_XSKMAP, "simcore_sockets", sizeof(std::uint32_t),
                                          sizeof(std::uint32_t), kQueues, nullptr),
                         attempt);
  program_ = load_program(sockets_.get(), attempt);
  int attached = link(program_.get(), index, XDP_FLAGS_DRV_MODE);
  if (attached < 0 && attached != -EPERM && attached != -EBUSY && attached != -EEXIST) {
    native_ = false;
    attached = link(program_.get(), index, XDP_FLAGS_SKB_MODE);
  }
  link_ = checked_bpf(attached, attempt);
}

}  // namespace simcore

#endif
