import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import type { DownloadJob, DownloadPlan } from './downloads.ts';
import { modelKeyOfStart, modelKeysOf } from './model-keys.ts';

const planOf = (name: string, ...targets: readonly string[]): DownloadPlan => ({
  model: name,
  owner: 'Acme',
  name,
  commit: 'c',
  quantization: null,
  files: targets.map((target) => ({
    path: target,
    target,
    sizeBytes: 1,
    checksum: { algorithm: 'sha256', hex: 'aa' },
  })),
});
const jobOf = (plan: DownloadPlan, status: DownloadJob['status']): DownloadJob => ({
  id: 'job_0123456789',
  plan,
  status,
  totalBytes: 1,
  downloadedBytes: 1,
  startedAt: new Date(0),
  completedAt: null,
  failure: null,
  bytesPerSecond: undefined,
  estimatedCompletionAt: undefined,
});
const variant = (...files: readonly string[]) => ({
  id: 'q8_0',
  quantization: { name: 'Q8_0', bitsPerWeight: 8.5 },
  path: files[0] ?? '',
  files,
  sizeBytes: 1,
});
const models = [
  modelEntry({ key: 'acme/flat', variants: [variant('/models/Acme/Flat-GGUF/flat.gguf')] }),
  modelEntry({
    key: 'acme/deep-2',
    variants: [variant('C:\\models\\acme\\deep\\Q8_0\\deep.gguf')],
  }),
];

/** A library that counts how often it is read. */
function libraryOf() {
  const library = { reads: 0, list: async () => ((library.reads += 1), models) };
  return library;
}

describe('modelKeysOf', () => {
  it('finds the model of a completed download by its files, in any case and on any system', async () => {
    const done = jobOf(planOf('Flat-GGUF', 'flat.gguf'), 'completed');
    const keyOf = await modelKeysOf(libraryOf(), [done]);
    expect(keyOf(done.plan)).toBe('acme/flat');
    expect(keyOf(planOf('Deep', 'mmproj.gguf', 'Q8_0/Deep.gguf'))).toBe('acme/deep-2');
  });

  it('expects the name of the repository for a model that is not in the library', async () => {
    const library = libraryOf();
    const paused = jobOf(planOf('Flat-GGUF', 'flat.gguf'), 'paused');
    const keyOf = await modelKeysOf(library, [paused, jobOf(paused.plan, 'downloading')]);
    expect(keyOf(paused.plan)).toBe('acme/flat');
    expect(keyOf(planOf('Deep-GGUF', 'Q8_0/deep.gguf'))).toBe('acme/deep');
    expect(library.reads).toBe(0);
    expect((await modelKeysOf(library, []))(planOf('New'))).toBe('acme/new');
  });

  it('reads the library if any of the jobs is complete', async () => {
    const library = libraryOf();
    const plan = planOf('Deep', 'Q8_0/deep.gguf');
    const keyOf = await modelKeysOf(library, [jobOf(plan, 'paused'), jobOf(plan, 'completed')]);
    expect([keyOf(plan), library.reads]).toEqual(['acme/deep-2', 1]);
  });
});

describe('modelKeyOfStart', () => {
  const plan = planOf('Deep', 'Q8_0/deep.gguf');

  it.each([
    ['a running job', { kind: 'job', job: jobOf(plan, 'downloading') }, 'acme/deep'],
    ['a completed job', { kind: 'job', job: jobOf(plan, 'completed') }, 'acme/deep-2'],
    ['files that are present', { kind: 'already_downloaded', plan }, 'acme/deep-2'],
  ] as const)('is the key of %s', async (_case, start, key) => {
    expect(await modelKeyOfStart(libraryOf(), start)).toBe(key);
  });
});
