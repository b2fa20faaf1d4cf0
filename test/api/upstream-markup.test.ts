import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startLlamaReplica, type LlamaReplica } from '../setup/engine/llama-replicas.ts';
import { post, stream } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** A server that leaves reasoning as markup in the text. */
let replica: LlamaReplica | undefined;

const hearth = useHearth(async (home) => {
  replica = await startLlamaReplica('tiny', { '--reasoning-format': 'none' });
  const models = { tiny: { reasoning: true } };
  const upstreams = { lab: { url: replica.url, kind: 'vllm', models } };
  await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
});

afterAll(() => replica?.kill());

const hello = { model: 'lab/tiny', input: 'Hello!', temperature: 0, reasoning: 'on' };
const output = [
  { type: 'reasoning', content: 'The user says: Hello!\nI should greet the user.' },
  { type: 'message', content: 'Hello! How can I help you today?' },
];

it('separates reasoning from the answer', async () => {
  const { body } = await post(hearth.url, '/api/v1/chat', hello);
  expect(body).toMatchObject({ output });
  expect(body.stats.reasoning_output_tokens).toBeGreaterThan(0);
});

it('streams both as events of their own', async () => {
  const events = await stream(hearth.url, '/api/v1/chat', hello);
  const textOf = (name: string) =>
    events
      .filter(({ event }) => event === name)
      .map(({ data }) => JSON.parse(data).content)
      .join('');
  expect(textOf('reasoning.delta')).toBe(output[0]?.content);
  expect(textOf('message.delta')).toBe(output[1]?.content);
});
