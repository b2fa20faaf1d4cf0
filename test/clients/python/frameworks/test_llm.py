"""The library and command llm, with the models that a user adds to extra-openai-models.yaml."""

import subprocess
import sys

import llm
import openai
import pytest
from pydantic import BaseModel

SERVED = ("hearth/starter-chat", "hearth/starter-vision", "test/endless", "nobody/nothing")


class Sum(BaseModel):
    answer: int


@pytest.fixture
def connect(server: str, tmp_path, monkeypatch: pytest.MonkeyPatch):
    options = f"api_base: {server}/v1, supports_tools: true, supports_schema: true, vision: true"
    models = [f'- {{model_id: "mine/{name}", model_name: "{name}", {options}}}' for name in SERVED]
    (tmp_path / "extra-openai-models.yaml").write_text("\n".join(models))
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))

    def model(name: str = "hearth/starter-chat") -> llm.Model:
        found = llm.get_model(f"mine/{name}")
        found.key = "any"
        return found

    return model


def test_chat_and_stream_with_usage(connect):
    whole = connect().prompt("What is the capital of France?", stream=False, temperature=0)
    assert "Paris" in whole.text()
    streamed = connect().prompt("What is the capital of France?", temperature=0)
    assert "".join(streamed) == whole.text()
    assert streamed.usage().output == whole.usage().output > 0


def test_tools_in_two_rounds(connect):
    def get_tide(harbour: str) -> str:
        """Tide of a harbour"""
        return f'{{"harbour": "{harbour}", "tide": "high"}}'

    chain = connect().chain("Get the tide of Brest", tools=[get_tide], options={"temperature": 0})
    assert "high" in chain.text()


def test_structured_output(connect):
    answer = connect().prompt("What is 2 + 3?", schema=Sum, temperature=0)
    assert Sum.model_validate_json(answer.text())


def test_picture(connect, red_picture: bytes):
    picture = llm.Attachment(type="image/png", content=red_picture)
    answer = connect("hearth/starter-vision").prompt("What colour is the picture?", attachments=[picture], temperature=0)
    assert "red" in answer.text().lower()


def test_errors_and_long_context(connect):
    with pytest.raises(openai.NotFoundError):
        connect("nobody/nothing").prompt("Hello!").text()
    with pytest.raises(openai.APIError, match="4096"):
        connect().prompt("word " * 20_000).text()


def test_abort_of_the_command(connect, wait_for_requests):
    assert connect("test/endless")
    command = [sys.executable, "-m", "llm", "-m", "mine/test/endless", "--key", "any", "Tell me a story"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as running:
        wait_for_requests("test/endless", 1)
        running.terminate()
    wait_for_requests("test/endless", 0)
