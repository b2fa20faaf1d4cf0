import { describe, expect, it } from 'vitest';
import { collect } from '../../../../test/setup/collect.ts';
import {
  failureOf,
  openUpstream,
  say,
  serveUpstream,
  statesOf,
  textOf,
  upstreamChat,
  type UpstreamAnswer,
} from '../../../../test/setup/engine/open-upstream.ts';
import { sendJson } from '../../../../test/setup/net/loopback-server.ts';
import { testContext } from '../../../../test/setup/test-context.ts';

describe('replicas', () => {
  it('answer in place of one that fails before its first token', async () => {
    const bad = await serveUpstream((_request, response) => response.destroy());
    const good = await serveUpstream((_request, response) => say(response, 'Hi'));
    const { engine, upstreams } = openUpstream([bad.url, good.url]);
    for (let number = 0; number < 12; number += 1) {
      const messages = [{ role: 'user' as const, content: `Hello ${number}` }];
      expect(
        textOf(await collect(engine.generate({ ...upstreamChat, messages }, testContext()))),
      ).toBe('Hi');
    }
    expect(good.requests).toHaveLength(12);
    // After three consecutive failures and a failed health check, the replica gets no more requests.
    await expect.poll(() => statesOf(upstreams), { timeout: 30_000 }).toEqual(['open', 'closed']);
    const requestCount = bad.requests.filter(({ path }) => path === '/v1/chat/completions').length;
    expect(requestCount).toBeGreaterThanOrEqual(3);
    for (let number = 0; number < 6; number += 1) {
      const messages = [{ role: 'user' as const, content: `Again ${number}` }];
      await collect(engine.generate({ ...upstreamChat, messages }, testContext()));
    }
    expect(bad.requests.filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(
      requestCount,
    );
  });

  it('answer in place of a silent one, which comes back when its engine works', async () => {
    let isHung = true;
    const hung = await serveUpstream(({ path, body }, response) => {
      // The health check always succeeds.
      if (path === '/health') sendJson(response, {});
      else if (isHung)
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      else if (JSON.parse(body).stream === true) say(response, 'Hi');
      else sendJson(response, { choices: [] });
    });
    const good = await serveUpstream((_request, response) => say(response, 'Hi'));
    const { engine, upstreams } = openUpstream([hung.url, good.url], {
      kind: 'vllm',
      timeoutMs: 600,
    });
    const ask = async (content: string) => {
      const messages = [{ role: 'user' as const, content }];
      return textOf(await collect(engine.generate({ ...upstreamChat, messages }, testContext())));
    };
    for (let number = 0; hung.requests.length === 0; number += 1) {
      expect(await ask(`Hello ${number}`)).toBe('Hi');
    }
    expect(statesOf(upstreams)).toEqual(['open', 'closed']);
    const streams = () => hung.requests.filter(({ body }) => body.includes('"stream"')).length;
    for (let number = 0; number < 8; number += 1) await ask(`Again ${number}`);
    expect(streams()).toBe(1);
    isHung = false;
    await expect.poll(() => statesOf(upstreams), { timeout: 10_000 }).toEqual(['closed', 'closed']);
    expect(streams()).toBe(1);
  });

  it('keep a request in silence if the others can not be reached', async () => {
    const slow = await serveUpstream((_request, response) => {
      setTimeout(() => say(response, 'Hi'), 1300);
    });
    const { engine } = openUpstream(['http://127.0.0.1:9/v1', slow.url]);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => {
        const messages = [{ role: 'user' as const, content: `Question ${index}` }];
        return collect(engine.generate({ ...upstreamChat, messages }, testContext()));
      }),
    );
    expect(answers.map(textOf)).toEqual(answers.map(() => 'Hi'));
  });

  it('that send other answers meanwhile are not silent', async () => {
    const slow = await serveUpstream(({ body }, response) => {
      if (body.includes('slow')) {
        setTimeout(() => say(response, 'late'), 900);
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const pulse = setInterval(() => response.write(': pulse\n\n'), 50);
      response.once('close', () => clearInterval(pulse));
    });
    const other = await serveUpstream((_request, response) => say(response, 'other'));
    const { engine } = openUpstream([slow.url, other.url], { timeoutMs: 1000 });
    const leaving = new AbortController();
    // At least one of these requests prefers the slow replica.
    const busy = Array.from({ length: 8 }, (_, number) => {
      const messages = [{ role: 'user' as const, content: `Hello ${number}` }];
      return failureOf(
        collect(
          engine.generate({ ...upstreamChat, messages }, testContext({ signal: leaving.signal })),
        ),
      );
    });
    await expect.poll(() => slow.requests.length).toBeGreaterThan(0);
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, number) => {
        const messages = [{ role: 'user' as const, content: `slow ${number}` }];
        return textOf(await collect(engine.generate({ ...upstreamChat, messages }, testContext())));
      }),
    );
    expect(answers).toContain('late');
    expect(answers.filter((text) => text === 'late')).toHaveLength(
      slow.requests.filter(({ body }) => body.includes('slow')).length,
    );
    leaving.abort(new Error('gone'));
    await Promise.all(busy);
  });

  it('behind a balancer get a request again that failed before its first token, and once only', async () => {
    const faults: UpstreamAnswer[] = [
      (_request, response) => sendJson(response, {}, 500),
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        response.destroy();
      },
    ];
    const refusals: readonly [answer: UpstreamAnswer, code: string][] = [
      [(_request, response) => sendJson(response, {}, 503), 'upstream_unavailable'],
      [(_request, response) => sendJson(response, {}, 400), 'invalid_value'],
      [(_request, response) => void response.write(''), 'upstream_error'],
    ];
    let answers: UpstreamAnswer[] = [];
    const server = await serveUpstream((request, response) => {
      const answer = answers.shift() ?? ((_request, late) => say(late, 'Hi'));
      return answer(request, response);
    });
    const options = { sessionHeader: 'x-session-id', timeoutMs: 500 };
    const { engine } = openUpstream([server.url], options);
    const ask = () => collect(engine.generate(upstreamChat, testContext()));
    for (const fault of faults) {
      answers = [fault];
      expect(textOf(await ask())).toBe('Hi');
      answers = [fault, fault];
      expect(await failureOf(ask())).toMatchObject({ code: 'upstream_error' });
    }
    for (const [refusal, code] of refusals) {
      answers = [refusal];
      expect(await failureOf(ask())).toMatchObject({ code });
    }
    const chats = server.requests.filter(({ path }) => path === '/v1/chat/completions');
    expect(chats).toHaveLength(8 + refusals.length);
  });

  it('stay available after requests that fail for their content', async () => {
    const answer: UpstreamAnswer = ({ path, body }, response) => {
      if (path === '/v1/models') sendJson(response, { data: [] });
      else if (body.includes('wrong')) sendJson(response, { error: 'no such pattern' }, 500);
      else say(response, 'Hi');
    };
    const servers = [await serveUpstream(answer), await serveUpstream(answer)];
    const { engine, upstreams } = openUpstream(servers.map(({ url }) => url));
    const wrong = { ...upstreamChat, messages: [{ role: 'user' as const, content: 'wrong' }] };
    const questions = () =>
      servers.flatMap(({ requests }) => requests).filter(({ path }) => path === '/v1/models');
    for (let count = 0; count < 7; count += 1) {
      expect(await failureOf(collect(engine.generate(wrong, testContext())))).toMatchObject({
        code: 'upstream_error',
      });
    }
    await expect.poll(() => questions().length).toBeGreaterThanOrEqual(2);
    expect(textOf(await collect(engine.generate(upstreamChat, testContext())))).toBe('Hi');
    expect(statesOf(upstreams)).toEqual(['closed', 'closed']);
  });

  it('come back without a request of a user', async () => {
    let isDown = true;
    const server = await serveUpstream(({ path }, response) => {
      if (isDown) response.destroy();
      else if (path === '/health') response.end();
      else say(response, 'Hi');
    });
    const { engine, upstreams } = openUpstream([server.url], { kind: 'vllm' });
    for (let count = 0; count < 3; count += 1) {
      await failureOf(collect(engine.generate(upstreamChat, testContext())));
    }
    await expect.poll(() => statesOf(upstreams)).toEqual(['open']);
    isDown = false;
    await expect.poll(() => statesOf(upstreams), { timeout: 10_000 }).toEqual(['closed']);
    expect(server.requests.at(-1)?.path).toBe('/health');
    expect(textOf(await collect(engine.generate(upstreamChat, testContext())))).toBe('Hi');
  });

  it('are asked for their models if they do not know the path of their health', async () => {
    const server = await serveUpstream(({ path }, response) => {
      if (path === '/health') sendJson(response, {}, 404);
      else sendJson(response, {}, 502);
    });
    const { engine, upstreams } = openUpstream([server.url], { kind: 'sglang' });
    for (let count = 0; count < 3; count += 1) {
      await failureOf(collect(engine.generate(upstreamChat, testContext())));
    }
    await expect.poll(() => statesOf(upstreams)).toEqual(['open']);
    expect(server.requests.slice(-2).map(({ path }) => path)).toEqual(['/health', '/v1/models']);
  });

  it('get the later turns of their conversations', async () => {
    const answer: UpstreamAnswer = (_request, response) => say(response, 'Hi');
    const servers = [
      await serveUpstream(answer),
      await serveUpstream(answer),
      await serveUpstream(answer),
    ];
    const { engine } = openUpstream(servers.map(({ url }) => url));
    for (let number = 0; number < 10; number += 1) {
      const counts = servers.map(({ requests }) => requests.length);
      const first = { role: 'user' as const, content: `Conversation ${number}` };
      await collect(engine.generate({ ...upstreamChat, messages: [first] }, testContext()));
      const longer = [
        first,
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: 'And then?' },
      ] as const;
      await collect(engine.generate({ ...upstreamChat, messages: longer }, testContext()));
      const grown = servers.map(({ requests }, index) => requests.length - (counts[index] ?? 0));
      expect(grown.toSorted((one, other) => one - other)).toEqual([0, 0, 2]);
    }
  });

  it('are all open: the error has the seconds to wait', async () => {
    const bad = await serveUpstream((_request, response) => sendJson(response, {}, 500));
    const { engine, upstreams } = openUpstream([bad.url]);
    for (let count = 0; count < 3; count += 1) {
      await failureOf(collect(engine.generate(upstreamChat, testContext())));
    }
    await expect.poll(() => statesOf(upstreams)).toEqual(['open']);
    const requestCount = bad.requests.length;
    expect(await failureOf(collect(engine.generate(upstreamChat, testContext())))).toMatchObject({
      code: 'upstream_unavailable',
      retryAfterSeconds: 1,
    });
    expect(bad.requests).toHaveLength(requestCount);
  });
});
