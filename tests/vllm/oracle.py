"""What vLLM's own code makes of requests: one JSON line {"api", "request"} in, one {"rendered", "ids"} or {"error"} out.

Run with the Python of an environment that has vLLM: oracle.py FOLDER. The clock stands at 2025-03-09T14:05:07.
"""

import datetime
import json
import os
import sys
from types import SimpleNamespace

os.environ.update(HF_HUB_OFFLINE="1", VLLM_LOGGING_LEVEL="CRITICAL", TRANSFORMERS_VERBOSITY="error",
                  VLLM_SYSTEM_START_DATE="2025-03-09")

import transformers.utils.chat_template_utils as chat_template_utils  # noqa: E402
from transformers import AutoTokenizer  # noqa: E402
from vllm.entrypoints.anthropic.protocol import AnthropicMessagesRequest  # noqa: E402
from vllm.entrypoints.anthropic.serving import AnthropicServingMessages  # noqa: E402
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.entrypoints.openai.responses.protocol import ResponsesRequest  # noqa: E402
from vllm.entrypoints.openai.responses.utils import construct_input_messages, construct_tool_dicts  # noqa: E402
from vllm.renderers.chat_utils import parse_chat_messages  # noqa: E402
from vllm.renderers.hf import resolve_chat_template, resolve_chat_template_content_format, safe_apply_chat_template  # noqa: E402
from vllm.renderers.online_renderer import OnlineRenderer  # noqa: E402


class FixedClock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2025, 3, 9, 14, 5, 7)


chat_template_utils.datetime = FixedClock


class Oracle:
    def __init__(self, folder):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        with open(os.path.join(folder, "config.json")) as file:
            self.harmony = json.load(file).get("model_type") == "gpt_oss"
        self.config = SimpleNamespace(
            multimodal_config=None, enable_prompt_embeds=False, trust_remote_code=False, tokenizer_revision=None, code_revision=None,
            revision=None, tokenizer="x", model="x", hf_config=SimpleNamespace(model_type="x"), allowed_local_media_path="",
            allowed_media_domains=None, max_model_len=1 << 20)
        self.renderer = SimpleNamespace(renderer=None, supports_browsing=False, supports_code_interpreter=False)
        self.merge_system = any(AnthropicServingMessages._detect_merge_inline_system(self.template(tools)) for tools in (None, []))
        self.disabled_effort = self.probe_disabled_effort()

    def template(self, tools):
        return resolve_chat_template(self.tokenizer, None, tools, model_config=self.config)

    def probe_disabled_effort(self):
        def probe(effort):
            answer = self.answer("chat", {"messages": [{"role": "user", "content": "Hi"}], "reasoning_effort": effort})
            return answer.get("ids")

        none = probe("none")
        efforts = ("low", "medium", "high", "xhigh", "max")
        return "low" if none is None or any(probe(effort) == none for effort in efforts) else "none"

    def answer(self, api, request):
        try:
            return getattr(self, api)(request)
        except Exception as error:  # whatever it is, the engine would not serve the request
            return {"error": f"{type(error).__name__}: {error}"[:400]}

    def ids(self, ids, text=None):
        if text is None:
            from vllm.entrypoints.openai.parser.harmony_utils import get_encoding
            text = get_encoding().decode(ids)
        return {"rendered": text, "ids": list(ids)}

    def render(self, request, messages, tools, add_special_tokens):
        defaults = {"tokenize": False} if tools is None else {"tools": tools, "tokenize": False}
        params = request.build_chat_params(None, "auto").with_defaults(defaults)
        form = resolve_chat_template_content_format(None, tools, "auto", self.tokenizer, model_config=self.config)
        conversation, _, _ = parse_chat_messages(messages, self.config, form)
        text = safe_apply_chat_template(self.config, self.tokenizer, conversation, **params.get_apply_chat_template_kwargs())
        return self.ids(self.tokenizer(text, add_special_tokens=add_special_tokens).input_ids, text)

    def chat_request(self, request):
        tools = None if request.tools is None else [tool.model_dump() for tool in request.tools]
        if self.harmony:
            _, (made,) = OnlineRenderer._make_request_with_harmony(self.renderer, request, tools is not None)
            return self.ids(made["prompt_token_ids"])
        return self.render(request, request.messages, tools, request.add_special_tokens)

    def chat(self, request):
        return self.chat_request(ChatCompletionRequest(**request))

    def messages(self, request):
        parsed = AnthropicMessagesRequest(**request)
        return self.chat_request(AnthropicServingMessages.to_chat_completion_request(
            parsed, merge_inline_system=self.merge_system, disabled_thinking_effort=self.disabled_effort))

    def responses(self, request):
        parsed = ResponsesRequest(**request)
        if self.harmony:
            fake = SimpleNamespace(
                model_config=self.config,
                adjust_harmony_request=lambda request: None, _get_harmony_builtin_tool_descriptions=lambda *_: {},
                render_responses_harmony_messages=lambda messages, **_: messages,
                create_error_response=lambda message, **_: SimpleNamespace(message=message))
            made = OnlineRenderer._render_responses_with_harmony(
                fake, parsed, previous_messages=None, previous_response_outputs=None, tool_server=None)
            if not hasattr(made, "engine_input"):
                return {"error": made.message}
            from vllm.entrypoints.openai.parser.harmony_utils import render_for_completion
            return self.ids(render_for_completion(made.engine_input))
        tools = construct_tool_dicts(parsed.tools, parsed.tool_choice)
        messages = construct_input_messages(request_instructions=parsed.instructions, request_input=parsed.input)
        return self.render(parsed, messages, tools, True)


def main():
    oracle = Oracle(sys.argv[1])
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(oracle.answer(asked["api"], asked["request"])), flush=True)


if __name__ == "__main__":
    main()
