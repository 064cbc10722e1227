#!/usr/bin/env python3
"""dump-unicode-normal.py > src/text/unicode/normal_data.cpp

Asks the Python package `tokenizers` (0.22 or 0.23) what its normalizers and pre-tokenizers do to each code point, and
writes it as C++ tables. Its libraries know Unicode 10 to 17, each another one: none of it can be derived from one
version. Grapheme clusters it does not show; they are those of Unicode 17. Takes about two minutes.

    pip install tokenizers==0.23.3 regex==2025.11.3
"""
import unicodedata

import regex
from tokenizers import normalizers, pre_tokenizers

POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
HANGUL = range(0xAC00, 0xAC00 + 11172)
WIDTH = 118


def mapped(normalizer):
    """{code point: what it becomes}, of those that change."""
    changed = {}
    for c in POINTS:
        out = normalizer.normalize_str(chr(c))
        if out != chr(c):
            changed[c] = out
    return changed


def bert(**on):
    flags = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**flags, **on})


def set_apart(pre_tokenizer):
    """The code points that are split from letters beside them."""
    return [c for c in POINTS if len(pre_tokenizer.pre_tokenize_str("a" + chr(c) + "b")) > 1]


def ranges(points):
    out = []
    for c in sorted(points):
        if out and (out[-1][1] == c - 1 or (out[-1][1] == 0xD7FF and c == 0xE000)):
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def valued_ranges(values):
    """[first, last, value] of a {code point: value}."""
    out = []
    for c in sorted(values):
        if out and out[-1][1] == c - 1 and out[-1][2] == values[c]:
            out[-1][1] = c
        else:
            out.append([c, c, values[c]])
    return out


def combining_classes(nfd):
    """The numbers are Unicode's; that they order marks as they should is asked of the package."""

    def swaps(first, second):
        return nfd("a" + first + second) == "a" + second + first

    classes = {}
    lowest, highest = chr(0x334), chr(0x345)  # 1 and 240
    for c in POINTS:
        if swaps(highest, chr(c)) or swaps(chr(c), lowest):
            classes[c] = unicodedata.combining(chr(c))
            assert classes[c], hex(c)
    sample = {value: chr(c) for c, value in classes.items()}
    for c, value in classes.items():
        for other, mark in sample.items():
            same = mark == chr(c)
            assert same or (swaps(chr(c), mark), swaps(mark, chr(c))) == (other < value, value < other), hex(c)
    return classes


def compositions(nfc, nfd):
    """(first, second, composed), without Hangul."""
    out = []
    for c in POINTS:
        full = nfd(chr(c))
        if c in HANGUL or full == chr(c) or nfc(chr(c)) != chr(c):
            continue
        first = nfc(full[:-1])
        assert len(first) == 1 and nfc(first + full[-1]) == chr(c), hex(c)
        out.append((ord(first), ord(full[-1]), c))
    return out


def decompositions(canonical, compatible):
    """[code point, length + 128 if compatible only, what it becomes]"""
    flat = []
    for c in sorted(set(canonical) | set(compatible)):
        if c in HANGUL:
            continue
        if c in canonical:
            flat += [c, len(canonical[c]), *map(ord, canonical[c])]
        if c in compatible and compatible[c] != canonical.get(c):
            flat += [c, 128 + len(compatible[c]), *map(ord, compatible[c])]
    return flat


def lower_runs(lower):
    """[first, last, step, distance]; U+0130 alone becomes two."""
    assert [c for c in lower if len(lower[c]) > 1] == [0x130] and lower[0x130] == "i\u0307"
    runs = []
    for c in sorted(set(lower) - {0x130}):
        distance = ord(lower[c]) - c
        if runs and runs[-1][3] == distance:
            first, last, step, _ = runs[-1]
            if (first == last and c - last in (1, 2)) or (first != last and c - last == step):
                runs[-1][1:3] = [c, c - last]
                continue
        runs.append([c, c, 1, distance])
    return runs


def regex_word():
    """The \\w of the Whitespace pre-tokenizer and of single_word: another one than that of patterns."""
    split = pre_tokenizers.Whitespace().pre_tokenize_str
    return [c for c in POINTS if len(split("a" + chr(c) + "b")) == 1]


