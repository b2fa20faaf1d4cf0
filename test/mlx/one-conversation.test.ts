import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linkRuntimes } from '../setup/engine/link-runtimes.ts';
import { startLlamaReplica } from '../setup/engine/llama-replicas.ts';
import { sharedRuntimesFolder } from '../setup/engine/shared-runtimes.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { mlxRuntimesFolder } from '../setup/mlx/mlx-runtime.ts';
import { writeModelFolder } from '../setup/models/write-model-folder.ts';
import { startPostgres } from '../setup/postgres/postgres-server.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

/** One conversation across two servers on PostgreSQL and three engines. */

const postgres = useResource(() => startPostgres());
const replica = useResource(async () => {
  const llama = await startLlamaReplica('tiny');
  return { url: llama.url, close: () => llama.kill() };
});
const open = (runtimes: string) =>
  useHearth(async (home) => {
    await writeModelFolder(starterPath('chat'), join(home, 'models/mlx/chat'));
    const upstreams = { lab: { url: replica.url, kind: 'llama-server' } };
    await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
    linkRuntimes(home, runtimes);
    return { environment: { HEARTH_STORE_URL: postgres.url('postgres') } };
  });
const [first, second] = [open(sharedRuntimesFolder), open(mlxRuntimesFolder)];

it('continues from a local model to a remote one and to MLX, from server to server', async () => {
  const turns = [
    { server: first, model: 'hearth/starter-chat' },
    { server: second, model: 'lab/tiny' },
    { server: second, model: 'mlx/chat' },
    { server: first, model: 'hearth/starter-chat' },
  ];
  const questions = ['My boat is called Ada.', 'What is a harbour?', 'Is it far?', 'Thank you!'];
  let previous: string | undefined;
  let inputTokens = 0;
  for (const [index, { server, model }] of turns.entries()) {
    const request = {
      model,
      input: questions[index] ?? '',
      temperature: 0,
      reasoning: 'off',
      max_output_tokens: 24,
      ...(previous === undefined ? {} : { previous_response_id: previous }),
    };
    const { status, body } = await post(server.url, '/api/v1/chat', request);
    expect(status, JSON.stringify(body)).toBe(200);
    // The prompt contains the earlier turns.
    expect(body.stats.input_tokens).toBeGreaterThan(inputTokens);
    inputTokens = body.stats.input_tokens;
    previous = body.response_id;
  }
  for (const { url } of [first, second]) {
    const { body } = await get(url, '/api/v1/conversations?search=boat');
    expect(body.conversations).toMatchObject([{ response_count: 4, last_response_id: previous }]);
    const id = body.conversations[0].conversation_id as string;
    const tree = await get(url, `/api/v1/conversations/${id}`);
    expect(tree.body.responses.map((each: { readonly model: string }) => each.model)).toEqual(
      turns.map(({ model }) => model),
    );
  }
}, 120_000);
