"""The official SDK of the Model Context Protocol, over both transports and in both versions of the protocol."""

from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters

CHAT_MODEL = "hearth/starter-chat"
PROGRAM = Path(__file__).parents[4] / "dist/cli/main.js"
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["http auto", "http legacy", "stdio auto", "stdio legacy"])
def connect(request: pytest.FixtureRequest, server: str):
    transport, mode = request.param.split()
    arguments = [str(PROGRAM), "mcp", "serve", "--host", server]
    target = f"{server}/mcp"
    if transport == "stdio":
        target = StdioServerParameters(command="node", args=arguments)
    return lambda: Client(target, mode=mode)


async def test_tools_list(connect):
    async with connect() as client:
        assert client.server_info.name == "hearth"
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["chat"].annotations.read_only_hint is False
        assert tools["list_models"].annotations.read_only_hint is True
        listed = (await client.call_tool("list_models", {})).structured_content
        assert CHAT_MODEL in [model["key"] for model in listed["models"]]


async def test_chat_with_progress(connect):
    states = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        states.append((progress, message))

    async with connect() as client:
        arguments = {"model": CHAT_MODEL, "input": "My name is Ada.", "reasoning": "off"}
        first = await client.call_tool("chat", arguments, progress_callback=note)
        assert "Ada" in first.structured_content["answer"]
        assert states and all(message for _, message in states)
        arguments["input"] = "What is my name?"
        arguments["previous_response_id"] = first.structured_content["response_id"]
        second = await client.call_tool("chat", arguments)
        assert second.structured_content["answer"] == "Your name is Ada."


async def test_embeddings(connect):
    async with connect() as client:
        arguments = {"model": "hearth/starter-embed", "texts": ["The sea.", "The sky."]}
        result = await client.call_tool("embed", arguments)
        assert [len(vector) for vector in result.structured_content["vectors"]] == [128, 128]


async def test_errors(connect):
    async with connect() as client:
        result = await client.call_tool("chat", {"model": "nobody/nothing", "input": "Hello!"})
        assert result.is_error
        assert result.content[0].text.endswith("(model_not_found)")
        with pytest.raises(MCPError, match="There is no tool"):
            await client.call_tool("absent", {})


async def test_abort(connect, wait_for_requests):
    async with connect() as client:
        async with anyio.create_task_group() as tasks:
            arguments = {"model": "test/endless", "input": "Hello!"}
            tasks.start_soon(client.call_tool, "chat", arguments)
            await anyio.to_thread.run_sync(wait_for_requests, "test/endless", 1)
            tasks.cancel_scope.cancel()
        await anyio.to_thread.run_sync(wait_for_requests, "test/endless", 0)