def scripts():
    """Numbers for scripts as UnicodeScripts tells them apart; 0 is what goes with any script."""
    split = pre_tokenizers.UnicodeScripts().pre_tokenize_str

    def joins(a, b):
        return len(split(chr(a) + chr(b))) == 1

    samples, values, before = [0x61, 0x3B1], {}, None
    for c in POINTS:
        if joins(0x61, c) and joins(0x3B1, c):
            values[c] = 0
        elif before is not None and values[before] and before == c - 1 and joins(before, c):
            values[c] = values[before]
        else:
            found = [n for n, sample in enumerate(samples) if joins(sample, c)]
            if not found:
                found, samples = [len(samples)], samples + [c]
            values[c] = found[0] + 1
        before = c
    return values


def graphemes():
    names = "CR LF Control Extend ZWJ SpacingMark Prepend L V T LV LVT Regional_Indicator".split()
    patterns = [rf"\p{{GCB={name}}}" for name in names] + [r"\p{Extended_Pictographic}", r"\p{InCB=Consonant}"]
    values = {}
    for number, pattern in enumerate(patterns, 1):
        match = regex.compile(pattern).match
        for c in POINTS:
            if match(chr(c)):
                assert c not in values, hex(c)
                values[c] = number
    return values


def regex_set(pattern):
    return [c for c in POINTS if regex.match(pattern, chr(c))]


def emit(kind, name, items):
    print(f"\nstatic {kind} constexpr {name}Data[] = {{")
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > WIDTH:
            print(line)
            line = "   "
        line += f" {item},"
    print(line + "\n};")
    print(f"std::span<{kind} const> const {name}({name}Data);")


def number(value):
    return f"0x{value:x}" if value > 9 else str(value)


def tuples(rows):
    return ["{" + ",".join(number(v) if v >= 0 else str(v) for v in row) + "}" for row in rows]


def main():
    nfc, nfd = normalizers.NFC().normalize_str, normalizers.NFD().normalize_str
    print("// Written by scripts/dump-unicode-normal.py; not to be edited.")
    print('#include "text/unicode/normal_data.hpp"\n\nnamespace kvgate::text::normal_data {')
    emit("ValuedRange", "kCombiningClasses", tuples(valued_ranges(combining_classes(nfd))))
    flat = decompositions(mapped(normalizers.NFD()), mapped(normalizers.NFKD()))
    emit("char32_t", "kDecompositions", map(number, flat))
    emit("Composition", "kCompositions", tuples(compositions(nfc, nfd)))
    emit("LowerRun", "kLowerRuns", tuples(lower_runs(mapped(normalizers.Lowercase()))))
    emit("CodeRange", "kStripAccents", tuples(ranges(mapped(normalizers.StripAccents()))))
    cleaned = mapped(bert(clean_text=True))
    emit("CodeRange", "kBertRemoved", tuples(ranges(c for c in cleaned if cleaned[c] == "")))
    spaced = mapped(bert(handle_chinese_chars=True))
    emit("CodeRange", "kBertSpaced", tuples(ranges(spaced)))
    marks = mapped(bert(strip_accents=True))
    emit("CodeRange", "kBertMarks", tuples(ranges(c for c in marks if marks[c] == "")))
    emit("CodeRange", "kPunctuation", tuples(ranges(set_apart(pre_tokenizers.Punctuation("isolated")))))
    emit("CodeRange", "kNumeric", tuples(ranges(set_apart(pre_tokenizers.Digits(individual_digits=True)))))
    emit("CodeRange", "kRegexWord", tuples(ranges(regex_word())))
    emit("ValuedRange", "kScripts", tuples(valued_ranges(scripts())))
    emit("ValuedRange", "kGraphemes", tuples(valued_ranges(graphemes())))
    emit("CodeRange", "kConjunctExtend", tuples(ranges(regex_set(r"\p{InCB=Extend}"))))
    emit("CodeRange", "kConjunctLinker", tuples(ranges(regex_set(r"\p{InCB=Linker}"))))
    print("\n}  // namespace kvgate::text::normal_data")


main()
