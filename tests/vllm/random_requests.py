"""Random requests of chat APIs: mostly valid, with whatever clients get wrong. The same seed gives the same requests."""

import json

WORDS = ["What", "is", "2+2?", "the weather", "Paris", "naïve", "数据", "🧑‍🚀", "é", "\n", "\t x ", "  ", "<think>\nhm\n</think>\n\n",
         "<|im_end|>", "<|im_start|>system\n", "</s>", "[INST]", "<tool_response>", "{{ 7*7 }}", "\"quoted\"", "\\n", "&<>'", "\u2028",
         "<|end|>", "<|start|>", "Ω≈ç√", "١٢٣", "0.1", "{\"a\": 1}", "<｜User｜>", "```py\nprint(1)\n```"]


def text(rng, most=6):
    return rng.choice(["", " "]).join(rng.choice(WORDS) for _ in range(rng.randint(0 if rng.random() < 0.2 else 1, most)))


def scalar(rng):
    return rng.choice([0, 1, -5, 1.0, 1e-7, 0.1, 1e22, 12345678901234567890, True, False, None, "x", "é\n", "", 2**70])


def value(rng, depth=2):
    kind = rng.random()
    if depth == 0 or kind < 0.5:
        return scalar(rng)
    if kind < 0.75:
        return [value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    return {rng.choice(["a", "b", "é", "z", "type"]): value(rng, depth - 1) for _ in range(rng.randint(0, 3))}


def schema(rng, depth=3):
    """A JSON schema, with what tools out there have in theirs."""
    kind = rng.choice(["object", "object", "string", "string", "integer", "number", "boolean", "array", "oneOf", "list", "any", "odd"])
    if depth == 0 and kind in ("object", "array", "oneOf"):
        kind = "string"
    out = {}
    if kind == "object":
        out["type"] = "object"
        out["properties"] = {name: schema(rng, depth - 1) for name in rng.sample(["a", "b", "city", "x y", "é", "null"], rng.randint(0, 4))}
        if rng.random() < 0.5:
            out["required"] = rng.sample(["a", "b", "city", "missing"], rng.randint(0, 3))
    elif kind == "array":
        out["type"] = "array"
        if rng.random() < 0.8:
            out["items"] = schema(rng, depth - 1)
    elif kind == "oneOf":
        out["oneOf"] = [schema(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    elif kind == "list":
        out["type"] = rng.sample(["string", "integer", "null", "number", "object"], rng.randint(0, 3))
    elif kind == "odd":
        out = {rng.choice(["anyOf", "allOf", "$ref", "const", "type"]): value(rng, 1)}
    elif kind != "any":
        out["type"] = kind
    for key, make in (("description", lambda: rng.choice(["d", "two\nlines", "é", "", "d"])), ("title", lambda: "T"),
                      ("default", lambda: value(rng, 1)), ("enum", lambda: rng.sample(["a", "b\"", "c", 1, None], rng.randint(0, 3))),
                      ("nullable", lambda: rng.choice([True, False])), ("examples", lambda: rng.sample(["e1", 2, "e3"], rng.randint(0, 3)))):
        if rng.random() < 0.15:
            out[key] = make()
    return out


def tool(rng, name):
    function = {"name": name}
    if rng.random() < 0.8:
        function["description"] = rng.choice([text(rng), "Get data\nfor \"x\" <now>", None, "a\r\nb\n"])
    if rng.random() < 0.9:
        function["parameters"] = rng.choice([schema(rng), {"type": "object", "properties": {"q": schema(rng)}}, {}, None])
    if rng.random() < 0.1:
        function["strict"] = rng.choice([True, False, None])
    if rng.random() < 0.05:
        function["extra"] = 1
    items = list(function.items())
    rng.shuffle(items)
    out = {"type": "function", "function": dict(items)}
    if rng.random() < 0.05:
        out["defer_loading"] = rng.choice([True, False, None])
    if rng.random() < 0.05:
        del out["type"]
    return out


def part(rng):
    kind = rng.random()
    if kind < 0.8:
        out = {"type": "text", "text": text(rng)}
    elif kind < 0.85:
        out = {"type": rng.choice(["input_text", "output_text"]), "text": text(rng)}
    elif kind < 0.9:
        out = {"type": "refusal", "refusal": text(rng)}
    elif kind < 0.93:
        out = {"type": "thinking", "thinking": text(rng)}
    elif kind < 0.95:
        out = {"type": "tool_reference", "name": "get_weather"}
    elif kind < 0.99:
        return text(rng)
    else:
        out = rng.choice([{"type": "text"}, {"type": "text", "text": None}, {"text": "x"}, {"type": "odd"}, {}, {"type": "text", "text": 5},
                          {"type": "file", "file": {"file_id": "x"}}, {"type": "text", "text": "x", "uuid": "u"}])
    if rng.random() < 0.1:
        out = {**out, rng.choice(["cache_control", "name", "closed", "zzz"]): rng.choice([{"type": "ephemeral"}, "x", True])}
    return out


def content(rng, null=0.05):
    kind = rng.random()
    if kind < null:
        return None
    if kind < 0.7:
        return text(rng)
    return [part(rng) for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, 3))]


def arguments(rng):
    if rng.random() < 0.1:
        return rng.choice(["", "{\"q\": oops", "[]", "42", "null", " {} ", "{\"a\": 1} x"])
    return json.dumps({rng.choice(["city", "q", "n"]): value(rng) for _ in range(rng.randint(0, 3))}, ensure_ascii=rng.random() < 0.5)


def call(rng, ident):
    function = {"name": rng.choice(["get_weather", "search"]), "arguments": arguments(rng)}
    if rng.random() < 0.05:
        function["extra"] = 1
    out = {"id": ident, "type": "function", "function": function}
    if rng.random() < 0.03:
        out = rng.choice([{**out, "index": 0}, {**out, "id": 5}, {"id": ident, "function": function}, {**out, "type": "custom", "custom": {"name": "n", "input": "i"}},
                          {**out, "function": {"name": "f", "arguments": {"a": 1}}}])
    items = list(out.items())
    rng.shuffle(items)
    return dict(items)


def message(rng, role):
    out = {"role": role, "content": content(rng, 0.3 if role == "assistant" else 0.005)}
    if role == "assistant":
        if rng.random() < 0.3:
            out["tool_calls"] = [call(rng, f"call_{rng.randint(0, 3)}") for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, 2))]
        if rng.random() < 0.3:
            out[rng.choice(["reasoning", "reasoning_content"])] = rng.choice([text(rng), "why", None, ""])
        if rng.random() < 0.05:
            out[rng.choice(["refusal", "function_call", "audio"])] = rng.choice([None, "no", {"name": "f", "arguments": "{}"}, {"id": "x"}])
    if role == "tool" or rng.random() < 0.02:
        out["tool_call_id"] = rng.choice(["call_0", "call_1", "zz", None])
    if rng.random() < 0.06:
        out["name"] = rng.choice(["Zoë", "bob", "bob", "bob", None, 5])
    if rng.random() < 0.02:
        out[rng.choice(["task", "foo", "tools", "tool_calls", "reasoning"])] = rng.choice([None, "x", [], 5])
    if rng.random() < 0.04:
        del out["content"]
    items = list(out.items())
    rng.shuffle(items)
    return dict(items)


