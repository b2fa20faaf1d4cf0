"""A Ray Serve application whose replicas each run one llama-server."""

import asyncio
import os
import shlex
import socket

import aiohttp
from ray import serve
from ray.serve import Application
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

PASSED_HEADERS = ("content-type", "authorization")


@serve.deployment
class Replica:
    async def __init__(self, command: list[str]):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.engine = await asyncio.create_subprocess_exec(*command, "--host", "127.0.0.1", "--port", str(port))
        self.http = aiohttp.ClientSession(
            f"http://127.0.0.1:{port}",
            timeout=aiohttp.ClientTimeout(total=None),
            # llama-server closes connections after streams, perhaps just as they are used again.
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
        )
        self.watch = asyncio.create_task(self.end_with_engine())
        while not await self.is_ready():
            await asyncio.sleep(0.1)

    async def end_with_engine(self) -> None:
        """Ray sends no requests to a replica that ended, and starts another one."""
        await self.engine.wait()
        os._exit(1)

    async def is_ready(self) -> bool:
        try:
            async with self.http.get("/health") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    async def __call__(self, request: Request) -> Response:
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        headers = {name: request.headers[name] for name in PASSED_HEADERS if name in request.headers}
        answer = await self.http.request(request.method, target, data=await request.body(), headers=headers)
        return StreamingResponse(pieces(answer), answer.status, media_type=answer.headers.get("content-type"))


async def pieces(answer: aiohttp.ClientResponse):
    """Closes the connection if the client leaves, which ends the generation."""
    async with answer:
        async for piece in answer.content.iter_any():
            yield piece


def build(options: dict[str, str]) -> Application:
    """Options are those of llama-server; $NAME stands for a variable of the machine that builds the application."""
    engine = shlex.split(os.environ.get("ENGINE", "llama-server"))
    arguments = [os.path.expandvars(part) for name, value in options.items() for part in (f"--{name}", str(value))]
    return Replica.bind([*engine, *arguments, "--no-webui", "--offline", "--jinja"])
