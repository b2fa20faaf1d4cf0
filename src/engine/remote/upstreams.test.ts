import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { collect } from '../../../test/setup/collect.ts';
import { sendJson, startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { createLogger } from '../../observability/logger.ts';
import type { ChatGeneration, GenerationEvent } from '../engine.ts';
import type { Upstream } from './upstream.ts';
import { openUpstreams } from './upstreams.ts';

/** Remote engines against servers that answer as a test says. */

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Answer = Parameters<typeof startLoopbackServer>[0];

async function serve(answer: Answer) {
  const server = await startLoopbackServer(answer);
  cleanups.push(() => server.close());
  return { ...server, url: `${server.url}/v1` };
}

function open(urls: readonly string[], options: Partial<Upstream> = {}) {
  const upstream: Upstream = {
    name: 'lab',
    kind: 'openai',
    urls,
    apiKey: undefined,
    maxConcurrent: 8,
    timeoutMs: 2000,
    models: undefined,
    ...options,
  };
  const upstreams = openUpstreams({
    upstreams: [upstream],
    environment: {},
    logger: createLogger('silent'),
  });
  cleanups.push(() => upstreams.close());
  const { engine } = upstreams.open({ upstream: 'lab', id: 'small' }, 4096);
  return { upstreams, engine };
}

const chat: ChatGeneration = {
  kind: 'chat',
  messages: [{ role: 'user', content: 'Hello' }],
  sampling: {},
};

const textOf = (events: readonly GenerationEvent[]) =>
  events.map((event) => (event.type === 'content.delta' ? event.text : '')).join('');

function say(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
  response.write(
    `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
}

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a generation', () => {
  it('sends the key, the model and the messages', async () => {
    const server = await serve((_request, response) => say(response, 'Hi'));
    const { engine } = open([server.url], { apiKey: 'secret' });
    const events = await collect(
      engine.generate({ ...chat, maxTokens: 5, sampling: { temperature: 0 } }, testContext()),
    );
    expect(textOf(events)).toBe('Hi');
    const [request] = server.requests;
    expect(request?.path).toBe('/v1/chat/completions');
    expect(request?.headers.authorization).toBe('Bearer secret');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      model: 'small',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 5,
      temperature: 0,
      messages: [{ role: 'user', content: 'Hello' }],
    });
  });

  it('names a sampling field that servers of its kind lack', async () => {
    const { engine } = open(['http://127.0.0.1:9/v1']);
    const request = { ...chat, sampling: { topK: 5 } };
    expect(await failureOf(collect(engine.generate(request, testContext())))).toMatchObject({
      code: 'invalid_value',
      field: 'sampling.topK',
    });
  });

  it('passes the names of other kinds on', async () => {
    const server = await serve((_request, response) => say(response, 'Hi'));
    const { engine } = open([server.url], { kind: 'vllm' });
    const sampling = { topK: 5, repeatPenalty: 1.1 };
    await collect(engine.generate({ ...chat, sampling, reasoning: 'off' }, testContext()));
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      top_k: 5,
      repetition_penalty: 1.1,
      chat_template_kwargs: { enable_thinking: false },
    });
  });

  it('closes the connection when its reader stops', async () => {
    let isClosed = (): void => {};
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'x' } }] })}\n\n`);
      response.on('close', isClosed);
    });
    const { engine, upstreams } = open([server.url]);
    for await (const event of engine.generate(chat, testContext())) {
      expect(event).toMatchObject({ text: 'x' });
      break;
    }
    await closed;
    expect(upstreams.describe()[0]?.replicas[0]).toMatchObject({ state: 'closed', active: 0 });
  });

  it('throws the reason of its signal', async () => {
    const server = await serve(() => {});
    const { engine } = open([server.url]);
    const controller = new AbortController();
    const failure = failureOf(
      collect(engine.generate(chat, testContext({ signal: controller.signal }))),
    );
    controller.abort(new Error('left'));
    expect(await failure).toMatchObject({ message: 'left' });
  });
});

