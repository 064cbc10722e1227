#include "base/address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

namespace kvgate {
namespace {

sockaddr_in const& v4(SocketAddress const& a) { return reinterpret_cast<sockaddr_in const&>(a.storage); }
sockaddr_in6 const& v6(SocketAddress const& a) { return reinterpret_cast<sockaddr_in6 const&>(a.storage); }

}  // namespace

bool SocketAddress::operator==(SocketAddress const& other) const noexcept {
  return length == other.length && std::memcmp(&storage, &other.storage, length) == 0;
}

std::optional<SocketAddress> address_of_literal(std::string const& host, std::uint16_t port) {
  SocketAddress address;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    std::memcpy(&address.storage, &four, address.length = sizeof four);
    return address;
  }
  if (inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    std::memcpy(&address.storage, &six, address.length = sizeof six);
    return address;
  }
  return std::nullopt;
}

std::string host_text(SocketAddress const& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.family() == AF_INET) {
    inet_ntop(AF_INET, &v4(address).sin_addr, text, sizeof text);
  } else if (address.family() == AF_INET6) {
    auto const& in = v6(address).sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&in)) {
      inet_ntop(AF_INET, &in.s6_addr[12], text, sizeof text);
    } else {
      inet_ntop(AF_INET6, &in, text, sizeof text);
    }
  }
  return text;
}

std::string address_text(SocketAddress const& address) {
  auto const host = host_text(address);
  auto const port = std::to_string(port_of(address));
  return host.find(':') == std::string::npos ? host + ":" + port : "[" + host + "]:" + port;
}

std::uint16_t port_of(SocketAddress const& address) noexcept {
  if (address.family() == AF_INET) return ntohs(v4(address).sin_port);
  if (address.family() == AF_INET6) return ntohs(v6(address).sin6_port);
  return 0;
}

}  // namespace kvgate
