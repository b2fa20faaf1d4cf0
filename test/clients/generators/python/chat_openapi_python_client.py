"""Chats through the client of openapi-python-client and prints what the test compares."""

import json
import sys

from hearth_python_client import Client
from hearth_python_client.api.v0 import create_chat_completion_v0
from hearth_python_client.api.v1 import create_chat, get_response
from hearth_python_client.models import (
    ChatRequest,
    ChatResult,
    Error,
    MessageOutput,
    ReasoningLevel,
    TextInput,
    TextInputType,
    V0ChatRequest,
    V0UserMessage,
)

client = Client(base_url=sys.argv[1])
model = "hearth/starter-chat"

first = create_chat.sync(
    client=client,
    body=ChatRequest(
        model=model, input_="Hello!", reasoning=ReasoningLevel.OFF, max_output_tokens=32
    ),
)
assert isinstance(first, ChatResult)
[item] = first.output
assert isinstance(item, MessageOutput)

second = create_chat.sync(
    client=client,
    body=ChatRequest(
        model=model,
        input_=[TextInput(type_=TextInputType.TEXT, content="And who are you?")],
        reasoning=ReasoningLevel.OFF,
        max_output_tokens=32,
        previous_response_id=first.response_id,
    ),
)
stored = get_response.sync(second.response_id, client=client)

completion = create_chat_completion_v0.sync(
    client=client,
    body=V0ChatRequest(
        model=model,
        messages=[V0UserMessage(role="user", content="Hello!")],
        max_tokens=32,
    ),
)

refused = create_chat.sync(
    client=client, body=ChatRequest(model="nobody/nothing", input_="Hello!")
)
assert isinstance(refused, Error)

print(
    json.dumps(
        {
            "text": item.content,
            "continues": stored.previous_response_id == first.response_id,
            "completion": completion.choices[0].message.role,
            "error": refused.error.code,
        }
    )
)
