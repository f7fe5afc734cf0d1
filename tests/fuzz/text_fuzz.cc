// SPDX-License-Identifier: MIT
//
// Text that is to be an address: MAC, IPv4, prefix, interface address, UDP endpoint. Whatever is taken must come back
// as the same value from its own text; everything else must be refused with a ConfigError.
#include <cstdlib>
#include <string>

#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/mac_address.h"
#include "simcore/sys/udp_socket.h"
#include "simcore/units/error.h"

namespace {

template <class Parse, class Text>
void parse_and_write(const std::string& text, Parse parse, Text text_of) {
  try {
    const auto value = parse(text);
    if (!(parse(text_of(value)) == value)) std::abort();
  } catch (const simcore::ConfigError&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simcore;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto to_string = [](const auto& value) { return value.to_string(); };
  parse_and_write(text, MacAddress::parse, to_string);
  parse_and_write(text, Ipv4Address::parse, to_string);
  parse_and_write(text, Ipv4Prefix::parse, to_string);
  parse_and_write(text, Ipv4InterfaceAddress::parse, to_string);
  parse_and_write(text, UdpEndpoint::parse, [](const UdpEndpoint& endpoint) { return endpoint.text(); });
  return 0;
}
