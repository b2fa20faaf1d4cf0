"""LiteLLM's proxy in front of the server, used with OpenAI's client."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from openai import APIStatusError, OpenAI

MODELS = {"chat": "hearth/starter-chat", "endless": "test/endless", "missing": "nobody/nothing"}
# The proxy does not start without one.
KEY = "sk-proxy"
QUESTION = [{"role": "user", "content": "What is the capital of France?"}]
TIDE_TOOL = {
    "type": "function",
    "function": {
        "name": "get_tide",
        "description": "Tide of a harbour",
        "parameters": {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": ["harbour"]},
    },
}


def configuration(server: str) -> str:
    parameters = f'api_base: "{server}/v1", api_key: any, max_retries: 0'
    lines = [
        f'  - {{model_name: {name}, litellm_params: {{model: "openai/{model}", {parameters}}}}}'
        for name, model in {**MODELS, "embed": "hearth/starter-embed"}.items()
    ]
    return "\n".join(["model_list:", *lines, "router_settings: {num_retries: 0}"])


@pytest.fixture(scope="module")
def client(server: str, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("proxy")
    (folder / "config.yaml").write_text(configuration(server))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    program = str(Path(sys.executable).with_name("litellm"))
    options = ["--config", "config.yaml", "--host", "127.0.0.1", "--port", port, "--telemetry", "False"]
    environment = {
        **os.environ,
        "HOME": str(folder),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MASTER_KEY": KEY,
    }
    with (folder / "log").open("w") as log:
        proxy = subprocess.Popen([program, *options], cwd=folder, env=environment, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(1200):
            assert proxy.poll() is None, (folder / "log").read_text()
            try:
                urllib.request.urlopen(f"{url}/health/liveliness").close()
                break
            except OSError:
                time.sleep(0.1)
        yield OpenAI(base_url=url, api_key=KEY, max_retries=0)
    finally:
        proxy.terminate()
        proxy.wait()


def test_chat_and_stream_with_usage(client: OpenAI):
    whole = client.chat.completions.create(model="chat", messages=QUESTION, temperature=0)
    assert "Paris" in whole.choices[0].message.content
    chunks = list(
        client.chat.completions.create(
            model="chat", messages=QUESTION, temperature=0, stream=True, stream_options={"include_usage": True}
        )
    )
    text = "".join(each.choices[0].delta.content or "" for each in chunks if each.choices)
    assert text == whole.choices[0].message.content
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens > 0


def test_tools_in_two_rounds(client: OpenAI):
    request = {"model": "chat", "temperature": 0, "tools": [TIDE_TOOL]}
    messages = [{"role": "user", "content": "Get the tide of Brest"}]
    called = client.chat.completions.create(**request, messages=messages).choices[0].message
    result = {
        "role": "tool",
        "tool_call_id": called.tool_calls[0].id,
        "content": '{"harbour": "Brest", "tide": "high"}',
    }
    answer = client.chat.completions.create(**request, messages=[*messages, called, result])
    assert "high" in answer.choices[0].message.content


def test_embeddings(client: OpenAI):
    result = client.embeddings.create(model="embed", input=["The sea is calm.", "The sky is blue."])
    assert [len(each.embedding) for each in result.data] == [128, 128]


def test_errors_and_long_context(client: OpenAI):
    with pytest.raises(APIStatusError) as missing:
        client.chat.completions.create(model="missing", messages=QUESTION)
    assert missing.value.status_code == 404
    long = [{"role": "user", "content": "word " * 20_000}]
    with pytest.raises(APIStatusError) as full:
        client.chat.completions.create(model="chat", messages=long)
    assert full.value.status_code == 400


def test_abort_midway(client: OpenAI, wait_for_requests):
    with client.chat.completions.create(model="endless", messages=QUESTION, stream=True) as running:
        next(iter(running))
        wait_for_requests("test/endless", 1)
    wait_for_requests("test/endless", 0)
