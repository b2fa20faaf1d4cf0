import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { get } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const list = JSON.stringify({
  version: '2026-11-24T00:00:00Z',
  models: [
    {
      id: 'house-1b',
      type: 'llm',
      repository: 'acme/House-1B-GGUF',
      quantization: 'Q8_0',
      size_bytes: 1_200_000_000,
      license: 'apache-2.0',
      description: 'The model of this house.',
    },
  ],
});

/** @returns The address of the list. */
async function publish(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    response.end(url.endsWith('.sig') ? sign(null, Buffer.from(list), privateKey) : list);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/catalog.json`;
}

it('takes the list of well-known models from a signed file', async () => {
  const { home } = hearth;
  const shipped = await runHearth(['catalog', 'show'], { home });
  expect(shipped.stdout).toMatch(/^The catalog that ships with Hearth: \d\d models\n$/);

  const url = await publish();
  expect(await runHearth(['catalog', 'set', url], { home })).toMatchObject({ exitCode: 2 });
  const wrong = await runHearth(['catalog', 'set', url, '--key', 'AAAA'], { home });
  expect(wrong.stderr).toContain('The key must be an Ed25519 public key in Base64.');
  const set = await runHearth(['catalog', 'set', url, '--key', key], { home });
  expect(set.stdout, set.stderr).toContain(`${url}: 1 model of 2026-11-24T00:00:00Z, read `);

  const found = await runHearth(['get'], { home });
  expect(found.stdout).toContain('house-1b');
  expect(found.stdout).not.toContain('qwen3');
  const { body } = await get(hearth.url, '/api/v1/models/recommended');
  expect(body.models).toMatchObject([{ id: 'house-1b' }]);

  await hearth.stop();
  await hearth.restart();
  const kept = await runHearth(['catalog', 'show', '--json'], { home });
  expect(JSON.parse(kept.stdout)).toMatchObject({ source: { url, key }, model_count: 1 });
  expect(await runHearth(['catalog', 'refresh'], { home })).toMatchObject({ exitCode: 0 });
  await runHearth(['catalog', 'reset'], { home });
  expect((await runHearth(['get'], { home })).stdout).toContain('qwen3');
});
