"""Prints an answer while the model generates it. Uses the standard library only."""

import json
import os
import urllib.request

URL = os.environ.get("HEARTH_URL", "http://127.0.0.1:1234")

request = urllib.request.Request(
    f"{URL}/api/v1/chat",
    data=json.dumps(
        {
            "model": "hearth/starter-chat",
            "input": "Count from 3 to 9.",
            "temperature": 0,
            "reasoning": "off",
            "stream": True,
        }
    ).encode(),
    headers={"Content-Type": "application/json"},
)

with urllib.request.urlopen(request) as response:
    for line in response:
        if not line.startswith(b"data: "):
            continue
        event = json.loads(line.removeprefix(b"data: "))
        if event["type"] == "message.delta":
            print(event["content"], end="", flush=True)
        elif event["type"] == "error":
            raise SystemExit(event["error"]["message"])
print()
