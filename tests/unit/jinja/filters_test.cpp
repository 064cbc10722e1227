#include <gtest/gtest.h>

#include <string>

#include "unit/jinja/render.hpp"

namespace kvgate::jinja {
namespace {

constexpr char kInput[] = R"({"l":[3,1,2],"words":["b","a","B"],"d":{"b":1,"A":2},
  "people":[{"name":"Zoë","age":7,"tags":["x"]},{"name":"amy","age":3},{"name":"Bob","age":7}],
  "tool":{"type":"f","n":1.0,"s":"é<\n\"","list":[],"deep":{"k":[1,null,true]}}})";

struct Row {
  char const* source;
  char const* expected;
};

void check(std::initializer_list<Row> rows) {
  for (Row const& row : rows) {
    EXPECT_EQ(render("{{ " + std::string(row.source) + " }}", kInput), row.expected) << row.source;
  }
}

TEST(Filters, JsonIsPythons) {
  check({{"tool|tojson", R"({"type": "f", "n": 1.0, "s": "é<\n\"", "list": [], "deep": {"k": [1, null, true]}})"},
         {"tool.s|tojson(ensure_ascii=true)", R"("\u00e9<\n\"")"},
         {"d|tojson(indent=2)", "{\n  \"b\": 1,\n  \"A\": 2\n}"},
         {"d|tojson(sort_keys=true)", R"({"A": 2, "b": 1})"},
         {"[1, [], {}]|tojson(indent=1)", "[\n 1,\n [],\n {}\n]"},
         {"d|tojson(separators=(',', ':'))", R"({"b":1,"A":2})"},
         {"{1: 2, none: 3, true: 1.5}|tojson", R"({"1": 1.5, "null": 3})"},
         {"'👀'|tojson(ensure_ascii=true)", R"("\ud83d\udc40")"},
         {"missing|tojson", "TypeError: Object of type Undefined is not JSON serializable"}});
}

TEST(Filters, OfTexts) {
  check({{"'hello world-x'|title", "Hello World-X"},
         {"'hELLO'|capitalize", "Hello"},
         {"'  x '|trim ~ '|'", "x|"},
         {"'xxaxx'|trim('x')", "a"},
         {"'a-b-c'|replace('-', '+', 1)", "a+b-c"},
         {"'ab'|replace('', '.')", ".a.b."},
         {"'a\nb\n\nc'|indent(2)", "a\n  b\n\n  c"},
         {"'a\nb'|indent(2, first=true)", "  a\n  b"},
         {"'foo bar baz qux'|truncate(9)", "foo..."},
         {"'one two_three'|wordcount", "2"},
         {"'ab'|center(5) ~ '|'", "  ab |"},
         {"'a b/c'|urlencode", "a%20b/c"},
         {"{'a': '<', 'b': none}|xmlattr", " a=\"&lt;\""},
         {"1234567|filesizeformat", "1.2 MB"}});
}

TEST(Filters, OfNumbers) {
  check({{"'42'|int + '0x1f'|int(base=16)", "73"},
         {"'42.9'|int, 'x'|int, 'x'|int(-1), none|int", "(42, 0, -1, 0)"},
         {"'1_000'|int, ' 7 '|int", "(1000, 7)"},
         {"'1.5'|float, 'x'|float(2.0)", "(1.5, 2.0)"},
         {"2.5|round, 3.5|round, 2.675|round(2), 42.55|round(1, 'floor'), 5|round", "(2.0, 4.0, 2.67, 42.5, 5)"},
         {"-3|abs", "3"},
         {"(-3)|abs, -2.5|float|abs", "(3, 2.5)"},
         {"'1e400'|int", "0"}});
}

