"""The official client of PyPI."""

import json

import pytest
from ollama import Client, ResponseError
from pydantic import BaseModel

MODEL = "starter-chat"
QUESTION = {
    "model": MODEL,
    "think": False,
    "options": {"temperature": 0},
    "messages": [{"role": "user", "content": "What is the capital of France?"}],
}


class Sum(BaseModel):
    answer: int


@pytest.fixture
def client(server: str) -> Client:
    return Client(host=server)


def test_chat_whole_and_streamed_with_the_usage_once(client: Client):
    whole = client.chat(**QUESTION)
    assert "Paris" in whole.message.content
    parts = list(client.chat(**QUESTION, stream=True))
    assert "".join(each.message.content or "" for each in parts) == whole.message.content
    counted = [each.eval_count for each in parts if each.eval_count is not None]
    assert counted == [whole.eval_count]
    assert parts[-1].done_reason == "stop"


def test_tools(client: Client):
    def get_tide(harbour: str) -> str:
        """Tide of a harbour

        Args:
            harbour: Name of the harbour
        """
        return json.dumps({"harbour": harbour, "tide": "high"})

    messages = [{"role": "user", "content": "Get the tide of Brest"}]
    request = {**QUESTION, "tools": [get_tide]}
    first = client.chat(**{**request, "messages": messages})
    (call,) = first.message.tool_calls
    assert call.function.name == "get_tide"
    result = get_tide(**call.function.arguments)
    messages += [first.message, {"role": "tool", "tool_name": "get_tide", "content": result}]
    second = client.chat(**{**request, "messages": messages})
    assert "high" in second.message.content


def test_structured_output(client: Client):
    messages = [{"role": "user", "content": "Add 2 and 3"}]
    answer = client.chat(**{**QUESTION, "messages": messages}, format=Sum.model_json_schema())
    assert isinstance(Sum.model_validate_json(answer.message.content).answer, int)


def test_generate(client: Client):
    answer = client.generate(model=MODEL, prompt="My name is Zorbek.", think=True)
    assert answer.done
    assert "Zorbek" in answer.thinking


def test_embeddings(client: Client):
    embeddings = client.embed(model="starter-embed", input=["sea", "sand"]).embeddings
    assert len(embeddings) == 2
    assert len(client.embeddings(model="starter-embed", prompt="sea").embedding) == len(
        embeddings[0]
    )


def test_models(client: Client):
    client.copy(MODEL, "copied")
    assert "copied:latest" in [each.model for each in client.list().models]
    assert "tools" in client.show("copied").capabilities
    client.delete("copied")
    with pytest.raises(ResponseError) as raised:
        client.show("copied")
    assert raised.value.status_code == 404
    client.chat(**QUESTION)
    assert client.ps().models[0].context_length > 0


def test_errors(client: Client):
    with pytest.raises(ResponseError, match="the nearest is") as raised:
        client.chat(**{**QUESTION, "model": "startr-chat"})
    assert raised.value.status_code == 404
    with pytest.raises(ResponseError) as raised:
        list(client.chat(**{**QUESTION, "messages": [{"role": "tool", "content": "1"}]}, stream=True))
    assert raised.value.status_code == 400
    with pytest.raises(ResponseError, match="mirostat") as raised:
        client.chat(**{**QUESTION, "options": {"mirostat": 2}})
    assert raised.value.status_code == 400


def test_abort_stops_the_generation(client: Client, wait_for_requests):
    parts = client.chat(**{**QUESTION, "model": "test/endless"}, stream=True)
    next(iter(parts))
    wait_for_requests("test/endless", 1)
    parts.close()
    wait_for_requests("test/endless", 0)
