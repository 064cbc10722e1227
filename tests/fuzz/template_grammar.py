"""Random templates and inputs: everything that Jinja has, mostly with values that fit."""

import random
import string

TEXTS = ["", "a", "hello", "Hello World", "  padded \n", "x,y,,z", "line1\nline2\r\nline3", "<b>&\"'", "äÖß ǅ", "日本語 👀",
         "%s %d", "{} {0} {a}", "42", "-7", "3.5", "1e3", "0x1f", "true", "don't", 'say "hi"', "tab\there", "\u00a0nbsp\u2003",
         "ΑΣ ΟΔΥΣΣΕΥΣ", "a.b.c", "\x00\x1f\x7f", "e\u0301", "12_000", "Ⅷ½²", "back\\slash", "role", "user"]
NUMBERS = ["0", "1", "2", "3", "7", "10", "100", "1.0", "0.5", "2.75", "1e16", "1e-7", "123456789012345678901234567890",
           "9223372036854775807", "1_000", "0x1F", "0b101", "0o17", "1.5e300"]
NAMES = ["s", "t", "n", "f", "b", "none_value", "l", "l2", "d", "d2", "nested", "messages", "tools", "big", "u", "neg", "zero"]
KEYS = ["role", "content", "a", "b", "name", "items", "get", "keys", "x-y", "type", "0", "missing", "A"]

FILTERS = [
    ("abs", []), ("attr", ["s"]), ("batch", ["i"]), ("batch", ["i", "e"]), ("capitalize", []), ("center", ["i"]), ("count", []),
    ("d", ["e"]), ("default", ["e"]), ("default", ["e", "b"]), ("dictsort", []), ("dictsort", ["b"]), ("e", []), ("escape", []),
    ("first", []), ("float", []), ("float", ["e"]), ("forceescape", []), ("format", ["e"]), ("format", ["e", "e"]),
    ("groupby", ["k"]), ("indent", []), ("indent", ["i"]), ("indent", ["s", "b", "b"]), ("int", []), ("int", ["e"]), ("items", []),
    ("join", []), ("join", ["s"]), ("last", []), ("length", []), ("list", []), ("lower", []), ("max", []), ("min", []),
    ("reverse", []), ("round", []), ("round", ["i"]), ("safe", []), ("slice", ["i"]), ("slice", ["i", "e"]), ("sort", []), ("sort", ["b", "b"]),
    ("string", []), ("sum", []), ("title", []), ("tojson", []), ("trim", []), ("trim", ["s"]), ("truncate", ["i"]),
    ("unique", []), ("upper", []), ("urlencode", []), ("wordcount", []), ("xmlattr", []), ("replace", ["s", "s"]),
    ("replace", ["s", "s", "i"]), ("select", []), ("reject", []), ("select", ["test"]), ("reject", ["test"]),
    ("selectattr", ["k"]), ("rejectattr", ["k"]), ("selectattr", ["k", "test"]), ("map", ["filter"]), ("filesizeformat", []),
]
KEYWORD_FILTERS = [
    "tojson(indent=2)", "tojson(indent=1, sort_keys=true)", "tojson(ensure_ascii=true)", "tojson(separators=(',', ':'))",
    "map(attribute='role')", "map(attribute='a', default='D')", "join(', ', attribute='role')", "sort(attribute='name')",
    "sort(attribute='a,b')", "sort(reverse=true)", "sort(case_sensitive=true)", "unique(case_sensitive=true)",
    "sum(attribute='a')", "sum(start=1)", "sum(start=[])", "min(attribute='a')", "indent(width=2, first=true)",
    "dictsort(by='value')", "dictsort(reverse=true)", "groupby('a', default=0)", "selectattr('role', 'equalto', 'user')",
    "selectattr('a', '>', 1)", "select('divisibleby', 2)", "select('in', [1, 2])", "map('default', 'D')", "map('upper')",
    "map('tojson')", "map('length')", "map('int')", "round(1, 'floor')", "round(2, 'ceil')", "default(value=1)", "int(base=16)",
    "tojson(indent='\t')", "tojson(indent=0)", "batch(2)|list", "slice(2)|list", "items|list", "unique|list", "reverse|list",
    "map(attribute='role')|list", "selectattr('role')|list", "groupby('role')|list", "truncate(5, true)", "truncate(9, false, '!', 0)",
    "string|length", "list|length", "truncate(length=6, end='~')", "format(a=1, b='x')", "d(1, boolean=true)",
]
TESTS = ["odd", "even", "divisibleby(2)", "defined", "undefined", "none", "boolean", "false", "true", "integer", "float", "lower",
         "upper", "string", "mapping", "number", "sequence", "iterable", "callable", "sameas(none)", "escaped", "in([1, 'a'])",
         "eq(1)", "ne(1)", "equalto('a')", "gt(1)", "ge(1)", "lt(2)", "le(2)", "greaterthan(1)", "lessthan(1)", "filter", "test",
         "string and true", "in 'abc'", "divisibleby 3"]