TEST(Filters, OfSequences) {
  check({{"l|sort", "[1, 2, 3]"},
         {"words|sort", "['a', 'b', 'B']"},
         {"words|sort(case_sensitive=true)", "['B', 'a', 'b']"},
         {"people|sort(attribute='age,name')|map(attribute='name')|list", "['amy', 'Bob', 'Zoë']"},
         {"d|dictsort", "[('A', 2), ('b', 1)]"},
         {"d|dictsort(by='value', reverse=true)", "[('A', 2), ('b', 1)]"},
         {"words|unique|list", "['b', 'a']"},
         {"people|groupby('age')|map('first')|list", "[3, 7]"},
         {"(people|groupby('age'))[1].list|length", "2"},
         {"people|selectattr('age', '>', 5)|map(attribute='name')|join(', ')", "Zoë, Bob"},
         {"people|rejectattr('tags')|map(attribute='name')|list", "['amy', 'Bob']"},
         {"people|map(attribute='tags.0', default='-')|join", "x--"},
         {"l|select('odd')|list, l|reject('in', [3])|list", "([3, 1], [1, 2])"},
         {"l|sum, people|sum(attribute='age')", "(6, 17)"},
         {"l|min, l|max, words|max", "(1, 3, 'b')"},
         {"l|batch(2, 0)|list", "[[3, 1], [2, 0]]"},
         {"range(5)|slice(2)|list", "[[0, 1, 2], [3, 4]]"},
         {"l|reverse|list, 'abc'|reverse", "([2, 1, 3], 'cba')"},
         {"l|first, l|last, []|first", "(3, 2, Undefined)"},
         {"[] | first + 1", "UndefinedError: No first item, sequence was empty."},
         {"d|items|list", "[('b', 1), ('A', 2)]"},
         {"none|map('upper')|list", "[]"},
         {"[['a', 1]]|map('last')|list", "[1]"},
         {"missing|default('x'), ''|default('x', true), ''|d('x')", "('x', 'x', '')"}});
}

TEST(Filters, GeneratorsWorkOnce) {
  EXPECT_EQ(render("{% set g = l|map('string') %}{{ g|list }}{{ g|list }}", kInput), "['3', '1', '2'][]");
  EXPECT_EQ(render("{% for x in l|select('odd') %}{{ x }}{{ '.' if loop.last else ',' }}{% endfor %}", kInput), "3,1.");
  EXPECT_EQ(render("{{ l|select|length }}", kInput), "TypeError: object of type 'generator' has no len()");
}

TEST(Filters, UnknownOnesFailWhenTheyMust) {
  EXPECT_EQ(render("{{ 1|nosuch }}"), "TemplateSyntaxError: No filter named 'nosuch'.");
  EXPECT_EQ(render("{% if false %}{{ 1|nosuch }}{% endif %}ok"), "ok");
  EXPECT_EQ(render("{% if true %}{{ 1|nosuch }}{% endif %}"), "TemplateRuntimeError: No filter named 'nosuch' found.");
  EXPECT_EQ(render("{{ [1]|map('nosuch')|list }}"), "TemplateRuntimeError: No filter named 'nosuch'.");
  EXPECT_EQ(render("{{ 'x' is nosuch }}"), "TemplateSyntaxError: No test named 'nosuch'.");
}

TEST(Tests, KnowPythonsTypes) {
  EXPECT_EQ(render("{{ [1 is number, true is number, 1.5 is float, 1 is integer, true is integer, 'a' is string] }}"),
            "[True, True, True, True, False, True]");
  EXPECT_EQ(render("{{ [{} is mapping, [] is sequence, {} is sequence, 'a' is iterable, 1 is iterable] }}"),
            "[True, True, True, True, False]");
  EXPECT_EQ(render("{{ [none is none, x is defined, x is undefined, false is false, 1 is true] }}"),
            "[True, False, True, True, False]");
  EXPECT_EQ(render("{{ [3 is odd, 4 is even, 9 is divisibleby 3, 'a' is in ['a'], 2 is gt 1, 'A' is upper] }}"),
            "[True, True, True, True, True, True]");
  EXPECT_EQ(render("{{ [range is callable, 'upper' is filter, 'odd' is test, 'x'|safe is escaped, 1 is not none] }}"),
            "[True, True, True, True, True]");
}

}  // namespace
}  // namespace kvgate::jinja
