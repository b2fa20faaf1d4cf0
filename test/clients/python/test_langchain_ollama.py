"""LangChain with its package for Ollama."""

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_ollama import ChatOllama, OllamaEmbeddings
from ollama import ResponseError
from pydantic import BaseModel


class Sum(BaseModel):
    answer: int


@tool
def get_tide(harbour: str) -> str:
    """Tide of a harbour"""
    return f'{{"harbour":"{harbour}","tide":"high"}}'


@pytest.fixture
def model(server: str) -> ChatOllama:
    return ChatOllama(
        base_url=server,
        model="hearth/starter-chat",
        temperature=0,
        reasoning=False,
        validate_model_on_init=True,
    )


def test_chat_whole_and_streamed_with_the_usage_once(model: ChatOllama):
    question = "What is the capital of France?"
    whole = model.invoke(question)
    assert "Paris" in whole.content
    parts = list(model.stream(question))
    assert "".join(each.content for each in parts) == whole.content
    usages = [each.usage_metadata for each in parts if each.usage_metadata]
    assert len(usages) == 1
    assert usages[0]["output_tokens"] == whole.usage_metadata["output_tokens"]


def test_tools(model: ChatOllama):
    with_tools = model.bind_tools([get_tide])
    question = HumanMessage("Get the tide of Brest")
    first = with_tools.invoke([question])
    (call,) = first.tool_calls
    result = get_tide.invoke(call)
    assert isinstance(result, ToolMessage)
    assert "high" in with_tools.invoke([question, first, result]).content


def test_structured_output(model: ChatOllama):
    answer = model.with_structured_output(Sum).invoke("Add 2 and 3")
    assert isinstance(answer, Sum)


def test_embeddings(server: str):
    embeddings = OllamaEmbeddings(base_url=server, model="starter-embed")
    vectors = embeddings.embed_documents(["sea", "sand"])
    assert len(vectors) == 2
    assert len(embeddings.embed_query("sea")) == len(vectors[0])


def test_errors_of_the_server(server: str):
    missing = ChatOllama(base_url=server, model="nobody/nothing")
    with pytest.raises(ResponseError) as failure:
        missing.invoke("Hello!")
    assert failure.value.status_code == 404


def test_abort_midway(server: str, wait_for_requests):
    running = ChatOllama(base_url=server, model="test/endless").stream("Tell me a story")
    next(running)
    wait_for_requests("test/endless", 1)
    running.close()
    wait_for_requests("test/endless", 0)