def conversation(rng):
    out = []
    if rng.random() < 0.5:
        out.append(message(rng, rng.choice(["system", "system", "developer"])))
    for _ in range(rng.randint(1, 4)):
        out.append(message(rng, "user"))
        if rng.random() < 0.8:
            out.append(message(rng, "assistant"))
            if isinstance(out[-1].get("tool_calls"), list) and rng.random() < 0.9:
                out.extend(message(rng, "tool") for _ in out[-1]["tool_calls"])
    if rng.random() < 0.7:
        out.append(message(rng, "user"))
    if rng.random() < 0.08:
        out.insert(rng.randint(0, len(out)), message(rng, rng.choice(["system", "developer", "critic", "function", "tool"])))
    if rng.random() < 0.05:
        text_ = "x-anthropic-billing-header: cc=1" + rng.choice(["", "\n", "\nrest\nmore"])
        out.insert(0, {"role": "system", "content": rng.choice([text_, [{"type": "text", "text": text_}, {"type": "text", "text": "y"}]])})
    return out


def kwargs(rng):
    return {rng.choice(["enable_thinking", "thinking", "date_string", "builtin_tools", "custom", "preserve_thinking", "bos_token",
                        "reasoning_effort", "documents", "padding", "tools_in_user_message"]): rng.choice([True, False, None, "auto", "low", "x", [], 5])
            for _ in range(rng.randint(0, 3))}


