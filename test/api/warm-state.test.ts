import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { starterPath } from '../setup/engine/test-engines.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { seededRandom } from '../setup/seeded-random.ts';
import { post } from '../setup/server/api.ts';
import { enginePidOf } from '../setup/server/loaded-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { complete, respond } from '../setup/warm-state/responses-client.ts';

const copied = 'test/copied';
const flags = ['--engine-parallel=2', '--engine-cache-contexts=1'];
/** Number of conversations in the random test. If it is set, the seed differs from run to run. */
const conversationCount = Number(process.env['HEARTH_TEST_CONVERSATIONS'] ?? 10);
const turnsOfEach = 4;

const hearth = useHearth(async (home) => {
  const path = await placeModel(home, copied, new Uint8Array());
  await copyFile(starterPath('chat'), path);
  return { flags };
});
const reference = useHearth({ flags: ['--warm-max-bytes=0'] });

const keptFolder = (): string => join(hearth.home, 'warm-state', 'kept');
const diskStates = (): Promise<readonly string[]> => readdir(keptFolder());

/** Names and times of the saved files; undefined while one is being replaced. */
async function keptFiles(): Promise<string | undefined> {
  try {
    const names = await diskStates();
    const files = names.map(async (name) => [name, (await stat(join(keptFolder(), name))).mtimeMs]);
    return JSON.stringify(await Promise.all(files));
  } catch {
    return undefined;
  }
}

/** Waits until the latest states of all conversations are on disk: until no file has changed for a while. */
async function untilSaved(count: number): Promise<void> {
  let before: string | undefined;
  let unchanged = 0;
  await vi.waitFor(
    async () => {
      const files = await keptFiles();
      unchanged = files !== undefined && files === before ? unchanged + 1 : 0;
      before = files;
      expect(unchanged).toBeGreaterThan(10);
      const names = await diskStates();
      expect(names.filter((name) => name.endsWith('.state'))).toHaveLength(count);
      expect(names).toHaveLength(count);
    },
    { timeout: 15_000, interval: 50 },
  );
}

async function converse(turns: number, more: Readonly<Record<string, unknown>> = {}) {
  let last = await respond(hearth.url, 'Hello! Please tell me about yourself.', more);
  for (let turn = 2; turn <= turns; turn += 1) {
    const input = `Turn ${turn}: what is ${turn} plus ${turn}, and what can you do?`;
    last = await respond(hearth.url, input, { ...more, previous_response_id: last.id });
  }
  return last;
}

async function forget(id: string): Promise<void> {
  await fetch(`${hearth.url}/api/v1/responses/${id}`, { method: 'DELETE' });
}

