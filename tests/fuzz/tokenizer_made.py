"""Small tokenizers with components put together at random, trained on the fly."""

import base64
import json
import random
import struct

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tokenizer_texts import WORDS, TextMaker

PATTERNS = [
    r"\s+", r"\d", r"\p{N}{1,3}", r"[A-Z][a-z]+", r"'s|'t|'re|'ve|'m|'ll|'d", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)", r"\p{L}+",
    r"[^\s\p{L}\p{N}]+", r"\s+(?!\S)|\s+", r"[^\r\n\p{L}\p{N}]?\p{L}+", r" ?[^\s\p{L}\p{N}]+[\r\n]*", r"\s*[\r\n]+",
    r"[一-龥぀-ゟ゠-ヿ]+", r"\p{Han}+", r"[\p{P}\p{S}]", r"\w+|[^\w\s]+", r"\b", r"\B", r"^\s", r"\s$", r"a|b|", r"(?<=[a-z])(?=[A-Z])",
    r"(?<!\d)\d{4}", r"[^a-zA-Z0-9]", r"[a-c[x-z]]", r"[a-z&&[^aeiou]]", r"\p{^Lu}", r"\P{L}", r"\h+", r"(?:ab)+?", r"x*", r"a{2}?",
    r"a{,2}", r"a{2,}b", r"(?>a+)b", r"a++", r".", r"(?m:.)", r"\u0301", r"\x{300}", r"\x41", r"\.\-\/", r"\A.", r".\z", r".\Z", r"$", r"^",
    r"[\]\[-]", r"[+\-*/]", r"\p{Lu}\p{Ll}*|\p{Lo}", r"(e)(?i)s|T", r"(?<name>l)l", r"[\s&&[^ ]]", r"\D+", r"\W", r"\S\s", r"[^\n]*\n?",
    r"(a|b)*c", r"(?:l|o){2,3}", r"l{1,2}?o", r"\t|\v|\f|\a|\e", r"[\w\d\s]", r"\p{Hiragana}|\p{Katakana}|\p{Hangul}|\p{Latin}|\p{Greek}",
    r"}{", r"a{b", r"x{2,3}+", r"-|–|—", r"…", r"[é-ü]", r"(?=o)", r"(?!o)\p{L}", r"\p{M}+", r"\p{Cc}|\p{Cf}|\p{Cn}|\p{Co}", r"\p{Zs}", r"\p{Sm}|\p{Sc}",
]
LITERALS = [" ", "-", "e", "ll", "▁", "  ", "́", ".", "\n", "", "日", "a.b*"]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


# Pipelines that have fast ways: the patterns of cl100k, o200k, tekken and DeepSeek-V3.
O200K_WORDS = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+%s|"
               r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*%s|")
ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
O200K_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CL100K = ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
KNOWN = [
    [CL100K % r"\p{N}"],
    [CL100K % r"\p{N}{1,3}"],
    [O200K_WORDS % (ENDINGS + "?", ENDINGS + "?") + r"\p{N}{1,3}" + O200K_REST],
    [O200K_WORDS % ("", "") + r"\p{N}" + O200K_REST],
    [r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+",
     '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+'
     '| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+'],
]


