#include "proxy/request_keys.hpp"

#include <gtest/gtest.h>

namespace kvgate::proxy {
namespace {

struct Case {
  char const* place;
  std::string_view session;
  bool secret;
};

TEST(RequestKeys, SessionsFromWhereCredentialsStandAreSecret) {
  std::string const text =
      "POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nAuthorization: Bearer k\r\nx-api-key: k\r\nCookie: sid=9\r\n\r\n";
  http::RequestHead head;
  ASSERT_EQ(http::parse_request_head(text, head), nullptr);
  openai::RequestView view;
  view.extra[0] = "ann";
  Case const cases[] = {{"header:x-user", "ann", false},
                        {"json:user", "ann", false},
                        {"header:Authorization", "Bearer k", true},
                        {"header:X-API-Key", "k", true},
                        {"cookie:sid", "9", true}};
  for (auto const& c : cases) {
    routing::Options options;
    options.session.keys = {"header:x-absent", c.place};
    auto const keys = KeyReader(options).read(head, "/", view);
    ASSERT_TRUE(keys.session) << c.place;
    EXPECT_EQ(*keys.session, c.session) << c.place;
    EXPECT_EQ(keys.session_secret, c.secret) << c.place;
  }
}

}  // namespace
}  // namespace kvgate::proxy