TEST_NAMES = ["odd", "defined", "none", "string", "mapping", "number", "==", "!=", "in", "boolean", "upper", "nosuch"]
FILTER_NAMES = ["upper", "lower", "length", "int", "string", "list", "first", "tojson", "trim", "title", "nosuch", "abs"]
METHODS = ["upper()", "lower()", "title()", "capitalize()", "swapcase()", "casefold()", "strip()", "lstrip()", "rstrip()", "strip(T)",
           "lstrip(T)", "rstrip(T)", "split()", "split(T)", "split(T, I)", "split(none, I)", "rsplit(T)", "rsplit(T, I)", "rsplit()",
           "rsplit(none, 1)", "split(maxsplit=1)", "splitlines()", "splitlines(true)", "startswith(T)", "endswith(T)",
           "startswith((T, T))", "startswith(T, I)", "find(T)", "rfind(T)", "find(T, I, I)", "index(T)", "count(T)", "count(E)",
           "replace(T, T)", "replace(T, T, I)", "join(E)", "partition(T)", "rpartition(T)", "removeprefix(T)", "removesuffix(T)",
           "center(I)", "ljust(I, '*')", "rjust(I)", "zfill(I)", "expandtabs(I)", "isdigit()", "isalpha()", "isalnum()",
           "isspace()", "isupper()", "islower()", "istitle()", "isnumeric()", "isdecimal()", "isascii()", "isprintable()",
           "format(E, E)", "format(a=E)", "keys()", "values()", "items()", "get(K)", "get(K, E)", "copy()", "index(E)",
           "append(E)", "pop()", "update(E)", "items", "keys", "nosuch()", "__class__", "real", "is_integer()", "keys()|list",
           "items()|list", "values()|list", "strip", "get", "format_map(d)"]


