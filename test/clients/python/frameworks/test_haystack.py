"""Haystack."""

import base64

import openai
import pytest
from haystack.components.agents import Agent
from haystack.components.embedders import OpenAIDocumentEmbedder, OpenAITextEmbedder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, Document, ImageContent
from haystack.tools import tool
from haystack.utils import Secret
from pydantic import BaseModel

KEY = Secret.from_token("any")
QUESTION = [ChatMessage.from_user("What is the capital of France?")]


class Sum(BaseModel):
    answer: int


@pytest.fixture
def connect(server: str):
    def generator(name: str = "hearth/starter-chat", **options) -> OpenAIChatGenerator:
        settings = {"temperature": 0, **options.pop("settings", {})}
        return OpenAIChatGenerator(
            api_key=KEY, model=name, api_base_url=f"{server}/v1", generation_kwargs=settings, max_retries=0, **options
        )

    return generator


def test_chat_and_stream_with_usage(connect):
    whole = connect().run(QUESTION)["replies"][0]
    assert "Paris" in whole.text
    parts = []
    streamed = connect(streaming_callback=lambda chunk: parts.append(chunk.content)).run(QUESTION)["replies"][0]
    assert "".join(parts) == streamed.text == whole.text
    assert whole.meta["usage"]["completion_tokens"] > 0


def test_tools_in_two_rounds_of_an_agent(connect):
    @tool
    def get_tide(harbour: str) -> str:
        """Tide of a harbour"""
        return f'{{"harbour": "{harbour}", "tide": "high"}}'

    agent = Agent(chat_generator=connect(), tools=[get_tide])
    messages = agent.run(messages=[ChatMessage.from_user("Get the tide of Brest")])["messages"]
    assert messages[1].tool_calls[0].arguments == {"harbour": "Brest"}
    assert "high" in messages[-1].text


def test_structured_output(connect):
    reply = connect(settings={"response_format": Sum}).run(QUESTION)["replies"][0]
    assert Sum.model_validate_json(reply.text)


def test_picture(connect, red_picture: bytes):
    picture = ImageContent(base64_image=base64.b64encode(red_picture).decode(), mime_type="image/png")
    message = ChatMessage.from_user(content_parts=[picture, "What colour is the picture?"])
    assert "red" in connect("hearth/starter-vision").run([message])["replies"][0].text.lower()


def test_embeddings(server: str):
    options = {"api_key": KEY, "model": "hearth/starter-embed", "api_base_url": f"{server}/v1"}
    assert len(OpenAITextEmbedder(**options).run("The sea is calm.")["embedding"]) == 128
    documents = OpenAIDocumentEmbedder(**options, progress_bar=False).run([Document(content="The sky is blue.")])
    assert len(documents["documents"][0].embedding) == 128


def test_errors_and_long_context(connect):
    with pytest.raises(openai.NotFoundError):
        connect("nobody/nothing").run(QUESTION)
    with pytest.raises(openai.BadRequestError) as full:
        connect().run([ChatMessage.from_user("word " * 20_000)])
    assert full.value.code == "context_length_exceeded"


def test_abort_midway(connect, wait_for_requests):
    class Stopped(Exception):
        pass

    def stop(_chunk):
        wait_for_requests("test/endless", 1)
        raise Stopped

    generator = connect("test/endless", streaming_callback=stop)
    with pytest.raises(Stopped):
        generator.run(QUESTION)
    generator.client.close()
    wait_for_requests("test/endless", 0)
