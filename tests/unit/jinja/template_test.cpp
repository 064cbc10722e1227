#include "text/jinja/template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "unit/jinja/render.hpp"

namespace kvgate::jinja {
namespace {

TEST(Template, FindsTheContentFormatAsVllmDoes) {
  struct Row {
    char const* source;
    ContentFormat format;
  };
  constexpr auto string = ContentFormat::string, openai = ContentFormat::openai;
  Row const rows[] = {
      {"{% for m in messages %}{{ m.content }}{% endfor %}", string},
      {"{% for m in messages %}{% for c in m.content %}{{ c.text }}{% endfor %}{% endfor %}", openai},
      {"{% for m in messages %}{% for c in m['content'] %}{% endfor %}{% endfor %}", openai},
      {"{% set ms = messages[1:] %}{% for m in ms %}{% for c in m.content|list %}{% endfor %}{% endfor %}", openai},
      {"{% set ns = namespace(ms=messages) %}{% for m in ns.ms %}{% for c in m.content %}{% endfor %}{% endfor %}",
       openai},
      {"{% set ns.r = messages %}{% for m in ns.r %}{% for c in m.content %}{% endfor %}{% endfor %}", openai},
      {"{% macro p(x) %}{% for c in x %}{% endfor %}{% endmacro %}{% for m in messages %}{{ p(m.content) }}{% endfor "
       "%}",
       openai},
      {"{% macro p(x) %}{% for c in x %}{% endfor %}{% endmacro %}{% for m in messages %}{{ p(x=m.content) }}{% endfor "
       "%}",
       openai},
      {"{% macro p(content) %}{% for c in content %}{% endfor %}{% endmacro %}{{ p(messages) }}", string},
      {"{% for c in content %}{% endfor %}", openai},
      {"{% for a, b in messages %}{% endfor %}{% for c in content %}{% endfor %}", string},
      {"{% for t in tools %}{% for c in t.content %}{% endfor %}{% endfor %}", string},
  };
  for (Row const& row : rows) {
    auto const compiled = Template::compile(row.source);
    ASSERT_TRUE(compiled.has_value()) << row.source;
    EXPECT_EQ(compiled->content_format(), row.format) << row.source;
  }
}

TEST(Template, KnowsWhatItTakesFromItsInput) {
  auto const compiled = Template::compile(
      "{% set a = 1 %}{% if q %}{% set b = 2 %}{% endif %}{{ a }}{{ b }}{% for m in messages %}{{ m }}{{ loop.index }}"
      "{{ c }}{% endfor %}{% macro f(x) %}{{ x }}{{ d }}{% endmacro %}{{ f(e|default(1)) }}{{ range(2) }}"
      "{{ raise_exception('x') if z is defined }}");
  ASSERT_TRUE(compiled.has_value());
  EXPECT_THAT(compiled->undeclared_variables(),
              testing::ElementsAre("b", "c", "d", "e", "messages", "q", "raise_exception", "z"));
}

TEST(Template, InputComesBeforeGlobalFunctions) {
  EXPECT_EQ(render("{{ range }}", R"({"range": 5})"), "5");
  EXPECT_EQ(render("{{ messages[0].content }}", R"({"messages": [{"content": "hi"}]})"), "hi");
}

TEST(Template, IsSharedByThreads) {
  auto const compiled = Template::compile(
      "{% macro m(x) %}[{{ x }}]{% endmacro %}{% for i in l %}{{ m(i) }}{{ {'k': i}|tojson }}{% endfor %}");
  std::string const expected = render("[1]{\"k\": 1}[2]{\"k\": 2}");
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 200; ++round) {
        Arena arena;
        auto const text = compiled->render(*parse_json(R"({"l": [1, 2]})", arena), test_options());
        wrong[t] += text && *text == expected ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

}  // namespace
}  // namespace kvgate::jinja
