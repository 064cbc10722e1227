#include "text/jinja/compare.hpp"

#include <algorithm>
#include <cmath>

#include "text/jinja/big_int.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/thrown.hpp"

namespace kvgate::jinja {
namespace {

constexpr int kMaxDepth = 200;
constexpr std::uint64_t kMaxWork = 1'000'000;

/// One comparison of two values with all that is in them.
class Comparer {
 public:
  explicit Comparer(std::uint64_t& work) : work_(work) {}

  bool equal(Value const& left, Value const& right, int depth) {
    if (++work_ > kMaxWork) over_limit("comparing takes too many steps");
    if (left.is_string()) return right.is_string() && equal_texts(left.text(), right.text());
    if (left.is_number()) return right.is_number() && compare_numbers(left, right) == 0;
    if (left.kind() != right.kind()) return false;
    if (depth > kMaxDepth) raise("RecursionError", "maximum recursion depth exceeded in comparison");
    switch (left.kind()) {
      case Kind::undefined:
      case Kind::none:
        return true;
      case Kind::list:
      case Kind::tuple:
        return equal_items(left.items(), right.items(), depth);
      case Kind::dict:
        return equal_dicts(left.dict(), right.dict(), depth);
      default:
        return equal_objects(left.object(), right.object());
    }
  }

 private:
  bool equal_texts(std::string_view left, std::string_view right) {
    if (left.size() != right.size()) return false;
    work_ += left.size() / 64;
    return left == right;
  }

  bool equal_items(std::span<Value const> left, std::span<Value const> right, int depth) {
    if (left.size() != right.size()) return false;
    if (left.data() == right.data()) return true;
    return std::equal(left.begin(), left.end(), right.begin(),
                      [this, depth](Value const& a, Value const& b) { return same(a, b) || equal(a, b, depth + 1); });
  }

  bool equal_dicts(Dict const& left, Dict const& right, int depth) {
    if (&left == &right) return true;
    if (left.size() != right.size()) return false;
    for (auto const& [key, value] : left.entries()) {
      Value const* other = right.find(key);
      if (!other || !equal(value, *other, depth + 1)) return false;
    }
    return true;
  }

  std::uint64_t& work_;
};

int compare_doubles(double a, double b) noexcept {
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

// Against the whole part first, which is exact, then against the fraction.
int compare_int_double(Value const& whole, double number) noexcept {
  if (std::isnan(number)) return 2;
  if (whole.is(Kind::big_integer)) {
    double const rounded = to_double(whole.big());
    if (rounded != number || std::isinf(number)) return compare_doubles(rounded, number);
    Arena arena;
    return compare_ints(whole, int_from_double(number, arena));
  }
  if (number >= 0x1p63) return -1;
  if (number < -0x1p63) return 1;
  double const truncated = std::trunc(number);
  int const order = compare_ints(whole, Value::integer(static_cast<std::int64_t>(truncated)));
  return order != 0 ? order : compare_doubles(truncated, number);
}

}  // namespace

bool equal(Value const& left, Value const& right, std::uint64_t& work) {
  return Comparer(work).equal(left, right, 0);
}

int compare_numbers(Value const& left, Value const& right) noexcept {
  bool const a = left.is(Kind::floating), b = right.is(Kind::floating);
  if (a && b) return compare_doubles(left.floating(), right.floating());
  if (b) return compare_int_double(left, right.floating());
  if (!a) return compare_ints(left, right);
  int const order = compare_int_double(right, left.floating());
  return order == 2 ? 2 : -order;
}

bool same(Value const& left, Value const& right) noexcept {
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Kind::undefined:
    case Kind::none:
      return true;
    case Kind::floating:
      return left.floating() == right.floating();
    case Kind::big_integer:
      return compare_ints(left, right) == 0;
    case Kind::string:
    case Kind::markup:
      return left.text() == right.text();
    case Kind::list:
    case Kind::tuple:
      return left.items().data() == right.items().data() && left.items().size() == right.items().size();
    case Kind::dict:
      return &left.dict() == &right.dict();
    case Kind::object:
      return &left.object() == &right.object();
    default:
      return left.int64() == right.int64();
  }
}

}  // namespace kvgate::jinja