class Grammar:
    def __init__(self, rng):
        self.rng = rng
        self.locals = list(NAMES)
        self.macros = []
        self.loop = 0

    def pick(self, items):
        return self.rng.choice(items)

    def text(self):
        value = self.pick(TEXTS)
        quote = self.pick("'\"")
        out = value.replace("\\", "\\\\").replace(quote, "\\" + quote)
        if self.rng.random() < 0.3:
            out = out.replace("\n", "\\n").replace("\t", "\\t").replace("ä", "\\u00e4").replace("\x1f", "\\x1f")
        return quote + out + quote

    def integer(self):
        return self.pick(["0", "1", "2", "3", "4", "5", "10", "-1", "-2"])

    def key(self):
        return "'" + self.pick(KEYS) + "'"

    def name(self):
        if self.loop and self.rng.random() < 0.3:
            return self.pick(["loop.index", "loop.index0", "loop.first", "loop.last", "loop.length", "loop.previtem",
                              "loop.nextitem", "loop.revindex", "loop.cycle('a', 'b')", "loop.changed(s)", "loop.depth", "loop"])
        return self.pick(self.locals + ["undefined_name"])

    def literal(self, depth):
        kind = self.rng.randrange(9)
        if kind < 3:
            return self.text()
        if kind < 5:
            return self.pick(NUMBERS)
        if kind == 5:
            return self.pick(["true", "false", "none", "True", "None"])
        if depth <= 0:
            return self.pick(["[]", "{}", "()", "[1, 2, 3]", "{'a': 1}", "('x',)"])
        items = [self.expression(depth - 1) for _ in range(self.rng.randrange(4))]
        if kind == 6:
            return "[" + ", ".join(items) + "]"
        if kind == 7:
            return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
        return "{" + ", ".join(f"{self.pick([self.key(), self.text(), self.pick(NUMBERS)])}: {x}" for x in items) + "}"

    def argument(self, kind, depth):
        if kind == "i":
            return self.integer()
        if kind == "s":
            return self.text()
        if kind == "b":
            return self.pick(["true", "false"])
        if kind == "k":
            return self.key()
        if kind == "test":
            return "'" + self.pick(TEST_NAMES) + "'"
        if kind == "filter":
            return "'" + self.pick(FILTER_NAMES) + "'"
        return self.expression(depth - 1)

    def filtered(self, depth):
        out = self.expression(depth - 1)
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            if self.rng.random() < 0.4:
                out += "|" + self.pick(KEYWORD_FILTERS)
                continue
            name, kinds = self.pick(FILTERS)
            arguments = ", ".join(self.argument(kind, depth) for kind in kinds)
            out += "|" + name + (f"({arguments})" if arguments else "")
        return out

    def method(self, depth):
        call = self.pick(METHODS)
        out = ""
        for c in call:
            out += {"T": self.text, "I": self.integer, "K": self.key, "E": lambda: self.expression(depth - 1)}.get(c, lambda: c)()
        return f"({self.expression(depth - 1)}).{out}" if self.rng.random() < 0.5 else f"{self.name()}.{out}"

    def subscript(self, depth):
        base = self.name() if self.rng.random() < 0.7 else "(" + self.expression(depth - 1) + ")"
        kind = self.rng.randrange(6)
        if kind == 0:
            return f"{base}[{self.integer()}]"
        if kind == 1:
            return f"{base}[{self.key()}]"
        if kind == 2:
            return f"{base}.{self.pick(['role', 'content', 'a', 'b', 'name', 'items', 'missing', '_x', '0'])}"
        if kind == 3:
            # Not over constants: Jinja folds those with other rules than it has at run time.
            base = self.pick(self.locals)
            bounds = [self.pick(["", self.integer()]) for _ in range(3)]
            return f"{base}[{bounds[0]}:{bounds[1]}" + (f":{bounds[2]}]" if self.rng.random() < 0.5 else "]")
        if kind == 4:
            return f"{base}[{self.expression(depth - 1)}]"
        return f"{base}[{self.integer()}].{self.pick(['role', 'content', 'a'])}"

    def call(self, depth):
        choices = ["range(I)", "range(I, I)", "range(I, I, I)", "dict(a=E, b=E)", "dict(d, c=E)", "namespace(a=E).a", "cycler(E, E).next()",
                   "joiner(T)()", "range(I)|list", "strftime_now('%Y-%m-%d %H:%M %f %j')", "raise_exception(E)", "s()", "range(E)",
                   "dict(*l)", "range(*[1, 4])", "dict(**d)"]
        if self.macros and self.rng.random() < 0.6:
            name, parameters = self.pick(self.macros)
            arguments = [self.expression(depth - 1) for _ in range(self.rng.randrange(parameters + 2))]
            if self.rng.random() < 0.3:
                arguments.append(f"{self.pick('pqrz')}={self.expression(depth - 1)}")
            return f"{name}({', '.join(arguments)})"
        out = ""
        for c in self.pick(choices):
            out += {"T": self.text, "I": self.integer, "E": lambda: self.expression(depth - 1)}.get(c, lambda: c)()
        return out

    def expression(self, depth):
        if depth <= 0:
            return self.name() if self.rng.random() < 0.6 else self.literal(0)
        kind = self.rng.randrange(20)
        sub = lambda: self.expression(depth - 1)  # noqa: E731
        if kind < 3:
            return self.name()
        if kind < 5:
            return self.literal(depth)
        if kind < 8:
            return self.filtered(depth)
        if kind < 10:
            return self.method(depth)
        if kind < 12:
            return self.subscript(depth)
        if kind == 12:
            return f"{sub()} {self.pick(['+', '+', '-', '*', '/', '//', '%'])} {sub()}"
        if kind == 13:
            return f"({sub()} {self.pick(['==', '!=', '<', '<=', '>', '>=', 'in', 'not in'])} {sub()})"
        if kind == 14:
            return f"({sub()} {self.pick(['and', 'or'])} {sub()})"
        if kind == 15:
            return self.pick(["not ", "-", "+"]) + sub()
        if kind == 16:
            return f"({sub()} ~ {sub()})"
        if kind == 17:
            return f"({sub()} if {sub()}" + (f" else {sub()})" if self.rng.random() < 0.8 else ")")
        if kind == 18:
            return f"({sub()} is {self.pick(['', 'not '])}{self.pick(TESTS)})"
        return self.call(depth)

    def space(self):
        return self.pick(["", "", "", "-", "-", "+"])

    def tag(self, body):
        return "{%" + self.space() + " " + body + " " + self.space() + "%}"

    def data(self):
        return self.pick(["", " ", "\n", "\n\n", "  \n  ", "text", "text\n", "\n  text  ", "{# note #}", "{#- x -#}\n", "\t", "<|im|>"])

    def block(self, depth):
        return "".join(self.data() + self.statement(depth) for _ in range(self.rng.randrange(1, 4))) + self.data()

    def output(self, depth):
        return "{{" + self.pick(["", "", "-"]) + " " + self.expression(depth) + " " + self.pick(["", "", "-"]) + "}}"

    def statement(self, depth):
        kind = self.rng.randrange(22)
        if depth <= 0 or kind < 9:
            return self.output(self.rng.randrange(1, 4))
        if kind < 12:
            return self.set_statement(depth)
        if kind < 15:
            return self.if_statement(depth)
        if kind < 18:
            return self.for_statement(depth)
        if kind == 18:
            return self.macro_statement(depth)
        if kind == 19:
            return self.other_statement(depth)
        if kind == 20 and self.loop:
            return self.tag("if " + self.expression(1)) + self.tag(self.pick(["break", "continue"])) + self.tag("endif")
        return self.output(2)

    def set_statement(self, depth):
        kind = self.rng.randrange(6)
        name = self.pick(["x", "y", "ns", "s", "n"])
        if kind == 0:
            out = self.tag(f"set {name}") + self.block(depth - 1) + self.tag("endset")
        elif kind == 1:
            out = self.tag("set ns = namespace(a=1, b='q')") + self.tag(f"set ns.{self.pick('abc')} = {self.expression(2)}")
            name = "ns"
        elif kind == 2:
            out = self.tag(f"set x, y = {self.expression(2)}, {self.expression(1)}")
        elif kind == 3:
            out = self.tag(f"set {name} | upper") + self.block(depth - 1) + self.tag("endset")
        else:
            out = self.tag(f"set {name} = {self.expression(3)}")
        if name not in self.locals:
            self.locals.append(name)
        return out

    def if_statement(self, depth):
        out = self.tag("if " + self.expression(2)) + self.block(depth - 1)
        if self.rng.random() < 0.3:
            out += self.tag("elif " + self.expression(2)) + self.block(depth - 1)
        if self.rng.random() < 0.5:
            out += self.tag("else") + self.block(depth - 1)
        return out + self.tag("endif")

    def for_statement(self, depth):
        sequence = self.pick(["l", "l2", "messages", "d", "range(3)", "d.items()", "s", "nested", "tools", self.expression(2)])
        pair = sequence.endswith("items()") or self.rng.random() < 0.05
        head = "for " + ("k, v" if pair else "i") + " in " + sequence
        if self.rng.random() < 0.25:
            head += " if " + self.expression(2)
        outer = list(self.locals)
        self.locals += ["k", "v"] if pair else ["i"]
        recursive = self.rng.random() < 0.05
        self.loop += 1
        body = self.block(depth - 1)
        if recursive:
            head += " recursive"
            body += "{{ loop(i.children) if i.children is defined }}"
        self.loop -= 1
        self.locals = outer
        out = self.tag(head) + body
        if self.rng.random() < 0.25:
            out += self.tag("else") + self.block(depth - 1)
        return out + self.tag("endfor")

    def macro_statement(self, depth):
        name = "m" + str(len(self.macros))
        parameters = self.rng.sample("pqr", self.rng.randrange(4))
        plain = self.rng.randrange(len(parameters) + 1)
        signature = ", ".join(p if i < plain else f"{p}={self.expression(1)}" for i, p in enumerate(parameters))
        outer, loop = list(self.locals), self.loop
        self.locals += parameters + self.pick([[], [], ["varargs"], ["kwargs"], ["caller()"]])
        self.loop = 0
        body = self.block(depth - 1)
        self.locals, self.loop = outer, loop
        self.macros.append((name, len(parameters)))
        return self.tag(f"macro {name}({signature})") + body + self.tag("endmacro")

    def other_statement(self, depth):
        kind = self.rng.randrange(6)
        loop = self.loop
        if kind == 0:
            return self.tag("with w = " + self.expression(2)) + self.block(depth - 1) + self.tag("endwith")
        if kind == 1:
            return self.tag("filter " + self.pick(["upper", "trim", "indent(2)", "replace('a', 'b')"])) + self.block(depth - 1) + self.tag("endfilter")
        if kind == 2:
            return "{% raw %}" + self.pick(["{{ x }}", "  {% if %}  ", "\n"]) + self.pick(["{% endraw %}", "{%- endraw -%}"])
        if kind == 3 and self.macros:
            self.loop = 0
            body = self.block(depth - 1)
            self.loop = loop
            return self.tag(f"call {self.pick(self.macros)[0]}({self.expression(1)})") + body + self.tag("endcall")
        self.loop = 0
        body = self.block(depth - 1)
        self.loop = loop
        return self.tag("generation") + body + self.tag("endgeneration")


