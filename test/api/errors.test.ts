import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorTable, type ErrorCode } from '../../src/kernel/errors/errors.ts';
import { openSqlite } from '../../src/platform/sqlite.ts';
import { get, post, stream, type ApiAnswer } from '../setup/server/api.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { expectFailure } from '../setup/server/error-case.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { startLoopbackServer } from '../setup/net/loopback-server.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { instancesOf, waitForRequests } from '../setup/server/instances.ts';
import { enginePidOf } from '../setup/server/loaded-engines.ts';
import { placeAudioModel } from '../setup/models/audio-projector.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { writeStubEngine } from '../setup/engine/stub-engine.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { withTokens } from '../setup/server/with-tokens.ts';
import { adminErrorCases } from './admin-error-cases.ts';
import { downloadErrorCases, fillHub } from './download-error-cases.ts';
import { placeBadPlugins, toolErrorCases } from './tool-error-cases.ts';
import { modelErrorCases } from './model-error-cases.ts';
import { requestErrorCases } from './request-error-cases.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { askForWebSocket } from '../setup/server/ask-for-web-socket.ts';
import { readDocument } from '../setup/documents/read-document.ts';
import { uploadTooMuch } from '../setup/server/upload-too-much.ts';
import { fastTimers } from '../setup/server/fast-timers.ts';
import { fillQueue } from '../setup/server/fill-queue.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

const provoked = new Set<ErrorCode>([
  // Needs a PostgreSQL server: `test/postgres/outage.test.ts`.
  'store_unavailable',
  // Tokens with limits: `test/api/rate-limits.test.ts`.
  'rate_limit_exceeded',
  // Needs a killed server: `test/attack/killed.test.ts`.
  'interrupted',
]);

const chat = '/api/v1/chat';
const load = '/api/v1/models/load';
const chatV0 = '/api/v0/chat/completions';
const hello = { model: 'hearth/starter-chat', input: 'Hello!', reasoning: 'off' };
const helloV0 = { model: 'hearth/starter-chat', messages: [{ role: 'user', content: 'Hello!' }] };
const endless = { model: endlessModel, input: 'Tell me a story', store: false };

async function placeBadModels(home: string): Promise<void> {
  const starter = await readFile(starterPath('chat'), 'latin1');
  await placeAudioModel(home);
  await placeModel(home, 'bad/junk', Buffer.alloc(100_000, 'junk'));
  const unknown = Buffer.from(starter.replaceAll('llama', 'llamx'), 'latin1');
  await placeModel(home, 'bad/unknown', unknown);
  const mlxFolder = join(home, 'models/bad/mlx');
  await mkdir(mlxFolder);
  const config = { model_type: 'bert', max_position_embeddings: 512 };
  await writeFile(join(mlxFolder, 'config.json'), JSON.stringify(config));
  await writeFile(join(mlxFolder, 'model.safetensors'), 'weights');
}

function expectProvoked(
  answer: ApiAnswer,
  code: ErrorCode,
  message: RegExp | string,
  path: string = chat,
): void {
  expectError(answer, { code, message, isV0: path === chatV0 });
  provoked.add(code);
}

