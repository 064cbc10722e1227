#include <gtest/gtest.h>

#include <string>

#include "unit/jinja/render.hpp"

namespace kvgate::jinja {
namespace {

Failure failure_of(std::string_view source) {
  auto const compiled = Template::compile(source);
  if (!compiled) return compiled.error().failure;
  RenderOptions options = test_options();
  options.limits = {200'000, 1 << 20, 4 << 20};
  auto const text = compiled->render(Value(), options);
  return text ? Failure::syntax : text.error().failure;
}

std::string repeated(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

TEST(Limits, HostileTemplatesStopAtABound) {
  std::string const loops = "{% for a in range(100000) %}{% for b in range(100000) %}";
  std::string const sources[] = {
      "{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
      "{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l|tojson "
      "}}",
      "{% set ns = namespace(l=[1], m=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}"
      "{% set ns.m = [ns.m, ns.m] %}{% endfor %}{{ ns.l == ns.m }}",
      loops + "x{% endfor %}{% endfor %}",
      loops + "{% endfor %}{% endfor %}",
      loops + "{% set x = [a, b] %}{% endfor %}{% endfor %}",
      "{{ 'a' * 1000000000 }}",
      "{{ [0] * 1000000000 }}",
      "{{ 'a'.center(1000000000) }}",
      "{{ 'a'.ljust(99999999999999) }}",
      "{{ '{:1000000000}'.format(1) }}",
      "{{ '%1000000000d' % 1 }}",
      "{{ '%.1000000000f' % 1 }}",
      "{{ 'a\nb'|indent(1000000000) }}",
      "{{ [1]|tojson(indent=1000000000) }}",
      "{{ [1]|batch(1000000000, 0)|list }}",
      "{{ 10 ** 1000000 }}",
      "{% set ns = namespace(n=10) %}{% for i in range(50) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
      "{% macro m() %}{% set x %}{{ m() }}{% endset %}{% endmacro %}{{ m() }}",
      "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
      "{% set ns = namespace(g=[1]) %}{% for i in range(1000) %}{% set ns.g = ns.g|map('string') %}{% endfor %}{{ "
      "ns.g|list }}",
      "{{ strftime_now('%100000d') }}",
      "{{ " + repeated("(", 1000) + "1" + repeated(")", 1000) + " }}",
      "{{ " + repeated("[", 1000) + repeated("]", 1000) + " }}",
      "{{ " + repeated("not ", 1000) + "1 }}",
      "{{ " + repeated("-", 1000) + "1 }}",
      "{{ x" + repeated(".a", 1000) + " }}",
      "{{ x" + repeated("|e", 1000) + " }}",
      "{{ 1" + repeated(" - 1", 1000) + " }}",
      "{{ 1" + repeated(" if 1 else 1", 1000) + " }}",
      repeated("{% if 1 %}", 1000) + repeated("{% endif %}", 1000),
      std::string((1 << 20) + 1, 'x'),
  };
  for (std::string const& source : sources) {
    EXPECT_EQ(failure_of(source), Failure::limit_reached) << source.substr(0, 120);
  }
}

TEST(Limits, DeepValuesDoNotOverflowTheStack) {
  std::string const nest =
      "{% set ns = namespace(l=[]) %}{% for i in range(5000) %}{% set ns.l = [ns.l] %}{% endfor %}";
  for (char const* use : {"{{ ns.l }}", "{{ ns.l|tojson }}", "{{ ns.l == [ns.l] }}", "{{ ns.l < [ns.l, 1] }}"}) {
    EXPECT_EQ(failure_of(nest + use), Failure::python_error) << use;
  }
}

TEST(Limits, WhatChatsNeedIsFarFromTheBounds) {
  std::string const macro = "{% macro m(n) %}{{ n }}{% if n %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(100) }}";
  EXPECT_EQ(render(macro).substr(0, 6), "100999");
  EXPECT_EQ(render("{% for i in range(100000) %}{{ 'x' }}{% endfor %}").size(), 100000u);
  EXPECT_EQ(render("{{ 1" + repeated(" + 1", 1000) + " }}"), "1001");
  EXPECT_EQ(render("{{ 'a'" + repeated(" ~ 'a'", 1000) + " }}").size(), 1001u);
  EXPECT_EQ(render(repeated("{% if false %}{% elif false %}", 1) + repeated("{% elif false %}", 1000) + "{% endif %}"),
            "");
}

}  // namespace
}  // namespace kvgate::jinja