describe('a fault', () => {
  const cases: readonly (readonly [string, Answer, string, RegExp])[] = [
    [
      'a page in place of JSON',
      (_r, res) => res.writeHead(502).end('<html>'),
      'upstream_error',
      /502: a page/,
    ],
    [
      '500',
      (_r, res) => sendJson(res, { error: { message: 'out of memory' } }, 500),
      'upstream_error',
      /500: out of memory/,
    ],
    [
      '429',
      (_r, res) => res.writeHead(429, { 'retry-after': '7' }).end('{}'),
      'upstream_unavailable',
      /too busy/,
    ],
    [
      '401',
      (_r, res) => sendJson(res, { error: { message: 'no' } }, 401),
      'upstream_error',
      /refuses the key/,
    ],
    [
      '400',
      (_r, res) => sendJson(res, { error: { message: 'bad seed' } }, 400),
      'invalid_value',
      /bad seed/,
    ],
    [
      'a prompt that is too long',
      (_r, res) =>
        sendJson(res, { message: "This model's maximum context length is 4096 tokens." }, 400),
      'context_length_exceeded',
      /maximum context length/,
    ],
    [
      'half an event',
      (_r, res) => res.writeHead(200).end('data: {"choices"'),
      'upstream_error',
      /broke off/,
    ],
    [
      'an event that is not JSON',
      (_r, res) => res.writeHead(200).end('data: oops\n\n'),
      'upstream_error',
      /not JSON/,
    ],
    ['a closed connection', (_r, res) => res.destroy(), 'upstream_unavailable', /can't be reached/],
    ['silence', () => {}, 'upstream_error', /HEADERS_TIMEOUT/],
  ];
  it.each(cases)('%s', async (_name, answer, code, message) => {
    const server = await serve(answer);
    const { engine } = open([server.url], { timeoutMs: 1000 });
    const failure = await failureOf(collect(engine.generate(chat, testContext())));
    expect(failure).toMatchObject({ code });
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).toContain('lab');
  });

  it('tells how long a busy server asks to wait', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end('{}');
    });
    const { engine } = open([server.url]);
    expect(await failureOf(collect(engine.generate(chat, testContext())))).toMatchObject({
      retryAfterSeconds: 7,
    });
  });

  it('does not show when the server closes an idle connection just as it is reused', async () => {
    let count = 0;
    const server = await serve((_request, response) => {
      count += 1;
      if (count === 2) response.destroy();
      else say(response, `answer ${count}`);
    });
    const { engine, upstreams } = open([server.url]);
    const ask = async () => textOf(await collect(engine.generate(chat, testContext())));
    expect([await ask(), await ask()]).toEqual(['answer 1', 'answer 3']);
    expect(upstreams.describe()[0]?.replicas[0]).toMatchObject({ state: 'closed', active: 0 });
  });

  it('after the first token ends the generation with what there was', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200);
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'x' } }] })}\n\n`);
      setTimeout(() => response.destroy(), 50);
    });
    const { engine } = open([server.url]);
    const events: GenerationEvent[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const event of engine.generate(chat, testContext())) events.push(event);
      })(),
    );
    expect(failure).toMatchObject({ code: 'upstream_error' });
    expect(events.map(({ type }) => type)).toEqual(['content.delta', 'generation.cut']);
    expect(server.requests).toHaveLength(1);
  });
});

describe('replicas', () => {
  it('answer in place of one that fails before its first token', async () => {
    const bad = await serve((_request, response) => response.destroy());
    const good = await serve((_request, response) => say(response, 'Hi'));
    const { engine, upstreams } = open([bad.url, good.url]);
    for (let number = 0; number < 12; number += 1) {
      const messages = [{ role: 'user' as const, content: `Hello ${number}` }];
      expect(textOf(await collect(engine.generate({ ...chat, messages }, testContext())))).toBe(
        'Hi',
      );
    }
    expect(good.requests).toHaveLength(12);
    // After three failures in a row it is left alone.
    expect(bad.requests).toHaveLength(3);
    expect(upstreams.describe()[0]?.replicas.map(({ state }) => state)).toEqual(['open', 'closed']);
  });

  it('get the later turns of their conversations', async () => {
    const answer: Answer = (_request, response) => say(response, 'Hi');
    const servers = [await serve(answer), await serve(answer), await serve(answer)];
    const { engine } = open(servers.map(({ url }) => url));
    for (let number = 0; number < 10; number += 1) {
      const counts = servers.map(({ requests }) => requests.length);
      const first = { role: 'user' as const, content: `Conversation ${number}` };
      await collect(engine.generate({ ...chat, messages: [first] }, testContext()));
      const longer = [
        first,
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: 'And then?' },
      ] as const;
      await collect(engine.generate({ ...chat, messages: longer }, testContext()));
      const grown = servers.map(({ requests }, index) => requests.length - (counts[index] ?? 0));
      expect(grown.toSorted((one, other) => one - other)).toEqual([0, 0, 2]);
    }
  });

  it('are all open: the error has the seconds to wait', async () => {
    const bad = await serve((_request, response) => sendJson(response, {}, 500));
    const { engine } = open([bad.url]);
    for (let count = 0; count < 3; count += 1) {
      await failureOf(collect(engine.generate(chat, testContext())));
    }
    expect(await failureOf(collect(engine.generate(chat, testContext())))).toMatchObject({
      code: 'upstream_unavailable',
      retryAfterSeconds: 1,
    });
    expect(bad.requests).toHaveLength(3);
  });
});

describe('a feature that the server may lack', () => {
  const tools = [{ name: 'look', parameters: { type: 'object' } }];

  it('is asked for once, with one token', async () => {
    const server = await serve((request, response) => {
      if (JSON.parse(request.body).stream === true) say(response, 'Hi');
      else sendJson(response, { choices: [] });
    });
    const { engine } = open([server.url]);
    await collect(engine.generate({ ...chat, tools }, testContext()));
    await collect(engine.generate({ ...chat, tools }, testContext()));
    const probes = server.requests
      .map(({ body }) => JSON.parse(body))
      .filter((body) => !body.stream);
    expect(probes).toHaveLength(1);
    expect(probes[0]).toMatchObject({ max_tokens: 1, tool_choice: 'auto' });
  });

  it('is refused by name, and not asked for again', async () => {
    const server = await serve((_request, response) =>
      sendJson(response, { error: { message: 'tools need --enable-auto-tool-choice' } }, 400),
    );
    const { engine } = open([server.url]);
    for (let count = 0; count < 2; count += 1) {
      const failure = await failureOf(collect(engine.generate({ ...chat, tools }, testContext())));
      expect(failure).toMatchObject({ code: 'invalid_value', field: 'tools' });
      expect((failure as Error).message).toContain('--enable-auto-tool-choice');
    }
    expect(server.requests).toHaveLength(1);
  });
});

describe('embeddings', () => {
  it('are put in order', async () => {
    const server = await serve((_request, response) =>
      sendJson(response, {
        data: [
          { index: 1, embedding: [0, 1] },
          { index: 0, embedding: [1, 0] },
        ],
        usage: { prompt_tokens: 4 },
      }),
    );
    const { engine } = open([server.url]);
    expect(await engine.embed(['a', 'b'], testContext())).toEqual({
      vectors: [
        [1, 0],
        [0, 1],
      ],
      promptTokens: 4,
    });
  });

  it('are an error if one is missing', async () => {
    const server = await serve((_request, response) => sendJson(response, { data: [] }));
    const { engine } = open([server.url]);
    expect(await failureOf(engine.embed(['a'], testContext()))).toMatchObject({
      code: 'upstream_error',
    });
  });
});

describe('the list of models', () => {
  it('has what the server and the settings say', async () => {
    const server = await serve((_request, response) =>
      sendJson(response, {
        data: [{ id: 'Qwen/Big', max_model_len: 8192 }, { id: 'bge-small' }],
      }),
    );
    const listed = await open([server.url]).upstreams.listModels();
    expect(listed).toMatchObject([
      { upstream: 'lab', id: 'Qwen/Big', type: 'llm', contextLength: 8192 },
      { id: 'bge-small', type: 'embeddings', contextLength: undefined },
    ]);
    const models = { 'Qwen/Big': { alias: 'big', contextLength: 4096 } };
    expect(await open([server.url], { models }).upstreams.listModels()).toMatchObject([
      { id: 'Qwen/Big', alias: 'big', contextLength: 4096 },
    ]);
  });

  it('has the models of the settings while the server is away', async () => {
    const { upstreams } = open(['http://127.0.0.1:9/v1'], { models: { one: {} } });
    expect(await upstreams.listModels()).toMatchObject([{ id: 'one', type: 'llm' }]);
  });
});