describe('a stored conversation', () => {
  // covers server-23
  it('continues after the server was killed, without reading its history again', async () => {
    const tenth = await converse(10);
    await untilSaved(1);
    const question = 'What did you say about yourself?';
    const unbroken = await respond(hearth.url, question, { previous_response_id: tenth.id });
    expect(unbroken.cachedTokens).toBeGreaterThan(unbroken.promptTokens * 0.9);
    await hearth.kill();
    await hearth.restart();

    const restored = await respond(hearth.url, question, { previous_response_id: tenth.id });
    expect(restored.promptTokens).toBe(unbroken.promptTokens);
    expect(restored.cachedTokens).toBeGreaterThanOrEqual(unbroken.cachedTokens);
    expect(restored.text).toBe(unbroken.text);
    await forget(unbroken.id);
    await forget(restored.id);
    await forget(tenth.id);
    await untilSaved(0);
  });

  it('continues after an unload, in a branch from its middle, and is private to the user', async () => {
    const middle = await converse(4);
    const end = await respond(hearth.url, 'Tell me more.', { previous_response_id: middle.id });
    await untilSaved(1);
    const [name = ''] = await diskStates();
    expect((await stat(keptFolder())).mode & 0o777).toBe(0o700);
    expect((await stat(join(keptFolder(), name))).mode & 0o777).toBe(0o600);

    await post(hearth.url, '/api/v1/models/unload', { instance_id: 'hearth/starter-chat' });
    const branch = await respond(hearth.url, 'Stop. Who are you?', {
      previous_response_id: middle.id,
    });
    expect(branch.cachedTokens).toBeGreaterThan(branch.promptTokens * 0.8);
    for (const { id } of [end, branch, middle]) await forget(id);
    await untilSaved(0);
  });

  it('continues behind an answer whose reasoning later turns leave out', async () => {
    const options = {
      reasoning: { effort: 'low' },
      max_output_tokens: 300,
      instructions: 'You are Bramble, a gardener who answers in short sentences. '.repeat(5),
    };
    const talk = async (url: string) => respond(url, 'Hello! Who are you?', options);
    const first = await talk(hearth.url);
    await untilSaved(1);
    await hearth.kill();
    await hearth.restart();
    const question = 'And what is a river?';
    const next = await respond(hearth.url, question, {
      ...options,
      previous_response_id: first.id,
    });
    // Only the question and the beginning of the answer remain.
    expect(next.promptTokens - next.cachedTokens).toBeLessThan(24);

    const same = await talk(reference.url);
    expect(same.text).toBe(first.text);
    const read = await respond(reference.url, question, {
      ...options,
      previous_response_id: same.id,
    });
    expect(read.text).toBe(next.text);
    for (const { id } of [next, first]) await forget(id);
    await untilSaved(0);
  });

  it('is not restored into another model under the same name', async () => {
    const options = { model: copied };
    const last = await converse(3, options);
    await untilSaved(1);
    await hearth.stop();
    await placeOther();
    await hearth.restart();
    const next = await respond(hearth.url, 'And now?', {
      ...options,
      previous_response_id: last.id,
    });
    expect(next.cachedTokens).toBe(0);
    await forget(next.id);
    await forget(last.id);
    await untilSaved(0);
  });

  /** A model with the same dimensions and size: the engine would accept its states. */
  async function placeOther(): Promise<void> {
    const other = starterPath('vision');
    expect((await stat(other)).size).toBe((await stat(starterPath('chat'))).size);
    expect(dirname(other)).not.toBe(dirname(starterPath('chat')));
    await copyFile(other, join(hearth.home, 'models', copied, 'model-q8_0.gguf'));
  }
});

describe('a request that is not stored', () => {
  it('leaves nothing on disk, and a damaged state of another one is not used', async () => {
    const first = await converse(2);
    await untilSaved(1);
    const kept = await diskStates();
    await converse(1, { previous_response_id: first.id, store: false });
    await converse(1, { store: false, instructions: 'You are Bramble, a gardener.'.repeat(10) });
    await hearth.stop();
    expect(await diskStates()).toEqual(kept);

    // A damaged state is not restored.
    const path = join(keptFolder(), kept[0] ?? '');
    const bytes = await readFile(path);
    bytes[1000] = (bytes[1000] ?? 0) ^ 1;
    await writeFile(path, bytes);
    await hearth.restart();
    const next = await respond(hearth.url, 'Who are you?', { previous_response_id: first.id });
    expect(next.cachedTokens).toBe(0);
    expect(next.text).not.toBe('');
    await forget(next.id);
    await forget(first.id);
    await untilSaved(0);
  });
});

