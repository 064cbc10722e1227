// Recorded exchanges with vLLM, and a way to feed them in random pieces.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace kvgate::test {

inline std::filesystem::path recorded_dir() {
  return std::filesystem::path(KVGATE_SOURCE_DIR) / ".." / "shared" / "data" / "vllm-http";
}

inline std::string read_file(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string dechunk(std::string_view body) {
  std::string out;
  while (!body.empty()) {
    auto const line = body.find("\r\n");
    auto const size = std::strtoul(std::string(body.substr(0, line)).c_str(), nullptr, 16);
    if (line == std::string_view::npos || size == 0) break;
    out += body.substr(line + 2, size);
    body.remove_prefix(std::min(body.size(), line + 2 + size + 2));
  }
  return out;
}

/// Body of a recorded response or request, de-chunked; empty when the file is not there.
inline std::string recorded_body(std::string const& name) {
  auto const text = read_file(recorded_dir() / name);
  auto const head = text.find("\r\n\r\n");
  if (head == std::string::npos) return {};
  auto const chunked = text.substr(0, head).find("transfer-encoding: chunked") != std::string::npos;
  return chunked ? dechunk(std::string_view(text).substr(head + 4)) : text.substr(head + 4);
}

/// Calls `feed` with consecutive pieces of 0 to `longest` bytes.
template <class Feed>
void in_pieces(std::string_view text, std::size_t longest, std::mt19937& random, Feed feed) {
  std::uniform_int_distribution<std::size_t> size(0, longest);
  while (!text.empty()) {
    auto const piece = text.substr(0, size(random));
    feed(piece);
    text.remove_prefix(piece.size());
  }
}

}  // namespace kvgate::test

#define KVGATE_NEEDS_RECORDED()                                                  \
  if (!std::filesystem::exists(kvgate::test::recorded_dir())) {                  \
    GTEST_SKIP() << "no recorded exchanges at " << kvgate::test::recorded_dir(); \
  }                                                                              \
  static_assert(true)
