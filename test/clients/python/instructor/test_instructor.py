"""Instructor, over the clients of OpenAI."""

import instructor
import pytest
from instructor.core import InstructorRetryException
from openai import OpenAI
from pydantic import BaseModel


class Sum(BaseModel):
    answer: int


MODES = [instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA]
QUESTION = [{"role": "user", "content": "What is 2 + 3?"}]
MODEL = "hearth/starter-chat"


@pytest.fixture(params=MODES)
def client(request, server: str) -> instructor.Instructor:
    return instructor.from_openai(
        OpenAI(base_url=f"{server}/v1", api_key="any", max_retries=0), mode=request.param
    )


def test_structured_output(client):
    settings = {"max_tokens": 200, "temperature": 0, "extra_body": {"reasoning_effort": "none"}, "max_retries": 1}
    answer = client.create(model=MODEL, response_model=Sum, messages=QUESTION, **settings)
    assert isinstance(answer, Sum)


def test_structured_output_in_a_stream(client):
    settings = {"max_tokens": 200, "temperature": 0, "extra_body": {"reasoning_effort": "none"}}
    parts = list(client.create_partial(model=MODEL, response_model=Sum, messages=QUESTION, **settings))
    assert isinstance(parts[-1].answer, int)


def test_errors(client):
    with pytest.raises(InstructorRetryException, match="nobody/nothing"):
        client.create(model="nobody/nothing", response_model=Sum, messages=QUESTION, max_retries=1)
