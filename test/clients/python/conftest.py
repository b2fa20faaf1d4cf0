"""Fixtures that the tests of all clients share."""

import json
import os
import struct
import time
import urllib.request
import zlib

import pytest


@pytest.fixture(scope="session")
def server() -> str:
    """URL of a server with the starter models and `test/endless`, a model that never stops."""
    return os.environ["HEARTH_URL"]


@pytest.fixture(params=["/api/v0", "/v1"])
def base_url(request: pytest.FixtureRequest, server: str) -> str:
    """URL of each surface in the shapes of OpenAI."""
    return server + request.param


@pytest.fixture
def wait_for_requests(server: str):
    """Waits until a model works on so many requests."""

    def wait(model: str, count: int) -> None:
        for _ in range(1000):
            with urllib.request.urlopen(f"{server}/api/v1/status") as response:
                instances = json.load(response)["instances"]
            if any(each["id"] == model and each["active_requests"] == count for each in instances):
                return
            time.sleep(0.01)
        raise AssertionError(f"{model} never had {count} requests")

    return wait


@pytest.fixture(scope="session")
def red_picture() -> bytes:
    """A PNG of one colour."""
    size = 56

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xff\0\0" * size) * size)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
