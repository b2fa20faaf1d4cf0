import { describe, expect, it } from 'vitest';
import { collect } from '../../../../test/setup/collect.ts';
import {
  failureOf,
  openUpstream,
  say,
  serveUpstream,
  textOf,
  upstreamChat,
  type UpstreamAnswer,
} from '../../../../test/setup/engine/open-upstream.ts';
import { sendJson } from '../../../../test/setup/net/loopback-server.ts';
import { testContext } from '../../../../test/setup/test-context.ts';
import type { GenerationEvent } from '../../engine.ts';

/** Tests remote engines against servers whose responses each test defines. */

describe('a generation', () => {
  it('sends the key, the model and the messages', async () => {
    const server = await serveUpstream((_request, response) => say(response, 'Hi'));
    const { engine } = openUpstream([server.url], { apiKey: 'secret' });
    const events = await collect(
      engine.generate(
        { ...upstreamChat, maxTokens: 5, sampling: { temperature: 0 } },
        testContext(),
      ),
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

  it('names its conversation if a balancer wants it', async () => {
    const server = await serveUpstream((_request, response) => say(response, 'Hi'));
    const { engine } = openUpstream([server.url], { sessionHeader: 'x-session-id' });
    const user = (content: string) => ({ role: 'user' as const, content });
    const first = [user('Hello')];
    const later = [...first, { role: 'assistant' as const, content: 'Hi' }, user('More')];
    for (const messages of [first, later, [user('Other')]]) {
      await collect(engine.generate({ ...upstreamChat, messages }, testContext()));
    }
    const [one, two, other] = server.requests.map(({ headers }) => headers['x-session-id']);
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(two).toBe(one);
    expect(other).not.toBe(one);
  });

  it('does not take the answer of another model', async () => {
    const server = await serveUpstream(({ path }, response) => {
      if (path === '/v1/models') sendJson(response, { data: [{ id: 'small' }] });
      else if (path === '/props') sendJson(response, {}, 404);
      else if (path === '/v1/embeddings') {
        sendJson(response, { model: 'other', data: [{ index: 0, embedding: [1] }] });
      } else {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end('data: {"model": "other", "choices": [{"delta": {"content": "Hi"}}]}\n\n');
      }
    });
    const { engine, upstreams } = openUpstream([server.url], { kind: 'llama-server' });
    await upstreams.listModels();
    const refused = {
      code: 'upstream_error',
      message: '"lab" failed: it serves the model "other" in place of "small".',
    };
    const generated = collect(engine.generate(upstreamChat, testContext()));
    expect(await failureOf(generated)).toMatchObject(refused);
    expect(await failureOf(engine.embed(['a'], testContext()))).toMatchObject(refused);
  });

  it('names a sampling field that servers of its kind lack', async () => {
    const { engine } = openUpstream(['http://127.0.0.1:9/v1']);
    const request = { ...upstreamChat, sampling: { topK: 5 } };
    expect(await failureOf(collect(engine.generate(request, testContext())))).toMatchObject({
      code: 'invalid_value',
      field: 'sampling.topK',
    });
  });

  it('passes the names of other kinds on', async () => {
    const server = await serveUpstream((_request, response) => say(response, 'Hi'));
    const { engine } = openUpstream([server.url], { kind: 'vllm' });
    const sampling = { topK: 5, repeatPenalty: 1.1 };
    await collect(engine.generate({ ...upstreamChat, sampling, reasoning: 'off' }, testContext()));
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      top_k: 5,
      repetition_penalty: 1.1,
      chat_template_kwargs: { enable_thinking: false },
    });
  });

  it.each(['ollama', 'llama-server'] as const)(
    'finds the stop strings itself, as %s does not name them',
    async (kind) => {
      const server = await serveUpstream((_request, response) => say(response, 'one END two'));
      const { engine } = openUpstream([server.url], { kind });
      const events = await collect(
        engine.generate({ ...upstreamChat, stop: ['never', 'END'] }, testContext()),
      );
      expect(textOf(events)).toBe('one ');
      expect(events.at(-1)).toMatchObject({ stopReason: 'stopStringFound', stopString: 'END' });
      expect(JSON.parse(server.requests[0]?.body ?? '')).not.toHaveProperty('stop');
    },
  );

  it('closes the connection when its reader stops', async () => {
    let isClosed = (): void => {};
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const server = await serveUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'x' } }] })}\n\n`);
      response.on('close', isClosed);
    });
    const { engine, upstreams } = openUpstream([server.url]);
    for await (const event of engine.generate(upstreamChat, testContext())) {
      expect(event).toMatchObject({ text: 'x' });
      break;
    }
    await closed;
    expect(upstreams.describe()[0]?.replicas[0]).toMatchObject({ state: 'closed', active: 0 });
  });

  it('leaves out a limit that the context does not hold', async () => {
    const server = await serveUpstream((_request, response) => say(response, 'Hi'));
    const { engine } = openUpstream([server.url], { kind: 'vllm' });
    const limits = [4000, 32_000];
    for (const maxTokens of limits) {
      await collect(engine.generate({ ...upstreamChat, maxTokens }, testContext()));
    }
    const sent = server.requests.map(({ body }) => JSON.parse(body).max_tokens);
    expect(sent).toEqual([4000, undefined]);
  });

  it('throws the reason of its signal', async () => {
    const server = await serveUpstream(() => {});
    const { engine } = openUpstream([server.url]);
    const controller = new AbortController();
    const failure = failureOf(
      collect(engine.generate(upstreamChat, testContext({ signal: controller.signal }))),
    );
    controller.abort(new Error('left'));
    expect(await failure).toMatchObject({ message: 'left' });
  });
});

describe('a fault', () => {
  const cases: readonly (readonly [string, UpstreamAnswer, string, RegExp])[] = [
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
    ['silence', () => {}, 'upstream_error', /^"lab" sent nothing .*upstreams\.lab\.timeoutSeconds/],
    [
      'silence in the middle',
      (_r, res) => res.writeHead(200).write('data: {"choices"'),
      'upstream_error',
      /^"lab" sent nothing .*upstreams\.lab\.timeoutSeconds/,
    ],
  ];
  it.each(cases)('%s', async (_name, answer, code, message) => {
    const server = await serveUpstream(answer);
    const { engine } = openUpstream([server.url], { timeoutMs: 1000 });
    const failure = await failureOf(collect(engine.generate(upstreamChat, testContext())));
    expect(failure).toMatchObject({ code });
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).toContain('lab');
  });

  it('tells how long a busy server asks to wait', async () => {
    const server = await serveUpstream((_request, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end('{}');
    });
    const { engine } = openUpstream([server.url]);
    expect(await failureOf(collect(engine.generate(upstreamChat, testContext())))).toMatchObject({
      retryAfterSeconds: 7,
    });
  });

  it('does not show when the server closes an idle connection just as it is reused', async () => {
    let count = 0;
    const server = await serveUpstream((_request, response) => {
      count += 1;
      if (count === 2) response.destroy();
      else say(response, `answer ${count}`);
    });
    const { engine, upstreams } = openUpstream([server.url]);
    const ask = async () => textOf(await collect(engine.generate(upstreamChat, testContext())));
    expect([await ask(), await ask()]).toEqual(['answer 1', 'answer 3']);
    expect(upstreams.describe()[0]?.replicas[0]).toMatchObject({ state: 'closed', active: 0 });
  });

  it('after the first token ends the generation with what there was', async () => {
    const server = await serveUpstream((_request, response) => {
      response.writeHead(200);
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'x' } }] })}\n\n`);
      setTimeout(() => response.destroy(), 50);
    });
    const { engine } = openUpstream([server.url]);
    const events: GenerationEvent[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const event of engine.generate(upstreamChat, testContext())) events.push(event);
      })(),
    );
    expect(failure).toMatchObject({ code: 'upstream_error' });
    expect(events.map(({ type }) => type)).toEqual(['content.delta', 'generation.cut']);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a feature that the server may lack', () => {
  const tools = [{ name: 'look', parameters: { type: 'object' } }];

  it('is asked for once, with one token', async () => {
    const server = await serveUpstream((request, response) => {
      if (JSON.parse(request.body).stream === true) say(response, 'Hi');
      else sendJson(response, { choices: [] });
    });
    const { engine } = openUpstream([server.url]);
    await collect(engine.generate({ ...upstreamChat, tools }, testContext()));
    await collect(engine.generate({ ...upstreamChat, tools }, testContext()));
    const probes = server.requests
      .map(({ body }) => JSON.parse(body))
      .filter((body) => !body.stream);
    expect(probes).toHaveLength(1);
    expect(probes[0]).toMatchObject({ max_tokens: 1, tool_choice: 'auto' });
  });

  it('is refused by name, and not asked for again', async () => {
    const server = await serveUpstream((_request, response) =>
      sendJson(response, { error: { message: 'tools need --enable-auto-tool-choice' } }, 400),
    );
    const { engine } = openUpstream([server.url]);
    for (let count = 0; count < 2; count += 1) {
      const failure = await failureOf(
        collect(engine.generate({ ...upstreamChat, tools }, testContext())),
      );
      expect(failure).toMatchObject({ code: 'invalid_value', field: 'tools' });
      expect((failure as Error).message).toContain('--enable-auto-tool-choice');
    }
    expect(server.requests).toHaveLength(1);
  });
});