def known(rng):
    """(normalizer, pre-tokenizer, model) as well-known models have them."""
    kind = rng.choice(["split", "split", "gpt2", "metaspace", "prepend", "bert", "xlmr"])
    forms = rng.choice([None, None, {"type": "NFC"}, {"type": "NFKC"}, {"type": "Lowercase"}])
    if kind == "split":
        splits = [{"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False} for regex in rng.choice(KNOWN)]
        last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
        return forms, {"type": "Sequence", "pretokenizers": splits + [last]}, "BPE"
    if kind == "gpt2":
        return forms, {"type": "ByteLevel", "add_prefix_space": rng.random() < 0.5, "trim_offsets": True, "use_regex": True}, "BPE"
    if kind == "metaspace":
        return forms, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": rng.choice(["always", "first", "never"]),
                       "split": rng.random() < 0.5}, "BPE"
    if kind == "prepend":
        steps = [{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]
        return {"type": "Sequence", "normalizers": steps[rng.randint(0, 1):]}, None, "BPE"
    if kind == "bert":
        bert = {"type": "BertNormalizer", "clean_text": rng.random() < 0.7, "handle_chinese_chars": rng.random() < 0.7,
                "strip_accents": rng.choice([None, True, False]), "lowercase": rng.random() < 0.7}
        return bert, {"type": "BertPreTokenizer"}, "WordPiece"
    return {"type": "Precompiled", "precompiled_charsmap": charsmap(rng)}, {"type": "Sequence", "pretokenizers": [
        {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}]}, "Unigram"


def pattern(rng):
    return {"Regex": rng.choice(PATTERNS)} if rng.random() < 0.7 else {"String": rng.choice(LITERALS)}


def charsmap(rng):
    """A double array with a few rules, built the slow way."""
    rules = {}
    for _ in range(rng.randint(1, 12)):
        key = rng.choice(["a", "é", "e\u0301", "ﬁ", "Ａ", "\u00a0", "\t", "\r\n", "\u0300", "①", "½", "한", "ᄀ", "☺", "\u200d", "İ", "क"])
        rules[key.encode()] = rng.choice(["", " ", "x", "fi", "a\u0308", "1/2", "日本"])
    texts, places = b"", {}
    for key, value in rules.items():
        places[key] = len(texts)
        texts += value.encode() + b"\0"
    units = {}

    def insert(prefix, position):
        labels = sorted({key[len(prefix)] for key in rules if key.startswith(prefix) and len(key) > len(prefix)})
        has_leaf = prefix in rules
        children = ([0] if has_leaf else []) + labels
        if not children:
            return
        offset = next(o for o in range(1, 1 << 20) if all((position ^ o ^ c) not in units and position ^ o ^ c for c in children))
        label = units.get(position, 0)
        units[position] = label | offset << 10 | (1 << 8 if has_leaf else 0)
        for child in children:
            units[position ^ offset ^ child] = child
        if has_leaf:
            units[position ^ offset] = 1 << 31 | places[prefix]
        for child in labels:
            insert(prefix + bytes([child]), position ^ offset ^ child)

    units[0] = 0
    insert(b"", 0)
    size = (max(units) // 256 + 2) * 256
    array = [units.get(i, 0) for i in range(size)]
    blob = struct.pack("<I", 4 * size) + struct.pack(f"<{size}I", *array) + texts
    return base64.b64encode(blob).decode()


def normalizer(rng):
    kind = rng.choice("NFC NFD NFKC NFKD Lowercase StripAccents Nmt Strip Replace Prepend Precompiled BertNormalizer ByteLevel".split())
    flag = lambda: rng.random() < 0.5  # noqa: E731
    if kind == "Strip":
        return {"type": kind, "strip_left": flag(), "strip_right": flag()}
    if kind == "Replace":
        return {"type": kind, "pattern": pattern(rng), "content": rng.choice(["", " ", "▁", "x", "é", "yz"])}
    if kind == "Prepend":
        return {"type": kind, "prepend": rng.choice(["▁", " ", "xy", "é"])}
    if kind == "Precompiled":
        return {"type": kind, "precompiled_charsmap": charsmap(rng)}
    if kind == "BertNormalizer":
        return {"type": kind, "clean_text": flag(), "handle_chinese_chars": flag(), "strip_accents": rng.choice([None, True, False]),
                "lowercase": flag()}
    return {"type": kind}


def pre_tokenizer(rng):
    kind = rng.choice(("BertPreTokenizer ByteLevel CharDelimiterSplit Metaspace Whitespace WhitespaceSplit Split Split Split Punctuation "
                       "Digits UnicodeScripts FixedLength").split())
    flag = lambda: rng.random() < 0.5  # noqa: E731
    if kind == "ByteLevel":
        return {"type": kind, "add_prefix_space": flag(), "trim_offsets": flag(), "use_regex": flag()}
    if kind == "CharDelimiterSplit":
        return {"type": kind, "delimiter": rng.choice([" ", "e", "▁", "日"])}
    if kind == "Metaspace":
        return {"type": kind, "replacement": rng.choice(["▁", "_", "é"]), "prepend_scheme": rng.choice(["always", "first", "first", "never"]),
                "split": flag()}
    if kind == "Split":
        return {"type": kind, "pattern": pattern(rng), "behavior": rng.choice(BEHAVIORS), "invert": flag()}
    if kind == "Punctuation":
        return {"type": kind, "behavior": rng.choice(BEHAVIORS)}
    if kind == "Digits":
        return {"type": kind, "individual_digits": flag()}
    if kind == "FixedLength":
        return {"type": kind, "length": rng.randint(1, 6)}
    return {"type": kind}


def sequence(rng, one, name, most):
    parts = [one(rng) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, most]))]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else {"type": "Sequence", name: parts}