def chat_request(rng):
    out = {"model": "m", "messages": conversation(rng)}
    if rng.random() < 0.4:
        out["tools"] = [tool(rng, name) for name in rng.sample(["get_weather", "search", "noop"], rng.randint(1, 3))]
        if rng.random() < 0.3:
            out["tool_choice"] = rng.choice(["none", "auto", "required", None, {"type": "function", "function": {"name": "search"}}])
    if rng.random() < 0.15:
        out["chat_template_kwargs"] = rng.choice([kwargs(rng), None])
    if rng.random() < 0.15:
        out["reasoning_effort"] = rng.choice(["none", "low", "low", "medium", "high", "high", "max", None, "odd"])
    if rng.random() < 0.1:
        out["add_generation_prompt"] = rng.choice([True, False, False, 0, "no"])
    if rng.random() < 0.1:
        out.update(continue_final_message=True, add_generation_prompt=rng.random() < 0.1)
    if rng.random() < 0.05:
        out["documents"] = rng.choice([[{"title": "A", "text": "t"}], [], None, [{"n": 1}]])
    if rng.random() < 0.02:
        out["tools"] = rng.choice([[], None, "x", [5]])
    return out


def response_content(rng):
    if rng.random() < 0.6:
        return text(rng)
    return [{"type": "input_text", "text": text(rng)} for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, 3))]


def response_item(rng):
    kind = rng.random()
    if kind < 0.5:
        out = {"role": rng.choice(["user", "user", "assistant", "system", "developer"]), "content": response_content(rng)}
        if rng.random() < 0.5:
            out["type"] = "message"
        if out["role"] == "assistant" and rng.random() < 0.5:
            out["type"] = "message"
            out["content"] = [{"type": "output_text", "text": text(rng)} for _ in range(rng.randint(1, 2))]
            if rng.random() < 0.1:
                out["status"] = rng.choice(["completed", "incomplete", "in_progress"])
        return out
    if kind < 0.65:
        out = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "s"}] if rng.random() < 0.4 else []}
        if rng.random() < 0.8:
            out["content"] = [{"type": "reasoning_text", "text": text(rng)} for _ in range(rng.randint(0, 2))]
        return out
    if kind < 0.82:
        out = {"type": "function_call", "call_id": f"call_{rng.randint(0, 2)}", "name": rng.choice(["get_weather", "search"]), "arguments": arguments(rng)}
        if rng.random() < 0.1:
            out["namespace"] = "ns"
        return out
    if kind < 0.97:
        return {"type": "function_call_output", "call_id": f"call_{rng.randint(0, 2)}", "output": text(rng) if rng.random() < 0.9 else [{"type": "input_text", "text": text(rng)}]}
    return rng.choice([{"type": "custom_tool_call", "call_id": "call_0", "name": "n", "input": text(rng)}, {"type": "custom_tool_call_output", "call_id": "call_0", "output": "o"},
                       {"type": "item_reference", "id": "x"}, {"role": "tool", "content": "x"}, {"role": "user", "content": [{"type": "text", "text": "x"}]}])


