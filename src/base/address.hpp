// A socket address, without Asio: the fleet keeps resolved addresses, http/ connects to them.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

namespace kvgate {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  sockaddr const* get() const noexcept { return reinterpret_cast<sockaddr const*>(&storage); }
  int family() const noexcept { return storage.ss_family; }
  bool operator==(SocketAddress const& other) const noexcept;
};

/// From an IPv4 or IPv6 literal (no brackets, no zone); nullopt when `host` is a name.
std::optional<SocketAddress> address_of_literal(std::string const& host, std::uint16_t port);

/// "127.0.0.1" or "2001:db8::1"; an IPv4-mapped IPv6 address is shown as IPv4.
std::string host_text(SocketAddress const& address);

/// "127.0.0.1:8000" or "[::1]:8000".
std::string address_text(SocketAddress const& address);

std::uint16_t port_of(SocketAddress const& address) noexcept;

}  // namespace kvgate
