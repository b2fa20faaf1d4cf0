// A server with the API of OpenAI whose streams have a fixed length and speed, to measure what Hearth itself costs.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Events per second of each stream, events of a stream, and the interval at which streams get events. */
const [eventsPerSecond, events, tickMs = 20] = process.argv.slice(2).map(Number) as [
  number,
  number,
  number | undefined,
];

const model = {
  id: 'scripted',
  object: 'model',
  created: 0,
  owned_by: 'bench',
  max_model_len: 8192,
};
/** Its last character occurs only here in a stream, so that clients can count tokens. */
const token = ' tid~';
/** Number of tokens sent in streams since the start. */
let sent = 0;
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (fields: object) =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'scripted',
    ...fields,
  });
const delta = chunk({
  choices: [{ index: 0, delta: { content: token }, finish_reason: null }],
});

interface Stream {
  readonly response: ServerResponse;
  readonly tokens: number;
  left: number;
  readonly everyMs: number;
  dueMs: number;
}

const streams = new Set<Stream>();
setInterval(() => {
  const now = performance.now();
  for (const stream of streams) {
    if (stream.dueMs > now) continue;
    stream.dueMs += stream.everyMs;
    if (stream.left > 0) {
      stream.left -= 1;
      sent += 1;
      stream.response.write(delta);
      continue;
    }
    streams.delete(stream);
    const { tokens } = stream;
    const usage = { prompt_tokens: 8, completion_tokens: tokens, total_tokens: 8 + tokens };
    stream.response.end(
      `${chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}${chunk({ choices: [], usage })}data: [DONE]\n\n`,
    );
  }
}, tickMs);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += piece;
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'application/json');
    const isCount = request.url === '/sent';
    response.end(JSON.stringify(isCount ? { sent } : { object: 'list', data: [model] }));
    return;
  }
  const { stream, max_tokens: limit = events } = JSON.parse(body);
  if (stream !== true) {
    const message = { role: 'assistant', content: token };
    const usage = { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9 };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...model,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage,
      }),
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const everyMs = 1000 / eventsPerSecond;
  const dueMs = performance.now() + Math.random() * everyMs;
  const added: Stream = { response, tokens: limit, left: limit, everyMs, dueMs };
  streams.add(added);
  response.on('close', () => streams.delete(added));
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
