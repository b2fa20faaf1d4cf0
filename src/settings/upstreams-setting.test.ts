import { describe, expect, it } from 'vitest';
import { loadSettings } from './settings.ts';

const load = async (upstreams: unknown) =>
  loadSettings({
    home: '/nowhere',
    environment: {},
    flags: {},
    configText: JSON.stringify({ upstreams }),
  });

it('completes what the settings of a remote server leave out', async () => {
  const { upstreams } = await load({ lab: { url: 'http://lab:8000/v1' } });
  expect(upstreams).toEqual({
    lab: { url: 'http://lab:8000/v1', kind: 'openai', maxConcurrent: 64, timeoutSeconds: 300 },
  });
});

it('takes JSON from the environment', async () => {
  const value = JSON.stringify({ lab: { url: ['http://a/v1', 'http://b/v1'], kind: 'vllm' } });
  const { upstreams } = await loadSettings({
    home: '/nowhere',
    environment: { HEARTH_UPSTREAMS: value },
    flags: {},
    configText: '{}',
  });
  expect(upstreams['lab']).toMatchObject({ url: ['http://a/v1', 'http://b/v1'], kind: 'vllm' });
});

describe('is refused', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['without an address', { lab: {} }],
    ['with no replica', { lab: { url: [] } }],
    ['with another scheme', { lab: { url: 'ftp://lab/v1' } }],
    ['with a slash in its name', { 'a/b': { url: 'http://lab/v1' } }],
    ['with an unknown kind', { lab: { url: 'http://lab/v1', kind: 'magic' } }],
    ['with an unknown field', { lab: { url: 'http://lab/v1', key: 'secret' } }],
    [
      'with an unknown field of a model',
      { lab: { url: 'http://lab/v1', models: { x: { typ: 'llm' } } } },
    ],
    ['as a list', [{ url: 'http://lab/v1' }]],
    ['as a text that is not JSON', 'lab'],
  ];
  it.each(cases)('%s', async (_name, upstreams) => {
    await expect(load(upstreams)).rejects.toThrow(
      /upstreams.*is not allowed.*It must be an object/s,
    );
    await expect(load(upstreams)).rejects.not.toThrow(/secret/);
  });
});