def post_processor(rng):
    token = lambda name, number: {"SpecialToken": {"id": name, "type_id": 0}}  # noqa: E731
    kind = rng.choice([None, "ByteLevel", "BertProcessing", "RobertaProcessing", "TemplateProcessing", "Sequence"])
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    if kind == "ByteLevel":
        return byte_level
    if kind == "BertProcessing":
        return {"type": kind, "sep": ["</s>", 2], "cls": ["<s>", 1]}
    if kind == "RobertaProcessing":
        return {"type": kind, "sep": ["</s>", 2], "cls": ["<s>", 1], "trim_offsets": True, "add_prefix_space": False}
    if kind == "TemplateProcessing":
        pieces = [token("<s>", 1)] * rng.randint(0, 2) + [{"Sequence": {"id": "A", "type_id": 0}}] + [token("</s>", 2)] * rng.randint(0, 2)
        return {"type": kind, "single": pieces, "pair": pieces, "special_tokens": {
            "<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [2, 7], "tokens": ["</s>", "x"]}}}
    if kind == "Sequence":
        return {"type": kind, "processors": [byte_level, {"type": "BertProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1]}]}
    return None


def added_tokens(rng):
    flag = lambda p: rng.random() < p  # noqa: E731
    contents = rng.sample(["<s>", "</s>", "<pad>", "<mask>", "hello", "Hello", "é", "the", "  ", " x", "\n", "<|im_start|>", "<|im", "日本", "▁", "-",
                           "I'm", "e\u0301", "a b", "ll", "<s><s>", "ẞ", "\u0301"], rng.choice([0, 2, 5, 10]))
    return [{"id": number, "content": content, "single_word": flag(0.2), "lstrip": flag(0.2), "rstrip": flag(0.2), "normalized": flag(0.4),
             "special": flag(0.5)} for number, content in enumerate(contents)]


def trained(rng, texts, pre, kind):
    """A model as JSON. Training sees the pre-tokenizer, so that tokens fit it."""
    model = {"BPE": models.BPE, "WordPiece": models.WordPiece, "Unigram": models.Unigram, "WordLevel": models.WordLevel}[kind]()
    tokenizer = Tokenizer(model)
    shell = json.loads(tokenizer.to_str())
    shell["pre_tokenizer"] = pre
    tokenizer = Tokenizer.from_str(json.dumps(shell))
    special = ["<unk>", "<s>", "</s>"] + ([f"<0x{b:02X}>" for b in range(256)] if rng.random() < 0.3 else [])
    size = len(special) + rng.choice([50, 200, 600])
    alphabet = pre_tokenizers.ByteLevel.alphabet() if rng.random() < 0.5 else []
    options = {"vocab_size": size, "special_tokens": special, "show_progress": False}
    if kind == "BPE":
        prefix, suffix = rng.choice([None, None, "##", "é"]), rng.choice([None, None, "</w>"])
        trainer = trainers.BpeTrainer(**options, initial_alphabet=alphabet, limit_alphabet=rng.choice([1000, 40]),
                                      **({"continuing_subword_prefix": prefix} if prefix else {}), **({"end_of_word_suffix": suffix} if suffix else {}))
    elif kind == "WordPiece":
        trainer = trainers.WordPieceTrainer(**options, initial_alphabet=alphabet, limit_alphabet=rng.choice([1000, 40]))
    elif kind == "Unigram":
        trainer = trainers.UnigramTrainer(**options, unk_token="<unk>", initial_alphabet=alphabet)
    else:
        trainer = trainers.WordLevelTrainer(**options)
    tokenizer.train_from_iterator(texts, trainer)
    made = json.loads(tokenizer.to_str())["model"]
    if kind == "BPE":
        made["unk_token"] = rng.choice([None, "<unk>", "<unk>", "<gone>"])
        made["fuse_unk"], made["byte_fallback"], made["ignore_merges"] = (rng.random() < 0.5 for _ in range(3))
    elif kind == "WordPiece":
        made["unk_token"] = rng.choice(["<unk>", "<unk>", "<gone>"])
        made["max_input_chars_per_word"] = rng.choice([3, 8, 100])
    elif kind == "Unigram":
        made["unk_id"] = rng.choice([0, 0, 0, None])
        made["byte_fallback"] = rng.random() < 0.5
    else:
        made["unk_token"] = rng.choice(["<unk>", "<unk>", "<gone>"])
    return made


def made_tokenizer(seed):
    """(tokenizer.json as a dict, texts to put into others)"""
    rng = random.Random(seed)
    maker = TextMaker(seed, WORDS, [])
    if rng.random() < 0.4:
        norm, pre, kind = known(rng)
    else:
        norm = sequence(rng, normalizer, "normalizers", 4)
        pre = sequence(rng, pre_tokenizer, "pretokenizers", 4)
        kind = rng.choice(["BPE", "BPE", "BPE", "WordPiece", "Unigram", "WordLevel"])
    texts = [maker.text() for _ in range(60)] + [" ".join(WORDS)] * 3
    try:
        model = trained(rng, texts, pre, kind)
    except BaseException as error:  # a Rust panic is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        model = {"type": "WordLevel", "vocab": {"<unk>": 0, "the": 1}, "unk_token": "<unk>"}
    added = added_tokens(rng)
    made = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": norm, "pre_tokenizer": pre, "post_processor": post_processor(rng),
            "decoder": None, "model": model}
    return made, [token["content"] for token in added] + [rng.choice(list(vocabulary(model))) for _ in range(20)]


def vocabulary(model):
    return model["vocab"] if isinstance(model["vocab"], dict) else [token for token, _ in model["vocab"]]
