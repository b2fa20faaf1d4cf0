"""Starts mlx-lm's own server and adds the features that Hearth needs.

    python3 -I mlx-launcher.py --runtime-folder DIR --model FOLDER --host SOCKET_OR_ADDRESS [--port N] ...

DIR holds the packages. If --host is a path, the server listens on a unix socket, once the model is loaded. Requests need
the key from LLAMA_API_KEY as bearer token. The launcher adds: a limit for the context, the size of the prompt before the
first token, the detection of disconnected clients, a count of tokens (POST /count), llama-server's reports of load
progress, and the exit when standard input closes.
If the server can't start or its generation thread fails, the exit code is 1, and the last line on standard error says why.
"""

import argparse
import copy
import hmac
import json
import os
import re
import select
import signal
import socket
import socketserver
import sys
import threading
import types

PROGRESS_SECONDS = 0.1
STAGES = ["libraries", "weights"]


def parse_arguments():
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    option = parser.add_argument
    option("--runtime-folder", required=True)
    option("--version", action="store_true")
    option("--model", default="")
    option("--host", default="127.0.0.1")
    option("--port", type=int, default=0)
    option("--context-length", type=int, default=0)
    option("--parallel", type=int, default=1)
    option("--prefill-step-size", type=int, default=0)
    option("--prompt-cache-bytes", type=int, default=0)
    option("--sampling", type=json.loads, default={})
    return parser.parse_args()


def report(stage, fraction):
    payload = {"stages": STAGES, "current": stage, "value": fraction}
    state = json.dumps({"state": "loading", "payload": payload})
    print("cmd_child_to_router:state:" + state, flush=True)


def report_weights(mlx, folder, loaded):
    """Reports the loaded share of the weights until all are loaded."""
    names = [name for name in os.listdir(folder) if name.endswith(".safetensors")]
    total = sum(os.path.getsize(os.path.join(folder, name)) for name in names)
    while not loaded.wait(PROGRESS_SECONDS):
        report("weights", min(1, mlx.get_active_memory() / max(1, total)))


def fail(error):
    """Ends the process with a reason in llama-server's wording, which Hearth parses to tell the kind of failure."""
    text = " ".join(str(error).split()) or type(error).__name__
    kind = re.search(r"Model type (\S+) not supported", text)
    if kind:
        text = "unknown model architecture: '" + kind.group(1) + "'"
    elif "allocat" in text.lower():
        text = "out of memory: " + text
    else:
        text = "error loading model: " + text
    print(text, file=sys.stderr, flush=True)
    os._exit(1)


def end_with_standard_input():
    sys.stdin.buffer.read()
    os._exit(0)


def serve(server, arguments, provider):
    loaded = threading.Event()
    counting = threading.Lock()

    class Generator(server.ResponseGenerator):
        def _run_generate(self):
            load_default = provider.load_default

            def load():
                try:
                    load_default()
                    # Only one thread at a time may use a tokenizer, and the original one is used by generations.
                    self.counting_tokenizer = copy.deepcopy(provider.tokenizer)
                except Exception as error:
                    fail(error)
                loaded.set()

            provider.load_default = load
            super()._run_generate()
            # The generation thread has logged an error and ended, so no request would get an answer.
            os._exit(1)

        def _tokenize(self, tokenizer, request, generation):
            found = super()._tokenize(tokenizer, request, generation)
            tokens = len(found[0])
            room = arguments.context_length - tokens
            if tokens == 0:
                raise ValueError("The prompt has no tokens.")
            if room < 1:
                raise ValueError(
                    f"The prompt has {tokens} tokens; the context length is {arguments.context_length}."
                )
            generation.max_tokens = min(generation.max_tokens, room)
            return found

        def count(self, body):
            with counting:
                if "text" in body:
                    return len(self.counting_tokenizer.encode(body["text"], add_special_tokens=False))
                kind = ("chat", "", body["messages"], body.get("tools") or None, None)
                generation = types.SimpleNamespace(
                    chat_template_kwargs=body.get("chat_template_kwargs")
                )
                request = server.CompletionRequest(*kind)
                return len(super()._tokenize(self.counting_tokenizer, request, generation)[0])

        def generate(self, request, generation, progress_callback=None):
            handler = request.handler

            def progress(processed, total):
                handler.assert_connected()
                progress_callback(processed, total)

            context, responses = super().generate(request, generation, progress)

            def checked():
                is_first = True
                for response in responses:
                    handler.assert_connected()
                    if is_first:
                        handler.announce(context)
                    is_first = False
                    yield response

            return context, checked()

    class Handler(server.APIHandler):
        def parse_request(self):
            if not super().parse_request():
                return False
            given = self.headers.get("Authorization", "").encode()
            if hmac.compare_digest(given, authorization):
                return True
            self.send_error(401)
            return False

        def do_POST(self):
            if self.path != "/count":
                return super().do_POST()
            status = 200
            try:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = {"tokens": generator.count(body)}
            except Exception as error:
                status, answer = 400, {"error": str(error)}
            self._set_completion_headers(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def handle_completion(self, request, stop_words):
            request.handler = self
            try:
                super().handle_completion(request, stop_words)
            except ConnectionError:
                raise
            except Exception as error:
                self.send_event({"error": {"message": str(error)}})

        def announce(self, context):
            """Sends the size of the prompt, which the server itself reports only after the last token."""
            event = self.completion_usage_response(len(context.prompt), 0, context.prompt_cache_count)
            del event["usage"]["completion_tokens"]
            self.send_event(event)

        def send_event(self, event):
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()

        def assert_connected(self):
            # A connection that is readable but has no data was closed by the client.
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise BrokenPipeError()

        def log_message(self, *_):
            pass

    class HttpServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
        daemon_threads = True
        request_queue_size = 128
        is_path = os.sep in arguments.host
        address_family = socket.AF_UNIX if is_path else socket.AF_INET
        allow_reuse_address = not is_path

        def handle_error(self, request, client_address):
            if not isinstance(sys.exc_info()[1], ConnectionError):
                super().handle_error(request, client_address)

    authorization = ("Bearer " + os.environ.pop("LLAMA_API_KEY", "")).encode()
    cache = server.LRUPromptCache(max_bytes=arguments.prompt_cache_bytes)
    generator = Generator(provider, cache)
    report_weights(server.mx, arguments.model, loaded)
    fingerprint = server.get_system_fingerprint()
    address = arguments.host if HttpServer.is_path else (arguments.host, arguments.port)

    def handle(*request):
        return Handler(generator, *request, system_fingerprint=fingerprint)

    HttpServer(address, handle).serve_forever()


def main():
    arguments = parse_arguments()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.path.insert(0, arguments.runtime_folder)
    try:
        if arguments.version:
            import mlx.core
            from mlx_lm import server

            print("version: " + server.__version__ + " mlx " + mlx.core.__version__)
            return
        threading.Thread(target=end_with_standard_input, daemon=True).start()
        report("libraries", 0)
        from mlx_lm import server
    except Exception as error:
        fail(error)
    server.run = lambda host, port, provider: serve(server, arguments, provider)
    options = {
        "--model": arguments.model,
        "--host": arguments.host,
        "--allowed-origins": "",
        "--log-level": "ERROR",
        "--max-tokens": arguments.context_length,
        "--decode-concurrency": arguments.parallel,
        "--prompt-concurrency": arguments.parallel,
        "--prefill-step-size": arguments.prefill_step_size,
        **{"--" + name: value for name, value in arguments.sampling.items()},
    }
    sys.argv = ["mlx_lm.server", *(str(part) for option in options.items() for part in option)]
    server.main()


main()
