"""Pydantic AI."""

import asyncio

import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, NativeOutput
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

QUESTION = "What is the capital of France?"


class Sum(BaseModel):
    answer: int


@pytest.fixture(params=[OpenAIChatModel, OpenAIResponsesModel])
def connect(request, server: str):
    def agent(name: str = "hearth/starter-chat", **options) -> Agent:
        client = AsyncOpenAI(base_url=f"{server}/v1", api_key="any", max_retries=0)
        model = request.param(name, provider=OpenAIProvider(openai_client=client))
        return Agent(model, model_settings={"temperature": 0}, **options)

    return agent


def test_chat_and_stream_with_usage(connect):
    async def stream():
        async with connect().run_stream(QUESTION) as running:
            return "".join([each async for each in running.stream_text(delta=True)]), running.usage

    whole = connect().run_sync(QUESTION)
    assert "Paris" in whole.output
    text, usage = asyncio.run(stream())
    assert text == whole.output
    assert usage.output_tokens > 0


def test_tools_in_two_rounds(connect):
    agent = connect()
    called = []

    @agent.tool_plain
    def get_tide(harbour: str) -> str:
        """Tide of a harbour"""
        called.append(harbour)
        return f'{{"harbour": "{harbour}", "tide": "high"}}'

    assert "high" in agent.run_sync("Get the tide of Brest").output
    assert called == ["Brest"]


@pytest.mark.parametrize("output", [Sum, NativeOutput(Sum)])
def test_structured_output(connect, output):
    assert isinstance(connect(output_type=output).run_sync("What is 2 + 3?").output, Sum)


def test_picture(connect, red_picture: bytes):
    agent = connect("hearth/starter-vision")
    picture = BinaryContent(red_picture, media_type="image/png")
    assert "red" in agent.run_sync([picture, "What colour is the picture?"]).output.lower()


def test_errors_and_long_context(connect):
    with pytest.raises(ModelHTTPError) as missing:
        connect("nobody/nothing").run_sync(QUESTION)
    assert missing.value.status_code == 404
    with pytest.raises(Exception, match="context"):
        connect().run_sync("word " * 20_000)


def test_abort_midway(connect, wait_for_requests):
    async def stop() -> None:
        async with connect("test/endless").run_stream(QUESTION) as running:
            async for _ in running.stream_text(delta=True):
                await asyncio.to_thread(wait_for_requests, "test/endless", 1)
                break

    asyncio.run(stop())
    wait_for_requests("test/endless", 0)