def random_value(rng, depth):
    kind = rng.randrange(8 if depth > 0 else 6)
    if kind < 2:
        return rng.choice(TEXTS)
    if kind == 2:
        return rng.choice([0, 1, 2, 3, -1, 10, 2**63, -(2**70)])
    if kind == 3:
        return rng.choice([0.0, 1.0, -0.5, 1e16, 1e-7, 3.14, 1e22])
    if kind == 4:
        return rng.choice([True, False])
    if kind == 5:
        return None
    if kind == 6:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice(KEYS + TEXTS[:4]): random_value(rng, depth - 1) for _ in range(rng.randrange(4))}


def random_globals(rng):
    return {
        "s": rng.choice(TEXTS), "t": rng.choice(TEXTS), "n": rng.choice([0, 1, 2, 5, -3, 10]), "neg": -7, "zero": 0,
        "f": rng.choice([0.0, 1.5, -2.5, 1e16, 0.1]), "b": rng.choice([True, False]), "none_value": None,
        "big": rng.choice([2**64, -(10**25), 2**63 - 1]),
        "l": [rng.choice([1, 2, 3, "a", "B", 2.5, None, True]) if rng.random() < 0.5 else rng.randrange(5) for _ in range(rng.randrange(5))],
        "l2": [rng.choice(TEXTS) for _ in range(rng.randrange(4))],
        "d": {rng.choice(KEYS): random_value(rng, 1) for _ in range(rng.randrange(4))},
        "d2": {k: rng.randrange(5) for k in rng.sample(string.ascii_letters, rng.randrange(20))},
        "nested": [{"a": rng.randrange(3), "b": rng.choice(TEXTS), "name": rng.choice("xyzXYZ"), "children": [{"a": 1}]} for _ in range(rng.randrange(4))],
        "messages": [{"role": rng.choice(["user", "assistant", "system", "tool"]), "content": random_value(rng, 2)} for _ in range(rng.randrange(4))],
        "tools": rng.choice([None, [{"type": "function", "function": {"name": "f", "parameters": random_value(rng, 3)}}]]),
    }


