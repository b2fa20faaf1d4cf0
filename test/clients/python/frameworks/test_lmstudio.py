"""The SDK of LM Studio, which speaks a protocol over WebSocket that Hearth does not have: docs/adr/0027-websocket-sdks.md."""

from urllib.parse import urlparse

import lmstudio
import pytest


def test_errors_say_that_there_is_no_websocket(server: str):
    with pytest.raises(lmstudio.LMStudioWebsocketError, match=r"501 Not Implemented"):
        lmstudio.Client(urlparse(server).netloc).llm.model("hearth/starter-chat")
