"""LlamaIndex with its packages for Ollama."""

import pytest
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.ollama import OllamaEmbedding
from llama_index.llms.ollama import Ollama
from ollama import ResponseError
from pydantic import BaseModel

QUESTION = "What is the capital of France?"


class Sum(BaseModel):
    answer: int


def get_tide(harbour: str) -> str:
    """Tide of a harbour"""
    return f'{{"harbour":"{harbour}","tide":"high"}}'


@pytest.fixture
def model(server: str) -> Ollama:
    return Ollama(
        base_url=server, model="hearth/starter-chat", temperature=0, context_window=4096, thinking=False
    )


def test_chat_whole_and_streamed(model: Ollama) -> None:
    whole = model.chat([ChatMessage(role="user", content=QUESTION)])
    assert "Paris" in whole.message.content
    parts = list(model.stream_chat([ChatMessage(role="user", content=QUESTION)]))
    assert parts[-1].message.content == whole.message.content
    assert whole.raw["usage"]["completion_tokens"] == parts[-1].raw["usage"]["completion_tokens"] > 0
    assert "Paris" in model.complete(QUESTION).text


def test_tool_call_and_answers_from_its_result(model: Ollama) -> None:
    tool = FunctionTool.from_defaults(get_tide)
    messages = [ChatMessage(role="user", content="Get the tide of Brest")]
    called = model.chat_with_tools([tool], chat_history=messages)
    [call] = model.get_tool_calls_from_response(called)
    assert (call.tool_name, call.tool_kwargs) == ("get_tide", {"harbour": "Brest"})
    result = tool.call(**call.tool_kwargs).content
    messages += [
        called.message,
        ChatMessage(role="tool", content=result, additional_kwargs={"tool_call_id": call.tool_id}),
    ]
    answer = model.chat_with_tools([tool], chat_history=messages)
    assert "high" in answer.message.content


def test_structured_output(model: Ollama) -> None:
    answer = model.as_structured_llm(Sum).chat([ChatMessage(role="user", content="What is 2 + 3?")])
    assert isinstance(answer.raw, Sum)


def test_embeds(server: str) -> None:
    embeddings = OllamaEmbedding(base_url=server, model_name="hearth/starter-embed")
    vectors = embeddings.get_text_embedding_batch(["The sea is calm.", "The sky is blue."])
    assert [len(vector) for vector in vectors] == [128, 128]


def test_errors_of_the_server(server: str) -> None:
    missing = Ollama(base_url=server, model="nobody/nothing")
    with pytest.raises(ResponseError) as failure:
        missing.chat([ChatMessage(role="user", content="Hello!")])
    assert failure.value.status_code == 404


def test_stops_the_generation_when_the_stream_is_closed(server: str, wait_for_requests) -> None:
    # By default it asks for the longest context of the model, which takes more memory than there is.
    endless = Ollama(base_url=server, model="test/endless", context_window=4096)
    running = endless.stream_complete("Tell me a story")
    next(running)
    wait_for_requests("test/endless", 1)
    running.close()
    wait_for_requests("test/endless", 0)