describe('requests that arrive together', () => {
  // About 3,500 tokens for each of 8 requests: more than half a second of reading on any machine.
  const instructions = Array.from({ length: 280 }, (_, index) => `Rule ${index}: be kind.`);

  async function load(): Promise<void> {
    const { status } = await post(hearth.url, '/api/v1/models/load', {
      model: copied,
      parallel: 8,
    });
    expect(status).toBe(200);
  }
  const ask = (): readonly ReturnType<typeof respond>[] =>
    Array.from({ length: 8 }, (_, index) =>
      respond(hearth.url, `Who is ${index}?`, {
        model: copied,
        instructions: instructions.join(' '),
        store: false,
        max_output_tokens: 4,
      }),
    );

  it('fail when the engine dies while one reads for all, and the next ones are answered', async () => {
    await load();
    const replies = ask();
    process.kill(await enginePidOf(hearth, copied), 'SIGKILL');
    const outcomes = await Promise.allSettled(replies);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringMatching(/^50\d: .*stopped/u) },
      });
    }
    expect((await Promise.all(ask().slice(0, 2))).map(({ text }) => text)).not.toContain('');
  });

  it('read a common beginning once', async () => {
    await load();
    const replies = await Promise.all(ask());
    const shares = replies.map(({ cachedTokens, promptTokens }) => cachedTokens / promptTokens);
    const [read, ...restored] = shares.toSorted((one, other) => one - other);
    expect(read).toBe(0);
    for (const share of restored) expect(share).toBeGreaterThan(0.9);
    await post(hearth.url, '/api/v1/models/unload', { instance_id: copied });
  });
});

describe('random conversations with branches, unloads and restarts', () => {
  it(
    'get the answers of an engine that reads everything',
    async () => {
      const random = seededRandom(
        process.env['HEARTH_TEST_CONVERSATIONS'] === undefined ? 12 : undefined,
      );
      const pick = <Item>(items: readonly Item[]): Item =>
        items[Math.floor(random() * items.length)] as Item;
      const topics = ['rivers', 'the number seven', 'Zorbek', 'a green door', 'your name', 'bread'];
      type Message = { readonly role: 'user' | 'assistant'; readonly content: string };
      interface Node {
        readonly id: string | undefined;
        readonly messages: readonly Message[];
      }
      let turns = 0;
      let cached = 0;
      const different: string[] = [];
      const trees = Array.from({ length: conversationCount }, (_, index) => {
        const content = `You are helper ${index}. ${'Be brief and kind. '.repeat(index % 5)}`;
        const nodes: Node[] = [{ id: undefined, messages: [] }];
        return { instructions: content, nodes };
      });
      for (let round = 0; round < turnsOfEach; round += 1) {
        for (const { instructions, nodes } of trees) {
          const node = random() < 0.7 ? (nodes.at(-1) as Node) : pick(nodes);
          const input = `What do you know about ${pick(topics)}? Answer in ${pick(['one', 'two', 'three'])} sentences.`;
          const reply = await respond(hearth.url, input, {
            instructions,
            ...(node.id === undefined ? {} : { previous_response_id: node.id }),
          });
          const messages: Message[] = [...node.messages, { role: 'user', content: input }];
          const expected = await complete(reference.url, [
            { role: 'system', content: instructions },
            ...messages,
          ]);
          turns += 1;
          if (reply.cachedTokens > 0) cached += 1;
          if (reply.text !== expected.text) {
            const found = `${JSON.stringify(reply.text)} for ${JSON.stringify(expected.text)}`;
            if (!expected.isClose(reply.text)) throw new Error(found);
            different.push(found);
          }
          nodes.push({
            id: reply.id,
            messages: [...messages, { role: 'assistant', content: reply.text }],
          });
          if (random() < 1 / 12) await pick([unload, restart, killed])();
        }
      }
      console.info(
        `${trees.length} conversations, ${turns} turns, ${cached} with cached tokens, ` +
          `${different.length} with another answer\n${different.join('\n')}`,
      );
      expect(different.length).toBeLessThanOrEqual(Math.max(1, Math.ceil(turns * 0.02)));
      expect(cached).toBeGreaterThan(0);
    },
    Math.max(60_000, conversationCount * 10_000),
  );

  async function unload(): Promise<void> {
    await post(hearth.url, '/api/v1/models/unload', { instance_id: 'hearth/starter-chat' });
  }
  async function restart(): Promise<void> {
    await hearth.stop();
    await hearth.restart();
  }
  async function killed(): Promise<void> {
    await hearth.kill();
    await hearth.restart();
  }
});