describe('the list of models', () => {
  it('has what the server and the settings say', async () => {
    const server = await serveUpstream((_request, response) =>
      sendJson(response, {
        data: [
          { id: 'Qwen/Big', max_model_len: 8192 },
          { id: 'bge-small' },
          { id: 'bge-reranker-v2' },
        ],
      }),
    );
    const listed = await openUpstream([server.url]).upstreams.listModels();
    expect(listed).toMatchObject([
      { upstream: 'lab', id: 'Qwen/Big', type: 'llm', contextLength: 8192 },
      { id: 'bge-small', type: 'embeddings', contextLength: undefined },
      { id: 'bge-reranker-v2', type: 'reranker' },
    ]);
    const models = { 'Qwen/Big': { alias: 'big', contextLength: 4096 } };
    expect(await openUpstream([server.url], { models }).upstreams.listModels()).toMatchObject([
      { id: 'Qwen/Big', alias: 'big', contextLength: 4096 },
    ]);
  });

  it('has the context that Ollama uses, and that of Ray Serve', async () => {
    const details: Readonly<Record<string, object>> = {
      set: { parameters: 'stop "a"\nnum_ctx    8192', model_info: { 'llama.context_length': 99 } },
      loaded: { model_info: { 'llama.context_length': 99 } },
      idle: { model_info: { 'llama.context_length': 99 } },
    };
    const ollama = await serveUpstream(({ path, body }, response) => {
      if (path === '/v1/models') {
        sendJson(response, { data: Object.keys(details).map((id) => ({ id })) });
      } else if (path === '/api/ps') {
        sendJson(response, { models: [{ name: 'loaded', context_length: 4096 }] });
      } else sendJson(response, details[JSON.parse(body).model] ?? {});
    });
    const listed = await openUpstream([ollama.url], { kind: 'ollama' }).upstreams.listModels();
    expect(listed.map(({ contextLength }) => contextLength)).toEqual([8192, 4096, 99]);
    const ray = await serveUpstream((_request, response) =>
      sendJson(response, {
        data: [{ id: 'big', metadata: { max_request_context_length: 2048 } }],
      }),
    );
    expect(await openUpstream([ray.url]).upstreams.listModels()).toMatchObject([
      { contextLength: 2048 },
    ]);
  });

  it('is read again for a model that it lacks', async () => {
    let isDown = true;
    const server = await serveUpstream((_request, response) => {
      if (isDown) response.destroy();
      else sendJson(response, { data: [{ id: 'late' }] });
    });
    const { upstreams } = openUpstream([server.url]);
    expect(await upstreams.listModels()).toEqual([]);
    expect(await failureOf(upstreams.refresh('LAB/late'))).toMatchObject({
      code: 'upstream_unavailable',
      retryAfterSeconds: 5,
    });
    expect(await upstreams.refresh('other/late')).toBe(false);
    isDown = false;
    await expect
      .poll(() => upstreams.refresh('lab/late').catch(() => false), { timeout: 10_000 })
      .toBe(true);
    expect(await upstreams.listModels()).toMatchObject([{ id: 'late' }]);
  });

  it('has the models of the settings while the server is away', async () => {
    const { upstreams } = openUpstream(['http://127.0.0.1:9/v1'], { models: { one: {} } });
    expect(await upstreams.listModels()).toMatchObject([{ id: 'one', type: 'llm' }]);
  });
});
