import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { checkLaunch } from './check-launch.ts';
import type { LaunchSpec } from './launch.ts';

const spec: LaunchSpec = {
  runtime: {
    name: 'llama.cpp-linux-x64-cpu',
    version: 'b1',
    supportedFormats: ['gguf'],
    source: 'release',
    command: 'llama-server',
    leadingArguments: [],
  },
  modelPath: import.meta.filename,
  purpose: 'generation',
  contextLength: 4096,
  parallel: 1,
  promptCacheMiB: 0,
  loadTimeoutMs: 1_000,
};
const gone = `${import.meta.filename}.gone`;

it('accepts valid settings', async () => {
  await expect(checkLaunch({ ...spec, expertCount: 2 })).resolves.toBeUndefined();
});

it.each([{ modelPath: gone }, { projectorPath: gone }])('reports a missing file', async (more) => {
  await expect(checkLaunch({ ...spec, ...more })).rejects.toMatchObject({
    code: 'missing_file',
    message: `The model file ${basename(gone)} is missing.`,
  });
});

it('rejects an expert count, which the wheel cannot set', async () => {
  const runtime = { ...spec.runtime, source: 'wheel' } as const;
  await expect(checkLaunch({ ...spec, runtime, expertCount: 2 })).rejects.toMatchObject({
    code: 'invalid_value',
    field: 'expertCount',
  });
});
