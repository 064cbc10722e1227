// Deterministic random changes of HTTP bytes, for the tests that compare our parsers with Beast's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"

namespace kvgate::http::test {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return n ? random_.next() % n : 0; }
  template <class T>
  T const& pick(std::vector<T> const& from) { return from[below(from.size())]; }

  /// One small change: a byte replaced, inserted or removed, a line repeated or removed, or one of `lines` put in.
  void mutate(std::string& bytes, std::vector<std::string> const& lines) {
    auto const at = below(bytes.size() + 1);
    switch (below(6)) {
      case 0: if (at < bytes.size()) bytes[at] = byte(); return;
      case 1: bytes.insert(at, 1, byte()); return;
      case 2: if (at < bytes.size()) bytes.erase(at, 1); return;
      case 3: bytes.insert(line_start(bytes, at), line_at(bytes, at)); return;
      case 4: bytes.erase(line_start(bytes, at), line_at(bytes, at).size()); return;
      default: if (!lines.empty()) bytes.insert(line_start(bytes, at), pick(lines)); return;
    }
  }

 private:
  /// Mostly bytes that mean something to a parser.
  char byte() {
    using namespace std::string_view_literals;
    static constexpr auto kTelling = " \t\r\n:,;=\"/@+-0159afxAZ\0\x01\x0b\x7f\x80\xff"sv;
    return below(4) ? kTelling[below(kTelling.size())] : static_cast<char>(below(256));
  }
  static std::size_t line_start(std::string const& bytes, std::size_t at) {
    auto const lf = at ? bytes.rfind('\n', at - 1) : std::string::npos;
    return lf == std::string::npos ? 0 : lf + 1;
  }
  static std::string line_at(std::string const& bytes, std::size_t at) {
    auto const start = line_start(bytes, at);
    auto const lf = bytes.find('\n', start);
    return bytes.substr(start, lf == std::string::npos ? lf : lf + 1 - start);
  }

  Random random_;
};

}  // namespace kvgate::http::test
