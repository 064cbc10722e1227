#include "unit/sim/client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace kvgate::sim::test {

std::string Response::header(std::string const& name) const {
  auto const found = std::find_if(headers.begin(), headers.end(), [&](auto const& h) { return h.first == name; });
  return found == headers.end() ? std::string() : found->second;
}

Client::Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  set_timeout(10000);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connected_ = ::connect(fd_, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0;
}

Client::~Client() {
  close(false);
}

void Client::set_timeout(int milliseconds) {
  timeval const time{milliseconds / 1000, milliseconds % 1000 * 1000};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

void Client::send(std::string const& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    auto const n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

void Client::send_request(std::string const& method, std::string const& path, std::string const& body,
                          std::string const& headers) {
  auto head = method + " " + path + " HTTP/1.1\r\nHost: engine\r\n" + headers;
  if (!body.empty() && headers.find("Content-Type") == std::string::npos) head += "Content-Type: application/json\r\n";
  if (!body.empty() || method == "POST") head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  send(head + "\r\n" + body);
}

bool Client::fill() {
  char bytes[16384];
  auto const n = ::recv(fd_, bytes, sizeof bytes, 0);
  if (n < 0 && errno == ECONNRESET) reset_ = true;
  if (n > 0) buffer_.append(bytes, static_cast<std::size_t>(n));
  return n > 0;
}

std::optional<std::string> Client::take_line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    if (!fill()) return std::nullopt;
  }
  auto line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::string Client::take(std::size_t size) {
  while (buffer_.size() < size && fill()) {
  }
  auto bytes = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return bytes;
}

Response Client::receive_head() {
  Response response;
  auto const first = take_line();
  if (!first) return response;
  response.status = std::stoi(first->substr(9, 3));
  for (auto line = take_line(); line && !line->empty(); line = take_line()) {
    auto const colon = line->find(": ");
    response.headers.emplace_back(line->substr(0, colon), line->substr(colon + 2));
  }
  return response;
}

std::optional<std::string> Client::receive_chunk() {
  auto const line = take_line();
  if (!line || line->empty()) return std::nullopt;
  auto const size = std::stoul(*line, nullptr, 16);
  auto chunk = take(size + 2);
  if (chunk.size() != size + 2) return std::nullopt;
  final_chunk_ = size == 0;
  if (final_chunk_) return std::nullopt;
  return chunk.substr(0, size);
}

Response Client::receive(bool has_body) {
  auto response = receive_head();
  if (response.status == 0 || !has_body) return response;
  if (response.header("transfer-encoding") == "chunked") {
    final_chunk_ = false;
    while (auto chunk = receive_chunk()) {
      response.body += *chunk;
      response.chunks.push_back(std::move(*chunk));
    }
    response.complete = final_chunk_;
    return response;
  }
  auto const length = response.header("content-length");
  auto const size = length.empty() ? 0 : std::stoul(length);
  response.body = take(size);
  response.complete = response.body.size() == size;
  return response;
}

bool Client::at_end() {
  if (!buffer_.empty()) return false;
  char byte = 0;
  auto const n = ::recv(fd_, &byte, 1, 0);
  if (n < 0 && errno == ECONNRESET) reset_ = true;
  return n == 0 || reset_;
}

void Client::finish_sending() {
  ::shutdown(fd_, SHUT_WR);
}

void Client::close(bool reset) {
  if (fd_ < 0) return;
  linger const hard{1, 0};
  if (reset) ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  ::close(fd_);
  fd_ = -1;
}

Response request(std::uint16_t port, std::string const& method, std::string const& path, std::string const& body,
                 std::string const& headers) {
  Client client(port);
  client.send_request(method, path, body, headers);
  return client.receive(method != "HEAD");
}

std::vector<std::string> data_of(Response const& response) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; (at = response.body.find("data: ", at)) != std::string::npos;) {
    auto const end = response.body.find('\n', at);
    lines.push_back(response.body.substr(at + 6, end - at - 6));
    at = end;
  }
  return lines;
}

}  // namespace kvgate::sim::test
