"""The official client of PyPI."""

import base64

import pytest
from anthropic import Anthropic, AuthenticationError, BadRequestError, NotFoundError, beta_tool
from pydantic import BaseModel

MODEL = "hearth/starter-chat"
QUESTION = {
    "model": MODEL,
    "max_tokens": 200,
    "extra_body": {"temperature": 0},
    "messages": [{"role": "user", "content": "What is the capital of France?"}],
}


class Sum(BaseModel):
    answer: int


def text_of(message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


@pytest.fixture
def client(server: str) -> Anthropic:
    return Anthropic(base_url=server, api_key="any-word", max_retries=0)


def test_models(client: Anthropic):
    assert MODEL in [each.id for each in client.models.list(limit=1)]


def test_chat_whole_and_streamed_with_the_usage_once(client: Anthropic):
    whole = client.messages.create(**QUESTION)
    assert "Paris" in text_of(whole)
    with client.messages.stream(**QUESTION) as stream:
        text = "".join(stream.text_stream)
        streamed = stream.get_final_message()
    assert text == text_of(whole)
    assert streamed.usage.output_tokens == whole.usage.output_tokens > 0
    counted = client.messages.count_tokens(model=MODEL, messages=QUESTION["messages"])
    usage = whole.usage
    assert counted.input_tokens == usage.input_tokens + usage.cache_read_input_tokens


def test_tool_run_by_the_helper(client: Anthropic):
    @beta_tool
    def get_tide(harbour: str) -> str:
        """Tide of a harbour

        Args:
            harbour: Name of the harbour.
        """
        return f'{{"harbour": "{harbour}", "tide": "high"}}'

    runner = client.beta.messages.tool_runner(
        model=MODEL,
        max_tokens=200,
        extra_body={"temperature": 0},
        tools=[get_tide],
        messages=[{"role": "user", "content": "Get the tide of Brest"}],
    )
    assert "high" in text_of(runner.until_done())


def test_structured_output(client: Anthropic):
    message = client.messages.parse(
        model=MODEL,
        max_tokens=100,
        extra_body={"temperature": 0},
        messages=[{"role": "user", "content": "What is 2 + 3?"}],
        output_format=Sum,
    )
    assert isinstance(message.parsed_output, Sum)


def test_thinking_that_is_sent_back(client: Anthropic):
    request = {
        "model": MODEL,
        "max_tokens": 400,
        "extra_body": {"temperature": 0},
        "thinking": {"type": "enabled", "budget_tokens": 300},
    }
    question = {"role": "user", "content": "What is 2 + 3?"}
    with client.messages.stream(**request, messages=[question]) as stream:
        first = stream.get_final_message()
    assert [block.type for block in first.content] == ["thinking", "text"]
    assert first.content[0].signature
    answer = {"role": "assistant", "content": first.content}
    again = {"role": "user", "content": "Who are you?"}
    assert text_of(client.messages.create(**request, messages=[question, answer, again]))


def test_picture(client: Anthropic, red_picture: bytes):
    data = base64.b64encode(red_picture).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    content = [
        {"type": "image", "source": source},
        {"type": "text", "text": "What colour is the picture?"},
    ]
    message = client.messages.create(
        model="hearth/starter-vision",
        max_tokens=100,
        extra_body={"temperature": 0},
        messages=[{"role": "user", "content": content}],
    )
    assert "red" in text_of(message).lower()


def test_typed_errors_and_long_context(client: Anthropic):
    with pytest.raises(NotFoundError) as missing:
        client.messages.create(**{**QUESTION, "model": "nobody/nothing"})
    assert missing.value.body["error"]["type"] == "not_found_error"
    assert missing.value.request_id
    orphan = {"type": "tool_result", "tool_use_id": "x", "content": "y"}
    with pytest.raises(BadRequestError, match="unexpected `tool_use_id`"):
        client.messages.create(**{**QUESTION, "messages": [{"role": "user", "content": [orphan]}]})
    with pytest.raises(BadRequestError, match="prompt is too long"):
        long = [{"role": "user", "content": "word " * 20_000}]
        client.messages.create(**{**QUESTION, "messages": long}, stream=True)


def test_foreign_key_is_refused_where_it_is_a_token(server: str):
    unknown = f"hearth-0123456789-{'a' * 48}"
    client = Anthropic(base_url=server, api_key=unknown, max_retries=0)
    with pytest.raises(AuthenticationError):
        client.messages.create(**QUESTION)


def test_abort_midway(client: Anthropic, wait_for_requests):
    request = {**QUESTION, "model": "test/endless", "max_tokens": 20_000}
    with client.messages.stream(**request) as stream:
        next(iter(stream.text_stream))
        wait_for_requests("test/endless", 1)
    wait_for_requests("test/endless", 0)
