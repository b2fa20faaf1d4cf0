"""Chats through the client of openapi-generator and prints what the test compares."""

import json
import sys

from hearth_generator_client import (
    ApiClient,
    ApiException,
    ChatInput,
    ChatRequest,
    Configuration,
    InputItem,
    MessageOutput,
    ReasoningLevel,
    TextInput,
    V0Api,
    V0ChatRequest,
    V0UserContent,
    V0Message,
    V0UserMessage,
    V1Api,
)

model = "hearth/starter-chat"

with ApiClient(Configuration(host=sys.argv[1])) as client:
    v1 = V1Api(client)
    first = v1.create_chat(
        ChatRequest(
            model=model,
            input=ChatInput("Hello!"),
            reasoning=ReasoningLevel.OFF,
            max_output_tokens=32,
        )
    )
    item = first.output[0].actual_instance
    assert isinstance(item, MessageOutput)

    second = v1.create_chat(
        ChatRequest(
            model=model,
            input=ChatInput(
                [InputItem(TextInput(type="text", content="And who are you?"))]
            ),
            reasoning=ReasoningLevel.OFF,
            max_output_tokens=32,
            previous_response_id=first.response_id,
        )
    )
    stored = v1.get_response(second.response_id)

    completion = V0Api(client).create_chat_completion_v0(
        V0ChatRequest(
            model=model,
            messages=[V0Message(V0UserMessage(role="user", content=V0UserContent("Hello!")))],
            max_tokens=32,
        )
    )

    try:
        v1.create_chat(
            ChatRequest(model="nobody/nothing", input=ChatInput("Hello!"))
        )
        code = None
    except ApiException as refused:
        code = refused.data.error.code

    print(
        json.dumps(
            {
                "text": item.content,
                "continues": stored.previous_response_id == first.response_id,
                "completion": completion.choices[0].message.role,
                "error": code,
            }
        )
    )
