"""smolagents."""

from io import BytesIO

import openai
import pytest
from PIL import Image
from smolagents import OpenAIModel, tool
from smolagents.models import ChatMessage, MessageRole, parse_json_if_needed

QUESTION = ChatMessage(MessageRole.USER, [{"type": "text", "text": "What is the capital of France?"}])


@pytest.fixture
def connect(server: str):
    def model(name: str = "hearth/starter-chat") -> OpenAIModel:
        return OpenAIModel(
            model_id=name, api_base=f"{server}/v1", api_key="any", temperature=0, client_kwargs={"max_retries": 0}
        )

    return model


def test_chat_and_stream_with_usage(connect):
    whole = connect().generate([QUESTION])
    assert "Paris" in whole.content
    deltas = list(connect().generate_stream([QUESTION]))
    assert "".join(each.content or "" for each in deltas) == whole.content
    counted = [each.token_usage for each in deltas if each.token_usage]
    assert counted[-1].output_tokens == whole.token_usage.output_tokens > 0


@tool
def get_tide(harbour: str) -> str:
    """Tide of a harbour

    Args:
        harbour: Name of the harbour.
    """
    return f'{{"harbour": "{harbour}", "tide": "high"}}'


def test_tools_in_two_rounds(connect):
    question = ChatMessage(MessageRole.USER, [{"type": "text", "text": "Get the tide of Brest"}])
    called = connect().generate([question], tools_to_call_from=[get_tide])
    (call,) = called.tool_calls
    assert call.function.name == "get_tide"
    arguments = parse_json_if_needed(call.function.arguments)
    result = ChatMessage(MessageRole.TOOL_RESPONSE, [{"type": "text", "text": get_tide(**arguments)}])
    answer = connect().generate([question, called, result], tools_to_call_from=[get_tide], tool_choice="auto")
    assert answer.content or answer.tool_calls


def test_structured_output(connect):
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "integer"}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "sum", "schema": schema, "strict": True}}
    assert '"answer"' in connect().generate([QUESTION], response_format=form).content


def test_picture(connect, red_picture: bytes):
    content = [
        {"type": "image", "image": Image.open(BytesIO(red_picture))},
        {"type": "text", "text": "What colour is the picture?"},
    ]
    answer = connect("hearth/starter-vision").generate([ChatMessage(MessageRole.USER, content)])
    assert "red" in answer.content.lower()


def test_errors_and_long_context(connect):
    with pytest.raises(openai.NotFoundError) as missing:
        connect("nobody/nothing").generate([QUESTION])
    assert missing.value.code == "model_not_found"
    long = ChatMessage(MessageRole.USER, [{"type": "text", "text": "word " * 20_000}])
    with pytest.raises(openai.BadRequestError) as full:
        connect().generate([long])
    assert full.value.code == "context_length_exceeded"


def test_abort_midway(connect, wait_for_requests):
    model = connect("test/endless")
    next(model.generate_stream([QUESTION]))
    wait_for_requests("test/endless", 1)
    model.client.close()
    wait_for_requests("test/endless", 0)
