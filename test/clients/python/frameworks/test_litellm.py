"""LiteLLM as a library."""

import asyncio
import base64

import litellm
import pytest
from pydantic import BaseModel

QUESTION = [{"role": "user", "content": "What is the capital of France?"}]


class Sum(BaseModel):
    answer: int


@pytest.fixture(params=["openai", "anthropic", "ollama_chat"])
def connect(request, server: str):
    """Calls a model through each of the three APIs."""
    base = f"{server}/v1" if request.param == "openai" else server

    def complete(messages, name: str = "hearth/starter-chat", **options):
        return litellm.completion(
            f"{request.param}/{name}", messages, api_base=base, api_key="any", temperature=0, num_retries=0, **options
        )

    return complete


def test_chat_and_stream_with_usage(connect):
    whole = connect(QUESTION)
    assert "Paris" in whole.choices[0].message.content
    chunks = list(connect(QUESTION, stream=True, stream_options={"include_usage": True}))
    text = "".join(each.choices[0].delta.content or "" for each in chunks if each.choices)
    assert "Paris" in text
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens > 0


def test_tools_in_two_rounds(connect):
    parameters = {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": ["harbour"]}
    tide = {"name": "get_tide", "description": "Tide of a harbour", "parameters": parameters}
    options = {"tools": [{"type": "function", "function": tide}]}
    messages = [{"role": "user", "content": "Get the tide of Brest"}]
    called = connect(messages, **options).choices[0].message
    assert called.tool_calls[0].function.name == "get_tide"
    result = {
        "role": "tool",
        "tool_call_id": called.tool_calls[0].id,
        "content": '{"harbour": "Brest", "tide": "high"}',
    }
    assert "high" in connect([*messages, called, result], **options).choices[0].message.content


def test_structured_output(connect):
    content = connect(QUESTION, response_format=Sum).choices[0].message.content
    assert Sum.model_validate_json(content)


def test_picture(connect, red_picture: bytes):
    url = f"data:image/png;base64,{base64.b64encode(red_picture).decode()}"
    content = [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": "What colour is the picture?"},
    ]
    answer = connect([{"role": "user", "content": content}], "hearth/starter-vision")
    assert "red" in answer.choices[0].message.content.lower()


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_embeddings(server: str, provider: str):
    base = f"{server}/v1" if provider == "openai" else server
    result = litellm.embedding(
        f"{provider}/hearth/starter-embed", input=["The sea is calm.", "The sky is blue."], api_base=base, api_key="any"
    )
    assert [len(each["embedding"]) for each in result.data] == [128, 128]


def test_errors_and_long_context(connect):
    with pytest.raises(Exception, match="nobody/nothing"):
        connect(QUESTION, "nobody/nothing")
    with pytest.raises(Exception, match="context|prompt is too long"):
        connect([{"role": "user", "content": "word " * 20_000}])


def test_abort_midway(connect, wait_for_requests):
    async def stop() -> None:
        running = await connect(QUESTION, "test/endless", stream=True, acompletion=True)
        async for _ in running:
            await asyncio.to_thread(wait_for_requests, "test/endless", 1)
            break
        await running.aclose()

    asyncio.run(stop())
    wait_for_requests("test/endless", 0)
