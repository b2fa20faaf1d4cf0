"""OpenAI's Agents SDK."""

import asyncio
import base64

import pytest
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI, BadRequestError, NotFoundError
from pydantic import BaseModel

set_tracing_disabled(True)
QUESTION = "What is the capital of France?"


class Sum(BaseModel):
    answer: int


@pytest.fixture(params=[OpenAIChatCompletionsModel, OpenAIResponsesModel])
def connect(request, server: str):
    def agent(name: str = "hearth/starter-chat", **options) -> Agent:
        client = AsyncOpenAI(base_url=f"{server}/v1", api_key="any", max_retries=0)
        model = request.param(model=name, openai_client=client)
        settings = ModelSettings(temperature=0, include_usage=True)
        return Agent(name="Tim", model=model, model_settings=settings, **options)

    return agent


def test_chat_and_stream_with_usage(connect):
    async def stream():
        running = Runner.run_streamed(connect(), QUESTION)
        deltas = [
            event.data.delta
            async for event in running.stream_events()
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"
        ]
        return "".join(deltas), running.context_wrapper.usage

    whole = Runner.run_sync(connect(), QUESTION)
    assert "Paris" in whole.final_output
    text, usage = asyncio.run(stream())
    assert text == whole.final_output
    assert usage.input_tokens == whole.context_wrapper.usage.input_tokens > 0


def test_tools_in_two_rounds(connect):
    @function_tool
    def get_tide(harbour: str) -> str:
        """Tide of a harbour"""
        return f'{{"harbour": "{harbour}", "tide": "high"}}'

    result = Runner.run_sync(connect(tools=[get_tide]), "Get the tide of Brest")
    assert "high" in result.final_output
    types = [each.type for each in result.new_items if each.type != "reasoning_item"]
    assert types == ["tool_call_item", "tool_call_output_item", "message_output_item"]


def test_structured_output(connect):
    assert isinstance(Runner.run_sync(connect(output_type=Sum), "What is 2 + 3?").final_output, Sum)


def test_picture(connect, red_picture: bytes):
    picture = f"data:image/png;base64,{base64.b64encode(red_picture).decode()}"
    content = [
        {"type": "input_image", "image_url": picture, "detail": "auto"},
        {"type": "input_text", "text": "What colour is the picture?"},
    ]
    result = Runner.run_sync(connect("hearth/starter-vision"), [{"role": "user", "content": content}])
    assert "red" in result.final_output.lower()


def test_errors_and_long_context(connect):
    with pytest.raises(NotFoundError):
        Runner.run_sync(connect("nobody/nothing"), QUESTION)
    with pytest.raises(BadRequestError):
        Runner.run_sync(connect(), "word " * 20_000)


def test_abort_midway(connect, wait_for_requests):
    async def stop() -> None:
        running = Runner.run_streamed(connect("test/endless"), "Tell me a story")
        async for event in running.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                await asyncio.to_thread(wait_for_requests, "test/endless", 1)
                running.cancel()

    asyncio.run(stop())
    wait_for_requests("test/endless", 0)
