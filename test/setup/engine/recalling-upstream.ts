import type { ServerResponse } from 'node:http';
import { sendJson, startLoopbackServer } from '../net/loopback-server.ts';

/** The model's own name. */
export const recallingModel = 'recall';
const pieceMs = 25;

/** The message of a turn. No other message contains its mark. */
export const promptOf = (mark: string): string => `Remember ${mark}.`;

/** The expected answer to a conversation with these marks (the last one is new) and this number of images. */
export function answerTo(marks: readonly string[], images = 0): string {
  const earlier = marks.slice(0, -1);
  const after = earlier.length === 0 ? 'nothing' : earlier.join(' ');
  return `${marks.at(-1)} after ${after} with ${images} images. ${'And so on. '.repeat(4).trim()}`;
}

/**
 * A server with OpenAI's API. Its answers contain the marks of the user's messages and the number of images. It also
 * counts how often it received each mark.
 */
export async function startRecallingUpstream(): Promise<{
  readonly url: string;
  /** Number of generations by the mark of their last message. */
  readonly runs: ReadonlyMap<string, number>;
  close(): Promise<void>;
}> {
  const runs = new Map<string, number>();
  const server = await startLoopbackServer(({ method, body }, response) => {
    if (method !== 'POST') {
      sendJson(response, {
        object: 'list',
        data: [{ id: recallingModel, max_model_len: 100_000 }],
      });
      return;
    }
    const { messages, stream } = JSON.parse(body);
    const question = JSON.stringify(
      messages.filter(({ role }: { readonly role: string }) => role === 'user'),
    );
    const marks = question.match(/mark-\d+/g) ?? [];
    const mark = marks.at(-1);
    if (mark !== undefined) runs.set(mark, (runs.get(mark) ?? 0) + 1);
    const text = answerTo(marks, question.match(/"image_url":\{/g)?.length ?? 0);
    if (stream === true) streamText(response, text);
    else setTimeout(() => sendWhole(response, text), pieceMs * 4);
  });
  return { url: server.url, runs, close: () => server.close() };
}

const usageOf = (text: string) => {
  const completion_tokens = text.split(' ').length;
  return { prompt_tokens: 8, completion_tokens, total_tokens: 8 + completion_tokens };
};

function sendWhole(response: ServerResponse, content: string): void {
  sendJson(response, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: recallingModel,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: usageOf(content),
  });
}

function streamText(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (fields: object): void => {
    const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', model: recallingModel };
    response.write(`data: ${JSON.stringify({ ...chunk, created: 0, ...fields })}\n\n`);
  };
  const pieces = text.split(/(?<= )/);
  const timer = setInterval(() => {
    const content = pieces.shift();
    if (content !== undefined) {
      send({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
      return;
    }
    clearInterval(timer);
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    send({ choices: [], usage: usageOf(text) });
    response.end('data: [DONE]\n\n');
  }, pieceMs);
  response.on('close', () => clearInterval(timer));
}
