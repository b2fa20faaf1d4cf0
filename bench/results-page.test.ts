import { expect, it } from 'vitest';
import type { Surroundings } from './report.ts';
import { resultsMarkdown } from './results-page.ts';

const surroundings: Surroundings = {
  date: '2026-11-21',
  hearth: '0.1.0',
  cpu: 'AMD EPYC',
  cores: 2,
  memoryBytes: 25e9,
  platform: 'linux-x64',
  node: 'v20.20.2',
  runtime: 'llama.cpp b11549',
  model: 'starter models',
  parallel: 8,
  threads: 1,
  rounds: 5,
};

it('shows a comparison as a table with the machine above it', () => {
  const text = resultsMarkdown({
    surroundings,
    against: 'bare',
    rows: [
      {
        name: '1 stream',
        unit: 'tokens/s',
        hearth: { value: 2349.4, low: 2300, high: 2400 },
        other: { value: 2446.1, low: 2400, high: 2500 },
        ratio: { value: 0.96, low: 0.91, high: 0.97 },
        target: { of: 'ratio', atLeast: 0.85 },
        isReached: true,
      },
      { name: 'memory', unit: 'MB', hearth: { value: 14, low: 14, high: 14 } },
    ],
  });
  expect(text).toMatch(/^Measured on 2026-11-21 with Hearth 0\.1\.0: linux-x64, 2 × AMD EPYC/);
  expect(text).toContain('8 slots, threads: 1, rounds: 5.');
  expect(text.split('\n').slice(2)).toEqual([
    '| Measurement | Unit | Hearth | bare | Ratio | Range | Target | Result |',
    '| --- | --- | --: | --: | --: | --: | --- | --- |',
    '| 1 stream | tokens/s | 2349 | 2446 | 0.96 | 0.91 to 0.97 | ratio ≥ 0.85 | ok |',
    '| memory | MB | 14.0 |  |  |  |  |  |',
  ]);
});

it('shows estimates as a table', () => {
  const text = resultsMarkdown({
    surroundings,
    estimates: [
      {
        model: 'hearth/starter-chat',
        contextLength: 512,
        parallel: 1,
        kvCacheType: 'f16',
        predictedBytes: 60e6,
        loadedBytes: 44.3e6,
        filledBytes: 50e6,
        ratio: 1.2,
      },
    ],
  });
  expect(text).toContain(
    '| hearth/starter-chat | 512 | 1 | f16 | 60.0 MB | 44.3 MB | 50.0 MB | 1.20 | miss |',
  );
});