class TypedGrammar(Grammar):
    """Expressions whose operands fit, so that most of them render."""

    def expression(self, depth):
        return self.pick([self.text_of, self.text_of, self.number, self.list_of, self.dict_of, self.boolean])(depth)

    def random_text(self):
        alphabet = self.pick(["abcXYZ ", "äßÅéǅﬁΣς", "日本👀\u0301", " \t\n\r\x0b\u00a0\u2028", "0123456789.-_e", "%{}()<>&'\"\\", "\x00\x1f\x7f\x85"])
        value = "".join(self.pick(alphabet) for _ in range(self.rng.randrange(8)))
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def text_of(self, depth):
        if depth <= 0:
            return self.pick(["s", "t", self.text(), self.random_text()])
        sub, number = self.text_of(depth - 1), self.number(0)
        return self.pick([
            lambda: f"({sub} + {self.text_of(depth - 1)})", lambda: f"({sub} ~ {self.expression(depth - 1)})",
            lambda: f"({sub} * {self.integer()})", lambda: f"({sub})[{self.slice()}]", lambda: f"({sub}).{self.text_method()}",
            lambda: f"({sub})|{self.text_filter()}", lambda: f"({self.list_of(depth - 1)})|join({sub})",
            lambda: f"({self.expression(depth - 1)})|tojson", lambda: f"({self.expression(depth - 1)})|string",
            lambda: self.percent(depth), lambda: self.brace(depth), lambda: f"({sub} if {self.boolean(depth - 1)} else {self.text_of(depth - 1)})",
            lambda: f"({self.expression(depth - 1)})|tojson(indent={self.pick('0124')})", lambda: f"({number})|string",
            lambda: f"({self.dict_of(depth - 1)})|tojson(sort_keys=true, ensure_ascii=true)", lambda: f"({sub})|safe", lambda: f"({sub})|e",
            lambda: f"strftime_now('%{self.pick('aAbBdHIjmMpSUwWyY%fzZecxX')}')",
        ])()

    def slice(self):
        bounds = [self.pick(["", "", self.integer(), str(self.rng.randrange(-9, 9))]) for _ in range(2)]
        step = self.pick(["", "", ":", ":1", ":2", ":-1", ":-2", ":3"])
        return f"{bounds[0]}:{bounds[1]}{step}"

    def text_method(self):
        t, i = self.pick([self.text, self.random_text])(), self.integer()
        return self.pick([
            "upper()", "lower()", "title()", "capitalize()", "swapcase()", "casefold()", "strip()", "lstrip()", "rstrip()",
            f"strip({t})", f"lstrip({t})", f"rstrip({t})", f"replace({t}, 'Q')", f"replace({t}, '<', {i})", f"removeprefix({t})",
            f"removesuffix({t})", f"center({i}, '*')", f"ljust({i}, 'é')", f"rjust({i})", f"zfill({i})", f"expandtabs({i})",
        ])

    def text_filter(self):
        t, i = self.pick([self.text, self.random_text])(), self.integer()
        return self.pick([
            "upper", "lower", "title", "capitalize", "trim", f"trim({t})", f"replace({t}, 'R')", f"indent({i})", f"indent({t}, true)",
            f"indent({i}, blank=true)", f"center({i})", f"truncate({self.rng.randrange(3, 12)}, {self.pick(['true', 'false'])}, '.', 0)",
            "reverse", "urlencode", f"default({t}, true)", "forceescape", "string",
        ])

    def percent(self, depth):
        flags = "".join(self.rng.sample("#0- +", self.rng.randrange(3)))
        width = self.pick(["", "3", "8", "12"]) + self.pick(["", "", ".0", ".2", ".9"])
        kind = self.pick("ssrdiuxXoeEfFgGc")
        value = {"s": self.expression, "r": self.expression}.get(kind, self.number)(depth - 1)
        if kind == "c":
            value = self.pick(["65", "8364", "'é'", "128064"])
        elif kind in "xXo":
            value = self.pick(["0", "255", "-42", "big"])
        return f"('[%{flags}{width}{kind}]' % ({value},))"

    def brace(self, depth):
        align = self.pick(["", "", "<", ">", "^", "=", "*>", "é^"])
        spec = align + self.pick(["", "", "+", " "]) + self.pick(["", "#"]) + self.pick(["", "", "6", "12"])
        kind = self.rng.randrange(4)
        if kind == 0:
            return f"'[{{:{align.replace('=', '<')}{self.pick(['', '9', '4'])}{self.pick(['', '.2', '.0'])}{self.pick(['', 's'])}}}]'.format({self.text_of(depth - 1)})"
        if kind == 1:
            return f"'{{:{spec}{self.pick(['', 'd', 'x', 'X', 'o', 'b'])}}}'.format({self.pick(['0', '255', '-42', 'big', 'true', 'n'])})"
        if kind == 2:
            return f"'{{:{spec}{self.pick(['', ',', '_'])}{self.pick(['.0', '.3', ''])}{self.pick('eEfFgG%')}}}'.format({self.number(0)})"
        return f"'{{0!r}}|{{1}}|{{a}}|{{{{}}}}'.format({self.expression(depth - 1)}, {self.expression(0)}, a={self.text_of(0)})"

    def number(self, depth):
        if depth <= 0:
            return self.pick(["n", "f", "neg", "zero", "big", self.pick(NUMBERS), self.pick(NUMBERS), self.integer(), "b",
                              repr(self.rng.uniform(-1e3, 1e3)), repr(self.rng.lognormvariate(0, 40)), str(self.rng.getrandbits(70))])
        sub = self.number(depth - 1)
        return self.pick([
            lambda: f"({sub} {self.pick('+-*')} {self.number(depth - 1)})", lambda: f"({sub} {self.pick(['/', '//', '%'])} {self.number(0)})",
            lambda: f"({sub} ** {self.pick(['0', '1', '2', '3', '-1', '0.5'])})", lambda: f"(-({sub}))", lambda: f"({sub})|abs",
            lambda: f"({sub})|int", lambda: f"({sub})|float", lambda: f"({sub})|round({self.pick(['', '0', '1', '2', '5'])})",
            lambda: f"({self.text_of(depth - 1)})|length", lambda: f"({self.list_of(depth - 1)})|length", lambda: f"({self.text_of(0)})|int",
            lambda: f"({self.text_of(0)})|float", lambda: f"({self.text_of(depth - 1)}).{self.pick(['find', 'rfind', 'count'])}({self.text_of(0)})",
            lambda: f"({self.text_of(depth - 1)})|wordcount", lambda: f"[{sub}, {self.number(0)}]|{self.pick(['min', 'max', 'sum'])}",
            lambda: f"({sub})|round({self.pick('012')}, '{self.pick(['floor', 'ceil'])}')", lambda: f"({self.text_of(0)})|int(7, 16)",
        ])()

    def list_of(self, depth):
        if depth <= 0:
            return self.pick(["l", "l2", "nested", "[]", "[1, 'a', none]", "range(4)|list", "messages", "('x', 2)"])
        sub = self.list_of(depth - 1)
        return self.pick([
            lambda: f"({sub})[{self.slice()}]", lambda: f"({sub})|list + [{self.expression(depth - 1)}]", lambda: f"({sub})|reverse|list",
            lambda: f"({sub})|map('{self.pick(['string', 'tojson', 'default', 'string'])}')|list",
            lambda: f"({self.text_of(depth - 1)}).{self.pick(['split', 'rsplit', 'splitlines'])}()", lambda: f"({self.text_of(depth - 1)}).split({self.random_text()} or 'a')",
            lambda: f"({self.text_of(depth - 1)}).rsplit('a', {self.integer()})", lambda: f"({self.text_of(depth - 1)})|list",
            lambda: f"({self.dict_of(depth - 1)}).{self.pick(['items', 'keys', 'values'])}()|list", lambda: f"({self.dict_of(depth - 1)})|dictsort",
            lambda: f"({sub})|select('{self.pick(['defined', 'string', 'none', 'mapping', 'number', 'boolean'])}')|list",
            lambda: f"({sub})|batch({self.pick('123')}, 'F')|list", lambda: f"({sub})|slice({self.pick('123')})|list", lambda: "l2|sort",
            lambda: f"({sub})|map('string')|sort(reverse={self.pick(['true', 'false'])})", lambda: f"({sub})|map('string')|unique|list",
            lambda: f"nested|sort(attribute='{self.pick(['a', 'b', 'name', 'a,name', 'children.0.a,b'])}')", lambda: f"nested|groupby('{self.pick('ab')}')",
            lambda: f"nested|map(attribute='{self.pick(['a', 'b', 'name', 'x', 'children.0.a'])}')|list", lambda: f"({sub}) * {self.pick('012')}" if depth == 1 else sub,
            lambda: f"messages|selectattr('role', '{self.pick(['eq', 'ne', 'in'])}', 'user')|map(attribute='role')|list",
            lambda: f"({self.text_of(depth - 1)}).partition({self.text_of(0)} or 'x')", lambda: f"[{self.expression(depth - 1)}, {self.expression(0)}]",
        ])()

    def dict_of(self, depth):
        if depth <= 0:
            return self.pick(["d", "d2", "{}", "{'a': 1, 'b': [2]}", "nested[0]", "{1: 'x', none: 2, true: 3}"]) if self.rng.random() < 0.9 else "messages[0]"
        return self.pick([
            lambda: f"{{{self.text_of(0)}: {self.expression(depth - 1)}, {self.number(0)}: {self.expression(0)}}}",
            lambda: f"dict(a={self.expression(depth - 1)}, z={self.expression(0)})",
            lambda: self.dict_of(0),
        ])()

    def boolean(self, depth):
        if depth <= 0:
            return self.pick(["b", "true", "false", "none_value is none", "u is defined"])
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        return self.pick([
            lambda: f"({left} {self.pick(['==', '!='])} {right})", lambda: f"({self.text_of(depth - 1)} {self.pick(['<', '<=', '>', '>='])} {self.text_of(0)})",
            lambda: f"({self.number(depth - 1)} {self.pick(['<', '<=', '>', '>=', '=='])} {self.number(0)})", lambda: f"({self.text_of(0)} in {self.text_of(depth - 1)})",
            lambda: f"({left} {self.pick(['in', 'not in'])} {self.list_of(depth - 1)})", lambda: f"(not {left})", lambda: f"({left} and {right}) is defined",
            lambda: f"({left} is {self.pick(['string', 'mapping', 'sequence', 'iterable', 'number', 'integer', 'float', 'boolean', 'none', 'defined', 'callable', 'escaped'])})",
            lambda: f"({self.text_of(depth - 1)}).{self.pick(['startswith', 'endswith'])}({self.text_of(0)})",
            lambda: f"({self.text_of(depth - 1)}).is{self.pick(['digit', 'alpha', 'alnum', 'space', 'upper', 'lower', 'title', 'numeric', 'decimal', 'ascii', 'printable'])}()",
            lambda: f"({self.text_of(depth - 1)} is {self.pick(['upper', 'lower'])})",
        ])()
