#include <gtest/gtest.h>

#include <string>

#include "unit/jinja/render.hpp"

namespace kvgate::jinja {
namespace {

constexpr char kInput[] = R"({"s":"Grüße 👀","l":[1,2,3],"d":{"a":1,"items":2},"big":123456789012345678901234567890,
  "f":1e-7,"n":null,"user":{"name":"Zoë","age":7},"words":["b","a","B"]})";

struct Row {
  char const* source;
  char const* expected;
};

void check(std::initializer_list<Row> rows) {
  for (Row const& row : rows) {
    EXPECT_EQ(render("{{ " + std::string(row.source) + " }}", kInput), row.expected) << row.source;
  }
}

TEST(Expressions, NumbersPrintAsInPython) {
  check({{"1", "1"},
         {"1.0", "1.0"},
         {"f", "1e-07"},
         {"1e16", "1e+16"},
         {"123456789.5", "123456789.5"},
         {"0.1 + 0.2", "0.30000000000000004"},
         {"big", "123456789012345678901234567890"},
         {"big * big", "15241578753238836750495351562536198787501905199875019052100"},
         {"9223372036854775807 + 1", "9223372036854775808"},
         {"big - big + 1", "1"},
         {"7 // -2", "-4"},
         {"-7 % 3", "2"},
         {"7.5 // 2", "3.0"},
         {"-7.5 % 2", "0.5"},
         {"2 ** 100", "1267650600228229401496703205376"},
         {"2 ** -1", "0.5"},
         {"10 / 5", "2.0"},
         {"big / 10", "1.2345678901234568e+28"},
         {"true + 1", "2"},
         {"1_000 + 0x1f", "1031"}});
}

TEST(Expressions, TextsAreCountedInCodePoints) {
  check({{"s|length", "7"},
         {"s[-1]", "👀"},
         {"s[2]", "ü"},
         {"s[::-1]", "👀 eßürG"},
         {"s[1:4]", "rüß"},
         {"s.upper()", "GRÜSSE 👀"},
         {"'ab' * 3", "ababab"},
         {"'a' in 'cab'", "True"},
         {"'ΑΣ'|lower", "ας"},
         {"'a' 'b'", "ab"},
         {"'\\u00e9\\x41\\n'", "éA\n"}});
}

TEST(Expressions, ContainersPrintAsInPython) {
  check({{"l", "[1, 2, 3]"},
         {"(1,)", "(1,)"},
         {"{'a': 'it\\'s', 'b': none, 1: true}", "{'a': \"it's\", 'b': None, 1: True}"},
         {"['\\n', 'é', '\\x07']", "['\\n', 'é', '\\x07']"},
         {"[missing, 1.0]", "[Undefined, 1.0]"},
         {"d.items",
          "UnsupportedError: the text of a builtin_function_or_method object is not supported: it is an address"},
         {"d.items()", "dict_items([('a', 1), ('items', 2)])"},
         {"range(1, 9, 3)", "range(1, 9, 3)"},
         {"range(5)[1:3]|list", "[1, 2]"},
         {"[1, [2, {'x': (3,)}]] == [1, [2, {'x': (3,)}]]", "True"},
         {"[1, 2] < [1, 3]", "True"},
         {"1 < 2 < 3 != 4", "True"},
         {"1 == 1.0 == true", "True"}});
}

TEST(Expressions, KeysAndAttributesFollowTheSandbox) {
  check({{"d.a", "1"},
         {"d['items']", "2"},
         {"d.missing", ""},
         {"d.missing.x", "UndefinedError: 'dict object' has no attribute 'missing'"},
         {"l[9]", ""},
         {"l[9] + 1", "UndefinedError: list object has no element 9"},
         {"missing + 1", "UndefinedError: 'missing' is undefined"},
         {"n.x is defined", "False"},
         {"l.append(4)", "SecurityError: access to attribute 'append' of 'list' object is unsafe."},
         {"d.update({})", "SecurityError: access to attribute 'update' of 'dict' object is unsafe."},
         {"s.__class__", ""},
         {"s.__class__.x", "SecurityError: access to attribute '__class__' of 'str' object is unsafe."},
         {"user.name ~ user['age']", "Zoë7"},
         {"d.get('a'), d.get('x'), d.get('x', 5)", "(1, None, 5)"}});
}

TEST(Expressions, ErrorsReadAsInPython) {
  check({{"'a' + 1", "TypeError: can only concatenate str (not \"int\") to str"},
         {"'a' + n", "TypeError: can only concatenate str (not \"NoneType\") to str"},
         {"('a'|safe) + n", "TypeError: unsupported operand type(s) for +: 'Markup' and 'NoneType'"},
         {"1 + 'a'", "TypeError: unsupported operand type(s) for +: 'int' and 'str'"},
         {"l < 1", "TypeError: '<' not supported between instances of 'list' and 'int'"},
         {"1 in 'a'", "TypeError: 'in <string>' requires string as left operand, not int"},
         {"n|length", "TypeError: object of type 'NoneType' has no len()"},
         {"1 // 0", "ZeroDivisionError: integer division or modulo by zero"},
         {"l|map('upper')|tojson", "TypeError: Object of type generator is not JSON serializable"},
         {"raise_exception('No ' ~ s)", "TemplateError: No Grüße 👀"},
         {"range(100001)", "OverflowError: Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000)."},
         {"'x' if false", ""},
         {"{[1]: 2}", "TypeError: unhashable type: 'list'"}});
}

TEST(Expressions, MarkupEscapesWhatIsAdded) {
  check({{"('<b>'|safe) + '<i>'", "<b>&lt;i&gt;"},
         {"'<i>' + ('<b>'|safe)", "&lt;i&gt;<b>"},
         {"('%s'|safe) % '\"'", "&#34;"},
         {"('<'|safe) ~ '<'", "<<"},
         {"['a'|safe]", "[Markup('a')]"},
         {"('{}'|safe).format('&')", "&amp;"},
         {"'<'|e", "&lt;"}});
}

TEST(Expressions, FormattingFollowsPython) {
  check({{"'%05.1f|%-4d|%+d|%x|%s|%r|%%' % (3.14159, 7, 7, 255, l, 'a')", "003.1|7   |+7|ff|[1, 2, 3]|'a'|%"},
         {"'%(a)s-%(items)03d' % d", "1-002"},
         {"'{:>6}|{:<4}|{:^5}|{:+.2f}|{:,}|{!r}|{:#x}'.format('ab', 1, 'x', 2.5, 1234567, 'q', 255)",
          "    ab|1   |  x  |+2.50|1,234,567|'q'|0xff"},
         {"'{0[a]}{1.name}'.format(d, user)", "1Zoë"},
         {"'{}'.format()", "IndexError: Replacement index 0 out of range for positional args tuple"},
         {"'%d' % 'a'", "TypeError: %d format: a real number is required, not str"},
         {"'%s' % (1, 2)", "TypeError: not all arguments converted during string formatting"},
         {"'%s-%s'|format(1, 2)", "1-2"}});
}

}  // namespace
}  // namespace kvgate::jinja
