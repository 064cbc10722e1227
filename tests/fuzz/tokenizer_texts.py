"""Texts that tokenizers may disagree about."""

import random

# What matters to some step of some pipeline: (weight, code point ranges)
POOLS = [
    (30, [(0x61, 0x7A)]),
    (8, [(0x41, 0x5A)]),
    (8, [(0x30, 0x39)]),
    (8, [(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)]),
    (14, [(0x20, 0x20)]),
    (6, [(0x09, 0x0D), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
         (0x205F, 0x205F), (0x3000, 0x3000)]),
    (4, [(0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x200B, 0x200F), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFFC, 0xFFFD)]),
    (6, [(0xC0, 0x24F)]),
    (6, [(0x300, 0x36F)]),
    (3, [(0x591, 0x5C9), (0x610, 0x61A), (0x64B, 0x65F), (0x730, 0x74A), (0x1AB0, 0x1AEB), (0x1DC0, 0x1DFF), (0x20D0, 0x20F0)]),
    (4, [(0x370, 0x4FF), (0x531, 0x587), (0x10A0, 0x10FF), (0x1E00, 0x1FFF)]),
    (3, [(0x5D0, 0x5EA), (0x600, 0x6FF)]),
    (4, [(0x900, 0x97F), (0x980, 0x9FF), (0xB80, 0xBFF), (0xD00, 0xD7F), (0xE00, 0xE7F), (0xF00, 0xFBC), (0x1000, 0x109F)]),
    (4, [(0x1100, 0x11FF), (0xA960, 0xA97C), (0xD7B0, 0xD7FB)]),
    (4, [(0xAC00, 0xD7A3)]),
    (6, [(0x3041, 0x30FF), (0x4E00, 0x9FFF)]),
    (3, [(0x3400, 0x4DBF), (0xF900, 0xFAFF), (0xFF00, 0xFFEF), (0x20000, 0x2EBEF), (0x2F800, 0x2FA1D)]),
    (4, [(0x2010, 0x2BFF)]),
    (3, [(0x1F1E6, 0x1F1FF), (0x1F300, 0x1FAFF), (0x200D, 0x200D), (0xFE00, 0xFE0F), (0xE0020, 0xE007F)]),
    (3, [(0x2581, 0x2581), (0x130, 0x131), (0x17F, 0x17F), (0x212A, 0x212B), (0xDF, 0xDF), (0x1E9E, 0x1E9E), (0x1F80, 0x1FFC)]),
    (3, [(0xB2, 0xB3), (0xB9, 0xB9), (0xBC, 0xBE), (0x2150, 0x218B), (0x2460, 0x24FF), (0x660, 0x669), (0x1D7CE, 0x1D7FF)]),
    (2, [(0x0, 0xD7FF), (0xE000, 0xFFFF)]),
    (2, [(0x10000, 0x10FFFF)]),
]
WEIGHTS = [weight for weight, _ in POOLS]
WORDS = ("the of and I'm we'll it's DON'T he'd They've naïve café Zürich straße İstanbul ﬁne 2024 3.14 1,000 x86_64 don t "
         "Hello hello HELLO Yesterday def return self print http://a.b/c?d=e C++ foo_bar fooBar <b> </b> {} [] \\n \r\n ... -- "
         "日本語 中文字 한국어 한국어 русский ελληνικά עברית عربي हिन्दी ไทย 👩‍👩‍👧 🇩🇪🇫🇷 ½ ① ² e\u0301 o\u0308\u0323").split(" ")


class TextMaker:
    """Seedable; `tokens` are put in whole, cut and mutated, `samples` are texts to start from."""

    def __init__(self, seed, tokens, samples):
        self.random = random.Random(seed)
        self.tokens = tokens or ["<s>"]
        self.samples = samples or [" ".join(WORDS)]

    def code_point(self):
        ranges = self.random.choices(POOLS, WEIGHTS)[0][1]
        first, last = self.random.choice(ranges)
        return chr(self.random.randint(first, last))

    def run(self):
        """Code points, mostly of one pool: what stands next to each other in earnest."""
        if self.random.random() < 0.5:
            return "".join(self.code_point() for _ in range(self.random.randint(1, 12)))
        ranges = self.random.choices(POOLS, WEIGHTS)[0][1]
        spans = [self.random.choice(ranges) for _ in range(self.random.randint(1, 8))]
        return "".join(chr(self.random.randint(*span)) for span in spans)

    def token(self):
        token = self.random.choice(self.tokens)
        kind = self.random.random()
        if kind < 0.6:
            return token
        if kind < 0.75:
            return token[: self.random.randint(0, len(token))]
        if kind < 0.85:
            return token[self.random.randint(0, len(token)) :]
        return self.random.choice([token.upper(), token.lower(), token.title(), token * 2, token + " ", " " + token])

    def sample(self):
        text = self.random.choice(self.samples)
        length = self.random.choice([5, 20, 60, 200])
        start = self.random.randint(0, max(0, len(text) - length))
        return text[start : start + length]

    def repeated(self):
        count = self.random.choice([2, 3, 4, 7, 16, 33, 100])
        return self.random.choice([self.code_point, self.token])() * count

    def mutated(self, text):
        if not text:
            return text
        at = self.random.randint(0, len(text) - 1)
        kind = self.random.random()
        if kind < 0.35:
            return text[:at] + self.code_point() + text[at:]
        if kind < 0.6:
            return text[:at] + text[at + 1 :]
        if kind < 0.8:
            return text[:at] + self.token() + text[at:]
        return text[:at] + self.random.choice(WORDS) + text[at + 1 :]

    def text(self):
        parts = []
        for _ in range(self.random.choice([1, 1, 2, 3, 5, 8, 20])):
            kind = self.random.random()
            if kind < 0.25:
                parts.append(self.run())
            elif kind < 0.45:
                parts.append(self.token())
            elif kind < 0.65:
                parts.append(self.sample())
            elif kind < 0.72:
                parts.append(self.repeated())
            else:
                parts.append(self.random.choice(["", " ", "\n", "  "]) + self.random.choice(WORDS))
        text = "".join(parts)
        for _ in range(self.random.choice([0, 0, 1, 3])):
            text = self.mutated(text)
        return text
