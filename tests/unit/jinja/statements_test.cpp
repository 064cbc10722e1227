#include <gtest/gtest.h>

#include "unit/jinja/render.hpp"

namespace kvgate::jinja {
namespace {

struct Row {
  char const* source;
  char const* expected;
};

void check(std::initializer_list<Row> rows) {
  for (Row const& row : rows) EXPECT_EQ(render(row.source, R"({"l":[1,2,3],"x":"outer"})"), row.expected) << row.source;
}

TEST(Statements, WhiteSpaceIsTrimmedAsWithTrimAndLstripBlocks) {
  check({{"a\n  {% if true %}\nb\n  {% endif %}\nc\n", "a\nb\nc"},
         {"a {%- if true -%} b {%- endif %} c", "ab c"},
         {"  {%+ if true %}x{% endif %}", "  x"},
         {"{% if true +%}\nx{% endif %}", "\nx"},
         {"  {# note #}\n  y", "  y"},
         {"  {{ 1 }}\n{{- 2 }}\n", "  12"},
         {"a\r\nb\rc", "a\nb\nc"},
         {"{{ '{%' }}{% raw %}{{ x }}{% endraw %}", "{%{{ x }}"},
         {"a {#- x -#} b", "ab"},
         {"\n\n", "\n"}});
}

TEST(Statements, LoopsKnowWhereTheyAre) {
  check({{"{% for i in l %}{{ loop.index }}/{{ loop.length }}{{ ',' if not loop.last }}{% endfor %}", "1/3,2/3,3/3"},
         {"{% for i in l %}{{ loop.previtem }}<{{ i }}<{{ loop.nextitem }} {% endfor %}", "<1<2 1<2<3 2<3< "},
         {"{% for i in l if i != 2 %}{{ loop.index0 }}:{{ i }}/{{ loop.length }} {% endfor %}", "0:1/2 1:3/2 "},
         {"{% for i in [] %}x{% else %}none{% endfor %}", "none"},
         {"{% for i in l %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "1"},
         {"{% for i in l %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "13"},
         {"{% for i in l %}{% break %}{% else %}else{% endfor %}", "else"},
         {"{% for i in l %}{{ loop.cycle('a', 'b') }}{{ loop.changed(i > 1) }} {% endfor %}", "aTrue bTrue aFalse "},
         {"{% for k, v in {'a': 1}.items() %}{{ k }}={{ v }}{% endfor %}", "a=1"},
         {"{% for i in missing %}x{% endfor %}", ""},
         {"{% for i in none %}x{% endfor %}", "TypeError: 'NoneType' object is not iterable"},
         {"{% for a, b in l %}{% endfor %}", "TypeError: cannot unpack non-iterable int object"},
         {"{% for i in [[1, [2]], [3]] recursive %}{{ loop(i) if i is iterable else i }}.{{ loop.depth }};{% endfor %}",
          "1.2;2.3;.2;.1;3.2;.1;"}});
}

TEST(Statements, ScopesAreJinjas) {
  check({{"{% for i in l %}{% set x = i %}{% endfor %}{{ x }}", "outer"},
         {"{% for i in l %}{{ x }}{% set x = i %}{{ x }} {% endfor %}", "outer1 outer2 outer3 "},
         {"{% if true %}{% set x = 'in' %}{% endif %}{{ x }}", "in"},
         {"{% if false %}{% set y = 1 %}{% endif %}{{ y }}|{{ y is defined }}", "|False"},
         {"{% set ns = namespace(n=0) %}{% for i in l %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "6"},
         {"{% macro m() %}{{ y }}{% endmacro %}{% set y = 1 %}{{ m() }}{% set y = 2 %}{{ m() }}", "12"},
         {"{% with x = 1, y = x %}{{ x }}{{ y }}{% endwith %}{{ x }}", "1outerouter"},
         {"{% set a, b = 1, (2, 3) %}{{ a }}{{ b }}", "1(2, 3)"},
         {"{% set y %}<{{ x }}>{% endset %}{{ y }}", "<outer>"},
         {"{% set x %}<{{ x }}>{% endset %}{{ x }}", "<>"},
         {"{% set x | upper %}ab{% endset %}{{ x }}", "AB"},
         {"{% set q.a = 1 %}", "TemplateRuntimeError: cannot assign attribute on non-namespace object"},
         {"{% generation %}{% set x = 1 %}{{ x }}{% endgeneration %}{{ x }}", "1outer"},
         {"{% for i in l %}{% for j in l %}{{ loop.index }}{% endfor %}{{ loop.index }} {% endfor %}",
          "1231 1232 1233 "}});
}

TEST(Statements, MacrosTakeArgumentsAsInJinja) {
  check({{"{% macro m(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }} {{ m(1, c=3) }}", "121 123"},
         {"{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m() }}{{ m(none) }}", "[][None]"},
         {"{% macro m(a=1) %}{{ a }}{% endmacro %}{{ m(missing) }}|{{ m() }}", "|1"},
         {"{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, k=3) }}", "(1, 2){'k': 3}"},
         {"{% macro m() %}{% endmacro %}{{ m(1) }}", "TypeError: macro 'm' takes not more than 0 argument(s)"},
         {"{% macro m() %}{% endmacro %}{{ m(k=1) }}", "TypeError: macro 'm' takes no keyword argument 'k'"},
         {"{% macro m(t) %}<{{ caller(t) }}>{% endmacro %}{% call(v) m('x') %}{{ v }}!{% endcall %}", "<x!>"},
         {"{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}", "3210"},
         {"{% macro m() %} a {% endmacro %}{{ m()|trim ~ '|' ~ m().upper() }}", "a| A "},
         {"{{ m }}{% macro m() %}{% endmacro %}{{ m }}", "<Macro 'm'>"},
         {"{% macro o() %}{% macro i() %}{{ v }}{% endmacro %}{% set v = 5 %}{{ i() }}{% endmacro %}{{ o() }}", "5"},
         {"{% filter upper %}a{{ x }}{% endfilter %}", "AOUTER"}});
}

TEST(Statements, HelpersOfTransformersAndJinja) {
  check({{"{{ strftime_now('%d %b %Y %H:%M:%S.%f%%%Z') }}", "09 Mar 2025 14:05:07.000042%"},
         {"{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}", "abab"},
         {"{% set j = joiner('; ') %}{% for i in l %}{{ j() }}{{ i }}{% endfor %}", "1; 2; 3"},
         {"{{ dict(a=1, **{'b': 2}) }}{{ dict([('k', 'v')]) }}", "{'a': 1, 'b': 2}{'k': 'v'}"},
         {"{{ namespace(a=1) }}", "<Namespace {'a': 1}>"}});
}

TEST(Statements, WhatIsNotSupportedIsNamedWithItsLine) {
  struct Refused {
    char const* source;
    Failure failure;
    char const* message;
    int line;
  };
  Refused const rows[] = {
      {"a\n{% include 'x' %}", Failure::unsupported, "the tag 'include' is not supported in chat templates", 2},
      {"{% extends 'x' %}", Failure::unsupported, "the tag 'extends' is not supported in chat templates", 1},
      {"\n\n{{ 1|pprint }}", Failure::unsupported, "the filter 'pprint' is not supported", 3},
      {"{% nosuch %}", Failure::syntax, "Encountered unknown tag 'nosuch'.", 1},
      {"{% if x %}", Failure::syntax, nullptr, 1},
      {"\n{{ 1 + }}", Failure::syntax, "unexpected 'end of print statement'", 2},
      {"{{ (1 }}", Failure::syntax, "unexpected '}', expected ')'", 1},
      {"{# x", Failure::syntax, "Missing end of comment tag", 1},
      {"{% break %}", Failure::syntax, "'break' outside loop", 1},
      {"{% for loop in [] %}{% endfor %}", Failure::syntax, nullptr, 1},
      {"{{ '\\ud800' }}", Failure::unsupported, "a lone surrogate in a string literal is not supported", 1},
      {"\xff", Failure::syntax, "the template is not UTF-8", 0},
  };
  for (Refused const& row : rows) {
    auto const compiled = Template::compile(row.source);
    ASSERT_FALSE(compiled.has_value()) << row.source;
    EXPECT_EQ(compiled.error().failure, row.failure) << row.source;
    EXPECT_EQ(compiled.error().line, row.line) << row.source;
    if (row.message) {
      EXPECT_EQ(compiled.error().message, row.message);
    }
  }
}

TEST(Statements, RaisedMessagesAreToldFromOtherFailures) {
  auto const compiled = Template::compile("x\n{{ raise_exception('No ' ~ 1) }}");
  auto const text = compiled->render(Value(), test_options());
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().failure, Failure::raised);
  EXPECT_EQ(text.error().message, "No 1");
  EXPECT_EQ(text.error().line, 2);
}

}  // namespace
}  // namespace kvgate::jinja
