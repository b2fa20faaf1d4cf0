import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/**
 * Replaces llama-server, for behavior that models cannot show on demand. A request contains its script: in the first user
 * message that has one (agents send other messages before it), or else in the system prompt. A script is JSON: a list of
 * generations that are sent in order; the last one repeats.
 */
export interface ScriptedGeneration {
  /** Reasoning to send before the text. */
  readonly reasoning?: string;
  readonly text?: string;
  /** Number of times that the text is sent; once by default. */
  readonly times?: number;
  /** Sends the text word by word, as tokens, at this speed; at once if absent. */
  readonly tokensPerSecond?: number;
  /** Name and arguments of each call, as text that a model generates. */
  readonly calls?: readonly (readonly [string, string])[];
  /** Ends with an error that the output can't be parsed. */
  readonly isMalformed?: boolean;
  /** Takes more and more memory and never answers. */
  readonly isGrowing?: boolean;
  /** Path of a file that the first attempt creates. Only later attempts are answered. */
  readonly waitsOnce?: string;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

function flagValue(name: string): string {
  return process.argv[process.argv.indexOf(name) + 1] ?? '';
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += piece;
  return body;
}

function findScript(
  content: Message['content'] | undefined,
): readonly ScriptedGeneration[] | undefined {
  const text = typeof content === 'string' ? content : content?.map((part) => part.text).join('');
  const [json] = /\[\{.*\}\]/s.exec(text ?? '') ?? [];
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

async function generate(body: string, response: ServerResponse): Promise<void> {
  const { messages, tool_choice: choice } = JSON.parse(body) as {
    readonly messages: readonly Message[];
    readonly tool_choice?: string;
  };
  const scriptedBy = (wanted: string): number =>
    messages.findIndex(({ role, content }) => role === wanted && findScript(content) !== undefined);
  const start = Math.max(scriptedBy('user'), scriptedBy('system'));
  const script = findScript(messages[start]?.content) ?? [];
  const done = messages.slice(start).filter(({ role }) => role === 'assistant').length;
  const generation = script[Math.min(done, script.length - 1)] ?? {};
  const { text, times = 1, calls = [], isMalformed } = generation;
  if (generation.isGrowing === true) return grow();
  if (generation.waitsOnce !== undefined && !existsSync(generation.waitsOnce)) {
    return writeFileSync(generation.waitsOnce, '');
  }
  const send = (event: unknown): void => void response.write(`data: ${JSON.stringify(event)}\n\n`);
  const say = (delta: object): void => send({ choices: [{ delta }] });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (choice === 'none') say({ content: 'I stop.' });
  else {
    if (generation.reasoning !== undefined) say({ reasoning_content: generation.reasoning });
    if (text !== undefined) {
      for (let sent = 0; sent < times; sent += 1) {
        for await (const content of paced(text, generation.tokensPerSecond)) say({ content });
      }
    }
    for (const [index, [name, args]] of calls.entries()) {
      say({ tool_calls: [{ index, id: `${index}`, function: { name, arguments: args } }] });
    }
  }
  if (isMalformed === true) {
    const message = 'The model produced output that does not match the expected peg-native format';
    send({ error: { code: 500, type: 'server_error', message } });
  } else {
    send({
      choices: [{ delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
      timings: {
        cache_n: 0,
        prompt_n: messages.length,
        prompt_ms: 1,
        predicted_n: 1,
        predicted_ms: 1,
      },
    });
  }
  response.end('data: [DONE]\n\n');
}

async function* paced(text: string, tokensPerSecond: number | undefined): AsyncGenerator<string> {
  if (tokensPerSecond === undefined) return yield text;
  const tokens = text.match(/\s*\S+\s*?/g) ?? [];
  const startedAt = performance.now();
  for (const [index, token] of tokens.entries()) {
    const dueMs = startedAt + (index * 1000) / tokensPerSecond;
    if (dueMs > performance.now()) await setTimeout(dueMs - performance.now());
    yield token;
  }
}

function grow(): void {
  const hoard: Buffer[] = [];
  setInterval(() => hoard.push(Buffer.alloc(16 * 1024 * 1024, 1)), 20);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  if (request.url === '/v1/chat/completions') return generate(body, response);
  const answers: Readonly<Record<string, unknown>> = {
    '/v1/embeddings': request.url === '/v1/embeddings' ? embed(body) : undefined,
    '/health': { status: 'ok' },
    '/props': {
      default_generation_settings: {
        n_ctx: Number(process.env['SCRIPTED_CONTEXT_LENGTH'] ?? 4096),
      },
    },
    '/tokenize': { tokens: [] },
    '/v1/chat/completions/input_tokens': { input_tokens: 1 },
    '/apply-template': { prompt: body },
  };
  const found = answers[request.url ?? ''];
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(found ?? {}));
}

/** A vector for each input, with counts of certain letters. */
function embed(body: string): unknown {
  const { input } = JSON.parse(body) as { readonly input: readonly string[] };
  const countIn = (text: string, letter: string): number => text.split(letter).length - 1;
  const data = input.map((text, index) => ({
    index,
    embedding: Array.from('abcdeosz', (letter) => countIn(text, letter) + 0.01),
  }));
  return { data, usage: { prompt_tokens: input.length, total_tokens: input.length } };
}

/** Loads in quarters, and reports each quarter like the child process of a llama.cpp router. */
async function load(): Promise<void> {
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    const payload = { stages: ['text_model'], current: 'text_model', value };
    const state = JSON.stringify({ state: 'loading', payload });
    process.stdout.write(`cmd_child_to_router:state:${state}\n`);
    await setTimeout(5);
  }
}

if (process.argv.includes('--version')) {
  process.stdout.write('version: 11549 (scripted)\n');
} else if (process.argv.includes('--list-devices')) {
  const devices = process.env['SCRIPTED_DEVICES']?.split(';') ?? [];
  process.stdout.write(['Available devices:', ...devices, ''].join('\n'));
} else {
  const argumentsPath = process.env['SCRIPTED_ARGUMENTS'];
  if (argumentsPath !== undefined)
    writeFileSync(argumentsPath, JSON.stringify(process.argv.slice(2)));
  if (process.env['LLAMA_SERVER_ROUTER_PORT'] !== undefined) await load();
  createServer((request, response) => void answer(request, response)).listen(flagValue('--host'));
}