describe('a server with one slot', () => {
  let token: string;
  const hub = useResource(() => startFakeHub({ repositories: [] }));
  const broken = useResource(() =>
    startLoopbackServer((_request, response) => response.writeHead(200).end('data: oops\n\n')),
  );
  const hearth = useHearth(async (home) => {
    fillHub(hub);
    await placeEndlessModel(home);
    await placeBadModels(home);
    await placeBadPlugins(home);
    const permissions = ['chat', 'plugins', 'ephemeral-mcp', 'admin'] as const;
    ({ token } = await withTokens(home, (tokens) => tokens.create({ name: 'test', permissions })));
    const flags = [
      '--mcp-allow-plugins',
      '--mcp-allow-ephemeral',
      '--mcp-allowed-hosts=127.0.0.1:9',
      '--engine-parallel=1',
      '--limits-body-bytes=100000',
      '--limits-shutdown-seconds=0',
      `--models-memory-limit-bytes=${2000 * 1024 * 1024}`,
    ];
    const upstreams = {
      broken: { url: `${broken.url}/v1`, models: { x: {} } },
      // Port 9 (discard) is closed.
      gone: { url: 'http://127.0.0.1:9/v1', models: { x: {} } },
    };
    return {
      flags,
      environment: { HEARTH_HUB_ENDPOINT: hub.url, HEARTH_UPSTREAMS: JSON.stringify(upstreams) },
    };
  });

  // covers v0-chat-23, v0-completion-6, v1-model-10, v1-chat-2, v1-chat-14, v1-chat-24, error-1
  // covers error-3, error-4, error-6, error-7, error-8, error-15, error-17
  it.each([...requestErrorCases, ...modelErrorCases])(
    '$code: $path, $message',
    async (errorCase) => {
      await expectFailure(hearth.url, errorCase);
      provoked.add(errorCase.code);
    },
  );

  it('errors of files, batches and WebSockets', async () => {
    const expectCode = ({ status, body }: ApiAnswer, code: ErrorCode): void => {
      expect([status, body.error.code]).toEqual([errorTable[code].status, code]);
      provoked.add(code);
    };
    expectCode(await get(hearth.url, '/v1/files/file-x'), 'file_not_found');
    expectCode(await get(hearth.url, '/v1/batches/batch_x'), 'batch_not_found');
    expectCode(await get(hearth.url, '/v1/vector_stores/vs_x'), 'vector_store_not_found');
    expectCode(await uploadTooMuch(hearth.url), 'storage_full');
    expectCode(await readDocument(hearth.url, 'a.bin', Buffer.from([0])), 'invalid_document');
    expectCode(await askForWebSocket(`${hearth.url}/llm`), 'websocket_unsupported');
  });

  // covers v1-download-14, error-8, error-13
  it('errors of downloads', async () => {
    for (const errorCase of downloadErrorCases(hub.url)) {
      await expectFailure(hearth.url, errorCase);
      provoked.add(errorCase.code);
    }
    expect((await get(hearth.url, '/api/v1/models/downloads')).body).toEqual({ downloads: [] });
  });

  // covers v1-integration-2, error-13
  it('errors of tools and tokens', async () => {
    for (const errorCase of [...toolErrorCases(token), ...adminErrorCases(token)]) {
      await expectFailure(hearth.url, errorCase);
      provoked.add(errorCase.code);
    }
  });

  // covers error-9
  it('conflict for resuming a running download', async () => {
    hub.faults.add({ kind: 'stall', afterBytes: 1000, path: 'model-Q8_0.gguf' });
    const download = '/api/v1/models/download';
    const { body: job } = await post(hearth.url, download, { model: 'acme/quants' });
    const path = `${download}/${job.job_id}`;
    expectProvoked(await post(hearth.url, `${path}/resume`, {}), 'conflict', 'it is downloading');
    await post(hearth.url, `${path}/cancel`, {});
  });

  // covers v1-download-12
  it('checksum_mismatch if the hub sends other bytes than it announced', async () => {
    hub.faults.clear();
    hub.faults.add({ kind: 'corrupt', atByte: 1000, path: 'model-Q8_0.gguf' });
    const download = '/api/v1/models/download';
    const { body: job } = await post(hearth.url, download, { model: 'acme/quants' });
    const path = `${download}/status/${job.job_id}`;
    await expect
      .poll(async () => (await get(hearth.url, path)).body, { timeout: 20_000 })
      .toMatchObject({ status: 'failed', error: { code: 'checksum_mismatch' } });
    provoked.add('checksum_mismatch');
    await post(hearth.url, `${download}/${job.job_id}/cancel`, {});
  });

  /** Sends a request without streaming; resolves when the engine works on it. */
  async function startEndless(): Promise<{ readonly answer: Promise<ApiAnswer> }> {
    const answer = post(hearth.url, chat, endless);
    await waitForRequests(hearth.url, endlessModel, 1);
    return { answer };
  }

  // covers v1-model-13, error-10
  it('queue_full if all slots are taken and no more may wait', async () => {
    const { answer } = await startEndless();
    const leave = await fillQueue(hearth.url, endlessModel);
    const asV0 = { ...helloV0, model: endlessModel };
    for (const [path, body] of [
      [chat, endless],
      [chat, { ...endless, stream: true }],
      [chatV0, asV0],
      [chatV0, { ...asV0, stream: true }],
    ] as const) {
      const refused = await post(hearth.url, path, body);
      expectProvoked(refused, 'queue_full', '1 requests run and 64 wait (at most 64)', path);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    await leave();
    await post(hearth.url, '/api/v1/models/unload', { instance_id: endlessModel });
    expectProvoked(
      await answer,
      'unloaded',
      'test/endless was unloaded while it worked on this request',
    );
  });

  // covers error-20
  it('crashed if the engine is killed while it works', async () => {
    const { answer } = await startEndless();
    process.kill(await enginePidOf(hearth, endlessModel), 'SIGKILL');
    expectProvoked(await answer, 'crashed', /engine .*stopped/);
  });

  it('cancelled in the stream of a response that another client cancels', async () => {
    const live = await openStream(hearth.url, chat, { ...endless, store: true, background: true });
    const { response_id: id } = JSON.parse((await live.until('chat.start')).data);
    await live.until('message.delta');
    await post(hearth.url, `/api/v1/responses/${id}/cancel`, {});
    const { error } = JSON.parse((await live.until('"cancelled"')).data);
    expect(error).toMatchObject({ type: 'conflict', code: 'cancelled' });
    provoked.add('cancelled');
  });

  // covers error-14
  it('upstream_error and upstream_unavailable if a remote server fails', async () => {
    const failed = await post(hearth.url, chat, { model: 'broken/x', input: 'Hello!' });
    expectProvoked(failed, 'upstream_error', '"broken" failed: it sent an event that is not JSON');
    const absent = await post(hearth.url, chat, { model: 'gone/x', input: 'Hello!' });
    expectProvoked(absent, 'upstream_unavailable', '"gone" is not available');
    expect(absent.headers.get('retry-after')).toBe('1');
  });

  it('conversation_locked while a response is generated in the conversation', async () => {
    const { id: conversation } = (await post(hearth.url, '/v1/conversations', {})).body;
    const request = { model: endlessModel, input: 'Tell me a story', conversation };
    const live = await openStream(hearth.url, '/v1/responses', request);
    await live.until('response.created');
    const items = { items: [{ type: 'message', role: 'user', content: 'Hi' }] };
    const answer = await post(hearth.url, `/v1/conversations/${conversation}/items`, items);
    expect(answer.status).toBe(409);
    expect(answer.body.error.code).toBe('conversation_locked');
    live.disconnect();
    await waitForRequests(hearth.url, endlessModel, 0);
    provoked.add('conversation_locked');
    const unknown = await get(hearth.url, `/v1/conversations/${conversation}/items/msg_unknown`);
    expect(unknown.status).toBe(404);
    expect(unknown.body.error.code).toBe('item_not_found');
    provoked.add('item_not_found');
  });

  // covers v1-output-15, error-12
  it('storage_failed and internal if the database fails', async () => {
    const database = openSqlite(join(hearth.home, 'hearth.db'), { lockWaitMs: 5000 });
    database.exec(
      "create trigger full before insert on responses begin select raise(abort, 'no room'); end",
    );
    const unstored = await post(hearth.url, chat, hello);
    expectProvoked(unstored, 'storage_failed', 'could not be stored. Is the disk full?');
    const answer = { type: 'message', content: expect.stringMatching(/^Hello/) };
    expect(unstored.body.result.output).toEqual([answer]);
    expect(unstored.body.result).not.toHaveProperty('response_id');
    const { model, input } = hello;
    const reasoning = { effort: 'none' };
    const response = await post(hearth.url, '/v1/responses', { model, input, reasoning });
    expect(response).toMatchObject({ status: 500, body: { error: { code: 'storage_failed' } } });
    expect(response.body.result).toMatchObject({ status: 'failed', output: [{ type: 'message' }] });
    const messages = [{ role: 'user', content: input }];
    const stored = { model, messages, store: true };
    const completion = await post(hearth.url, '/v1/chat/completions', stored);
    expect(completion).toMatchObject({ status: 500, body: { error: { code: 'storage_failed' } } });
    const [choice] = completion.body.result.choices;
    expect(choice.message.content).toMatch(/^Hello/);
    database.exec('drop trigger full; alter table responses rename to lost');
    database.close();
    const failed = await get(hearth.url, '/api/v1/responses');
    const requestId = failed.headers.get('x-request-id') ?? '';
    expectProvoked(failed, 'internal', `its log says more under the request id ${requestId}`);
    const isLogged = (line: string) => line.includes(requestId) && line.includes('no such table');
    await expect.poll(() => hearth.log().split('\n').some(isLogged)).toBe(true);
  });

  // covers error-16
  it('shutting_down if the server stops while it works', async () => {
    const { answer } = await startEndless();
    const stopped = hearth.stop();
    expectProvoked(await answer, 'shutting_down', 'The server is stopping.');
    expect(await stopped).toBe(0);
  });
});

describe('a server whose engine follows a script', () => {
  const hearth = useHearth(async (home) => {
    const program = await writeScriptedEngine(home);
    const limit = '--models-memory-limit-bytes=300000000';
    return { flags: [`--engine-llama-server=${program}`, limit] };
  });

  it('memory_exceeded if it takes ever more memory', async () => {
    const input = JSON.stringify([{ isGrowing: true }]);
    const answer = await post(hearth.url, chat, { ...hello, input });
    expectProvoked(answer, 'memory_exceeded', 'the memory guard ended it');
  });

  it('invalid_output if it cannot parse what the model wrote, streamed or not', async () => {
    const input = JSON.stringify([{ isMalformed: true }]);
    const answer = await post(hearth.url, chat, { ...hello, input });
    expectProvoked(answer, 'invalid_output', 'cannot be parsed. Repeat the request');
    const thoughtful = JSON.stringify([{ reasoning: 'Hm.', isMalformed: true }]);
    const live = await openStream(hearth.url, chat, { ...hello, input: thoughtful });
    const { error } = JSON.parse((await live.until('"error"')).data);
    expect(error).toMatchObject({ type: 'invalid_output', code: 'invalid_output' });
    const { result } = JSON.parse((await live.until('chat.end')).data);
    expect(result.output).toEqual([{ type: 'reasoning', content: 'Hm.' }]);
    const stored = await get(hearth.url, `/api/v1/responses/${result.response_id}`);
    expect(stored.body).toMatchObject({ interrupted: true, output: result.output });
  });
});

describe('a server whose engine fails', () => {
  const hearth = useHearth(async (home) => {
    const model = await readFile(starterPath('chat'));
    const vanishing = await placeModel(home, 'bad/vanishing', model);
    await placeModel(home, 'bad/slow', model);
    const stub = await writeStubEngine(home, `rm '${vanishing}'`);
    return { flags: [`--engine-llama-server=${stub}`], environment: await fastTimers(home) };
  });

  it.each([
    // At the first load, Hearth queries the version of the engine, which removes the file.
    ['missing_file', 'bad/vanishing', 'The model file model-q8_0.gguf is missing'],
    ['load_timeout', 'bad/slow', 'did not load model-q8_0.gguf within 601 s'],
    ['engine_exited', hello.model, /stopped while it loaded .*the stub does not serve/],
  ] as const)('%s', async (code, model, message) => {
    expectProvoked(await post(hearth.url, load, { model }), code, message);
    expect(await instancesOf(hearth.url)).toEqual(new Map());
  });

  it('fails in v0 as well, streamed or not', async () => {
    for (const isStreamed of [false, true]) {
      const answer = await post(hearth.url, chatV0, { ...helloV0, stream: isStreamed });
      expectProvoked(answer, 'engine_exited', 'the stub does not serve', chatV0);
    }
  });

  it('model_loading if a load takes too long, and the load continues', async () => {
    const requests = [
      [chat, post(hearth.url, chat, { ...hello, model: 'bad/slow' })],
      [chatV0, post(hearth.url, chatV0, { ...helloV0, model: 'bad/slow' })],
    ] as const;
    for (const [path, request] of requests) {
      const answer = await request;
      expectProvoked(answer, 'model_loading', 'bad/slow still loads after 300 s', path);
      expect(answer.headers.get('retry-after')).toBe('10');
    }
    expect((await instancesOf(hearth.url)).get('bad/slow')).toMatchObject({ state: 'loading' });
  });

  it('load_timeout in a stream, which waits for the load', async () => {
    const events = await stream(hearth.url, chatV0, { ...helloV0, model: 'bad/slow' });
    expect(events.map(({ data }) => data)).toEqual([
      expect.stringMatching(/^\{"error":.*"load_timeout"/),
      '[DONE]',
    ]);
  });
});

describe('a server that requires tokens and has no engine', () => {
  let token: string;
  const hearth = useHearth(async (home) => {
    const permissions = ['models:write'] as const;
    ({ token } = await withTokens(home, (tokens) => tokens.create({ name: 'test', permissions })));
    await mkdir(join(home, 'runtimes'));
    return {
      // Port 9 (discard) is closed; Node itself was found before PATH matters.
      flags: ['--auth-required'],
      environment: {
        HTTPS_PROXY: 'http://127.0.0.1:9',
        PATH: '',
      },
    };
  });

  it('runtime_unavailable, with the solutions', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await post(hearth.url, load, { model: hello.model }, { headers });
    expectProvoked(answer, 'runtime_unavailable', /The release: .* The wheel: .* Three ways out: /);
  });

  it.each([
    [chat, hello],
    [chatV0, helloV0],
  ])('invalid_api_key and forbidden: %s', async (path, body) => {
    const anonymous = await post(hearth.url, path, body);
    expectProvoked(anonymous, 'invalid_api_key', 'This server requires a token', path);
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer');
    const headers = { authorization: `Bearer ${token}` };
    const refused = await post(hearth.url, path, body, { headers });
    expectProvoked(refused, 'forbidden', 'lacks the permission "chat"; it has: models:write', path);
  });
});

// covers error-2
it('provokes every error of the table', () => {
  const missed = Object.keys(errorTable).filter((code) => !provoked.has(code as ErrorCode));
  expect(missed).toEqual([]);
});
