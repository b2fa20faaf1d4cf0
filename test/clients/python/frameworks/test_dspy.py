"""DSPy."""

import dspy
import pytest
from pydantic import BaseModel


@pytest.fixture
def connect(server: str):
    def model(name: str = "hearth/starter-chat") -> dspy.LM:
        return dspy.LM(
            f"openai/{name}",
            api_base=f"{server}/v1",
            api_key="any",
            temperature=0,
            max_tokens=100,
            extra_body={"reasoning_effort": "none"},
            cache=False,
            num_retries=0,
        )

    return model


def test_chat_with_usage(connect):
    model = connect()
    assert "Paris" in model("What is the capital of France?")[0]
    assert model.history[-1]["usage"]["completion_tokens"] > 0


class Sum(BaseModel):
    answer: int


def test_structured_output(connect):
    (answer,) = connect()("What is 2 + 3?", response_format=Sum)
    assert Sum.model_validate_json(answer)


def test_errors_and_long_context(connect):
    with pytest.raises(Exception, match="nobody/nothing"):
        connect("nobody/nothing")("Hello!")
    with pytest.raises(Exception, match="context"):
        connect()("word " * 20_000)


def test_embeddings(server: str):
    embed = dspy.Embedder("openai/hearth/starter-embed", api_base=f"{server}/v1", api_key="any", caching=False)
    assert embed(["The sea is calm.", "The sky is blue."]).shape == (2, 128)