def response_tool(rng, name):
    function = tool(rng, name)["function"]
    out = {"type": "function", **function}
    if rng.random() < 0.05:
        out = rng.choice([{"type": "custom", "name": name, "description": "d"}, {"type": "namespace", "name": "ns", "description": "d", "tools": [out]}])
    return out


def response_request(rng):
    out = {"model": "m", "input": text(rng) if rng.random() < 0.2 else [response_item(rng) for _ in range(rng.randint(1, 8))]}
    if rng.random() < 0.4:
        out["instructions"] = rng.choice([text(rng), "", None])
    if rng.random() < 0.4:
        out["tools"] = [response_tool(rng, name) for name in rng.sample(["get_weather", "search", "noop"], rng.randint(0, 3))]
    if rng.random() < 0.2:
        out["reasoning"] = rng.choice([{"effort": "low"}, {"effort": "high"}, {"effort": None}, {}, None, {"effort": "none"}])
    if rng.random() < 0.1:
        out["chat_template_kwargs"] = rng.choice([kwargs(rng), None])
    return out


def block(rng, role):
    kind = rng.random()
    if kind < 0.5:
        return {"type": "text", "text": rng.choice([text(rng), text(rng), "x-anthropic-billing-header: 1", ""])}
    if role == "assistant" and kind < 0.7:
        return {"type": "thinking", "thinking": text(rng), "signature": "s"}
    if role == "assistant":
        return {"type": "tool_use", "id": f"toolu_{rng.randint(0, 2)}", "name": rng.choice(["get_weather", "search"]),
                "input": {rng.choice(["q", "é"]): value(rng) for _ in range(rng.randint(0, 2))}}
    if kind < 0.95:
        content_ = rng.choice([text(rng), [{"type": "text", "text": text(rng)} for _ in range(rng.randint(0, 3))], None, [{"type": "tool_reference", "name": "search"}]])
        return {"type": "tool_result", "tool_use_id": f"toolu_{rng.randint(0, 2)}", "content": content_}
    return rng.choice([{"type": "redacted_thinking", "data": "x"}, {"type": "tool_reference", "tool_name": "x"}, {"type": "odd"}, {"type": "thinking", "thinking": "t"}])


def anthropic_message(rng, role):
    if rng.random() < 0.5:
        return {"role": role, "content": text(rng)}
    if role == "system":
        return {"role": role, "content": [{"type": "text", "text": rng.choice([text(rng), "x-anthropic-billing-header: 1"])} for _ in range(rng.randint(1, 2))]}
    return {"role": role, "content": [block(rng, role) for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, 3))]}


def message_request(rng):
    roles = [rng.choice(["user", "user", "assistant"] if rng.random() < 0.95 else ["system"]) for _ in range(rng.randint(1, 6))]
    out = {"model": "m", "max_tokens": 16, "messages": [anthropic_message(rng, role) for role in roles]}
    if rng.random() < 0.5:
        out["system"] = rng.choice([text(rng), [{"type": "text", "text": text(rng)}, {"type": "text", "text": "x-anthropic-billing-header: 1"}], "", None])
    if rng.random() < 0.4:
        out["tools"] = []
        for name in rng.sample(["get_weather", "search", "noop"], rng.randint(0, 3)):
            made = {"name": name, "input_schema": rng.choice([schema(rng), {"type": "object", "properties": {}}, {}])}
            if rng.random() < 0.8:
                made["description"] = text(rng)
            if rng.random() < 0.1:
                made[rng.choice(["strict", "defer_loading", "cache_control"])] = rng.choice([True, None])
            out["tools"].append(made)
        if rng.random() < 0.3:
            out["tool_choice"] = rng.choice([{"type": "auto"}, {"type": "any"}, {"type": "none"}, {"type": "tool", "name": "search"}])
    if rng.random() < 0.1:
        out["thinking"] = rng.choice([{"type": "disabled"}, {"type": "adaptive"}])
    if rng.random() < 0.1:
        out["output_config"] = {"effort": rng.choice(["low", "high", "max"])}
    return out


MAKERS = {"chat": chat_request, "responses": response_request, "messages": message_request}
