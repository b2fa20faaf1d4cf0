"""langchain-anthropic."""

import anthropic
import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from pydantic import BaseModel


class Sum(BaseModel):
    """A sum."""

    answer: int


@tool
def get_tide(harbour: str) -> str:
    """Tide of a harbour"""
    return f'{{"harbour": "{harbour}", "tide": "high"}}'


@pytest.fixture
def connect(server: str):
    def chat(model: str = "hearth/starter-chat", **options) -> ChatAnthropic:
        defaults = {"temperature": 0, "max_tokens": 400, "max_retries": 0}
        return ChatAnthropic(
            base_url=server, api_key="any-word", model=model, **{**defaults, **options}
        )

    return chat


def test_chat_whole_and_streamed_with_the_usage_counted_once(connect):
    question = "What is the capital of France?"
    whole = connect().invoke(question)
    assert "Paris" in whole.text
    total = None
    for chunk in connect().stream(question):
        total = chunk if total is None else total + chunk
    assert total.text == whole.text
    for name in ("input_tokens", "output_tokens", "total_tokens"):
        assert total.usage_metadata[name] == whole.usage_metadata[name] > 0


def test_tool_call_and_its_result(connect):
    bound = connect().bind_tools([get_tide])
    messages = [HumanMessage("Get the tide of Brest")]
    called = bound.invoke(messages)
    assert called.tool_calls[0]["args"] == {"harbour": "Brest"}
    result = get_tide.invoke(called.tool_calls[0])
    assert "high" in bound.invoke([*messages, called, result]).text


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_structured_output(connect, method: str):
    structured = connect().with_structured_output(Sum, method=method)
    assert isinstance(structured.invoke("What is 2 + 3?"), Sum)


def test_thinking(connect):
    thinker = connect(
        temperature=None,
        max_tokens=2000,
        thinking={"type": "enabled", "budget_tokens": 1024},
    )
    answer = thinker.invoke("What is 2 + 3?")
    assert [block["type"] for block in answer.content_blocks] == ["reasoning", "text"]


def test_errors_of_the_server(connect):
    with pytest.raises(anthropic.NotFoundError):
        connect("nobody/nothing").invoke("Hello!")


def test_abort_midway(connect, wait_for_requests):
    running = connect("test/endless", max_tokens=20_000).stream("Tell me a story")
    next(running)
    wait_for_requests("test/endless", 1)
    running.close()
    wait_for_requests("test/endless", 0)
