"""A small server with OpenAI's endpoint for transcriptions, on the recognizer pocketsphinx and its model of English."""

import array
import io
import json
import wave
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, HTTPServer

from pocketsphinx import Decoder

RATE = 16_000


def samples_of(content):
    """The samples of a WAV file of one channel, at the rate of the model."""
    with wave.open(io.BytesIO(content)) as audio:
        rate = audio.getframerate()
        samples = array.array("h", audio.readframes(audio.getnframes()))
    step = rate / RATE
    length = int((len(samples) - 1) / step)
    positions = ((int(index * step), index * step % 1) for index in range(length))
    mixed = (samples[at] * (1 - part) + samples[at + 1] * part for at, part in positions)
    return array.array("h", (int(sample) for sample in mixed)).tobytes()


def recognize(content):
    decoder = Decoder(samprate=RATE)
    decoder.start_utt()
    decoder.process_raw(samples_of(content), full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return found.hypstr if found else ""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.reply({"object": "list", "data": [{"id": "pocketsphinx"}]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        form = BytesParser(policy=HTTP).parsebytes(head + body)
        fields = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in form.iter_parts()
        }
        self.reply({"text": recognize(fields["file"])})

    def reply(self, body):
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
