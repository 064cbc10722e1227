// A tiny blocking HTTP client for one loopback port: what a test needs to look at an engine from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kvgate::sim::test {

using Json = nlohmann::ordered_json;

struct Response {
  int status = 0;                                            ///< 0: the connection ended before a head
  std::vector<std::pair<std::string, std::string>> headers;  ///< as they came
  std::string body;                                          ///< of a chunked answer: all chunks
  std::vector<std::string> chunks;
  bool complete = false;  ///< the whole body arrived; else the connection ended or timed out before

  std::string header(std::string const& name) const;  ///< empty: not there
  Json json() const { return Json::parse(body, nullptr, false); }
};

/// One connection. Reads give up after ten seconds, so that a defect fails a test and does not hang it.
class Client {
 public:
  explicit Client(std::uint16_t port);
  ~Client();
  Client(Client const&) = delete;
  Client& operator=(Client const&) = delete;

  bool connected() const noexcept { return connected_; }

  void send(std::string const& bytes);
  void send_request(std::string const& method, std::string const& path, std::string const& body = {},
                    std::string const& headers = {});

  Response receive(bool has_body = true);
  Response receive_head();
  std::optional<std::string> receive_chunk();  ///< nullopt: the final chunk, or the end of the connection

  bool at_end();  ///< waits until the engine closes; false: it sent something or took too long
  bool was_reset() const noexcept { return reset_; }
  void set_timeout(int milliseconds);
  void finish_sending();   ///< FIN
  void close(bool reset);  ///< FIN or RST

 private:
  bool fill();
  std::optional<std::string> take_line();
  std::string take(std::size_t size);

  int fd_ = -1;
  bool connected_ = false;
  bool reset_ = false;
  bool final_chunk_ = false;
  std::string buffer_;
};

/// One request on a fresh connection.
Response request(std::uint16_t port, std::string const& method, std::string const& path, std::string const& body = {},
                 std::string const& headers = {});

/// The `data:` lines of a stream, without the prefix.
std::vector<std::string> data_of(Response const& response);

/// Asks `condition` until it holds, for ten seconds at most.
template <class F>
bool eventually(F condition) {
  auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace kvgate::sim::test
