"""Sends one message and prints the answer. Uses the standard library only."""

import json
import os
import urllib.error
import urllib.request

URL = os.environ.get("HEARTH_URL", "http://127.0.0.1:1234")


def chat(text, previous_response_id=None):
    body = {
        "model": "hearth/starter-chat",
        "input": text,
        "temperature": 0,
        "reasoning": "off",
    }
    if previous_response_id is not None:
        body["previous_response_id"] = previous_response_id
    request = urllib.request.Request(
        f"{URL}/api/v1/chat",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise SystemExit(json.load(error)["error"]["message"]) from error


first = chat("My name is Ada.")
second = chat("What is my name?", first["response_id"])
print(second["output"][0]["content"])
