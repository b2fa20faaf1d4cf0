"""The official client of PyPI."""

import pytest
from openai import BadRequestError, NotFoundError, OpenAI
from pydantic import BaseModel

MODEL = "hearth/starter-chat"
QUESTION = {
    "model": MODEL,
    "temperature": 0,
    "messages": [{"role": "user", "content": "What is the capital of France?"}],
}
TIDE_TOOL = {
    "type": "function",
    "function": {
        "name": "get_tide",
        "description": "Tide of a harbour",
        "parameters": {
            "type": "object",
            "properties": {"harbour": {"type": "string"}},
            "required": ["harbour"],
        },
    },
}


class Sum(BaseModel):
    answer: int


@pytest.fixture
def client(base_url: str) -> OpenAI:
    return OpenAI(base_url=base_url, api_key="any-word", max_retries=0)


def test_models(client: OpenAI):
    first = client.models.list().data[0]
    assert first.owned_by == "hearth"
    assert first.created > 0


def test_chat_whole_and_streamed_with_the_usage_once(client: OpenAI):
    whole = client.chat.completions.create(**QUESTION)
    assert "Paris" in whole.choices[0].message.content
    chunks = list(
        client.chat.completions.create(
            **QUESTION, stream=True, stream_options={"include_usage": True}
        )
    )
    text = "".join(each.choices[0].delta.content or "" for each in chunks if each.choices)
    assert text == whole.choices[0].message.content
    counted = [each.usage for each in chunks if each.usage is not None]
    assert len(counted) == 1
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens


def test_tool_call_and_its_result(client: OpenAI):
    messages = [{"role": "user", "content": "Get the tide of Brest"}]
    request = {"model": MODEL, "temperature": 0, "tools": [TIDE_TOOL]}
    first = client.chat.completions.create(**request, messages=messages)
    message = first.choices[0].message
    assert message.tool_calls[0].function.name == "get_tide"
    result = {
        "role": "tool",
        "tool_call_id": message.tool_calls[0].id,
        "content": '{"tide": "high"}',
    }
    second = client.chat.completions.create(**request, messages=[*messages, message, result])
    assert "high" in second.choices[0].message.content


def test_structured_output(client: OpenAI):
    completion = client.chat.completions.parse(
        model=MODEL,
        temperature=0,
        messages=[{"role": "user", "content": "What is 2 + 3?"}],
        response_format=Sum,
    )
    assert isinstance(completion.choices[0].message.parsed, Sum)


def test_completions_of_several_prompts(client: OpenAI):
    completion = client.completions.create(
        model=MODEL, prompt=["The sea is", "The sky is"], max_tokens=4, temperature=0
    )
    assert [each.index for each in completion.choices] == [0, 1]


def test_embeddings(client: OpenAI):
    result = client.embeddings.create(
        model="hearth/starter-embed", input=["The sea is calm.", "The sky is blue."]
    )
    assert [len(each.embedding) for each in result.data] == [128, 128]
    assert result.usage.prompt_tokens > 4


def test_typed_errors_and_long_context(client: OpenAI):
    with pytest.raises(NotFoundError) as missing:
        client.chat.completions.create(**{**QUESTION, "model": "nobody/nothing"})
    assert missing.value.code == "model_not_found"
    with pytest.raises(BadRequestError) as hot:
        client.chat.completions.create(**{**QUESTION, "temperature": 3})
    assert hot.value.param == "temperature"
    too_long = [{"role": "user", "content": "word " * 20_000}]
    with pytest.raises(BadRequestError) as long:
        client.chat.completions.create(**{**QUESTION, "messages": too_long}, stream=True)
    assert long.value.code == "context_length_exceeded"


def test_abort_midway(client: OpenAI, wait_for_requests):
    model = "test/endless"
    messages = [{"role": "user", "content": "Tell me a story"}]
    with client.chat.completions.create(model=model, messages=messages, stream=True) as running:
        assert next(iter(running)).object == "chat.completion.chunk"
        wait_for_requests(model, 1)
    wait_for_requests(model, 0)
