"""langchain-openai."""

import openai
import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel


class Sum(BaseModel):
    """A sum."""

    answer: int


@tool
def get_tide(harbour: str) -> str:
    """Tide of a harbour"""
    return '{"tide": "high"}'


@pytest.fixture
def connect(base_url: str):
    def chat(model: str = "hearth/starter-chat") -> ChatOpenAI:
        return ChatOpenAI(
            base_url=base_url, api_key="any-word", model=model, temperature=0, max_retries=0
        )

    return chat


def test_chat_whole_and_streamed_with_the_usage_counted_once(connect):
    question = "What is the capital of France?"
    whole = connect().invoke(question)
    assert "Paris" in whole.text
    total = None
    for chunk in connect().stream(question, stream_usage=True):
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


def embeddings(base_url: str, **options) -> OpenAIEmbeddings:
    return OpenAIEmbeddings(
        base_url=base_url, api_key="any-word", model="hearth/starter-embed", max_retries=0, **options
    )


def test_embeddings(base_url: str):
    client = embeddings(base_url, check_embedding_ctx_length=False)
    vectors = client.embed_documents(["The sea is calm.", "The sky is blue."])
    assert [len(each) for each in vectors] == [128, 128]


def test_errors_of_the_server(connect):
    with pytest.raises(openai.NotFoundError) as missing:
        connect("nobody/nothing").invoke("Hello!")
    assert missing.value.code == "model_not_found"


def test_abort_midway(connect, wait_for_requests):
    running = connect("test/endless").stream("Tell me a story")
    next(running)
    wait_for_requests("test/endless", 1)
    running.close()
    wait_for_requests("test/endless", 0)
