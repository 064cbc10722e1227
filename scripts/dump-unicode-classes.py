#!/usr/bin/env python3
"""dump-unicode-classes.py > src/text/unicode/class_tables.cpp

Asks the regex engine inside the Python package `tokenizers` (0.22 or 0.23: Oniguruma with Unicode 16.0) for the classes
that patterns of tokenizer.json name, and writes them as C++ tables. Needs `pip install tokenizers`; takes about 20 s.
"""
from tokenizers import Regex, __version__, normalizers

CATEGORIES = ("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn").split()
CONTROL_SPACE = len(CATEGORIES)  # the control characters that \s matches, set apart from Cc
WORD = 0x80
SCRIPTS = "Arabic Bopomofo Cyrillic Devanagari Greek Han Hangul Hebrew Hiragana Katakana Latin Thai".split()
SURROGATES = range(0xD800, 0xE000)
ALL = "".join(chr(c) for c in range(0x110000) if c not in SURROGATES)
BLOCK = 256


def members(complement):
    """The code points that `complement`, a regex for one character, does not match."""
    return {ord(c) for c in normalizers.Replace(Regex(complement), "").normalize_str(ALL)}


def union(sets, initial):
    return set().union(*(s for name, s in sets.items() if name[0] == initial))


def category_bytes():
    sets = {name: members(rf"\P{{{name}}}") for name in CATEGORIES if name != "Cs"}
    space = members(r"\S")
    assert space == union(sets, "Z") | {9, 10, 11, 12, 13, 0x85} and members(r"\D") == sets["Nd"]
    for initial in "LMNPSZC":
        assert members(rf"\P{{{initial}}}") == union(sets, initial), initial
    table = bytearray([CATEGORIES.index("Cs")]) * 0x110000
    for name, points in sets.items():
        for c in points:
            table[c] = CATEGORIES.index(name) if name != "Cc" or c not in space else CONTROL_SPACE
    for c in members(r"\W"):
        table[c] |= WORD
    return table


def ranges(points):
    out = []
    for c in sorted(points):
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def rows(items):
    line = " "
    for item in items:
        if len(line) + len(item) + 2 > 118:
            yield line
            line = " "
        line += f" {item},"
    yield line


def array(declaration, items):
    print(f"{declaration} = {{")
    print("\n".join(rows(items)))
    print("};\n")


def main():
    table = category_bytes()
    blocks, index = {}, []
    for start in range(0, len(table), BLOCK):
        index.append(blocks.setdefault(bytes(table[start : start + BLOCK]), len(blocks)))
    assert len(blocks) < 256
    print("// clang-format off")
    print(f"// Written by scripts/dump-unicode-classes.py from tokenizers {__version__}.")
    print('#include "text/unicode/class_tables.hpp"\n\nnamespace kvgate::text::tables {\n')
    array(f"const std::uint8_t kBlockOf[{len(index)}]", map(str, index))
    array(f"const std::uint8_t kCategoryBlocks[{len(blocks)} * {BLOCK}]", (str(b) for block in blocks for b in block))
    for name in SCRIPTS:
        items = (f"{{{a:#x}, {b:#x}}}" for a, b in ranges(members(rf"\P{{{name}}}")))
        array(f"constexpr CodeRange k{name}[]", items)
    array("const ScriptRow kScripts[]", (f'{{"{name}", k{name}}}' for name in SCRIPTS))
    print(f"const std::size_t kScriptCount = {len(SCRIPTS)};\n")
    folds = []
    for letter in "abcdefghijklmnopqrstuvwxyz":
        extra = members(f"(?i:[^{letter}])") - {ord(letter), ord(letter.upper())}
        folds += [f"{{U'{letter}', {c:#x}}}" for c in sorted(extra)]
    array("const FoldRow kFolds[]", folds)
    print(f"const std::size_t kFoldCount = {len(folds)};\n")
    print("}  // namespace kvgate::text::tables")


main()
