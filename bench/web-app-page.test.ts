import { expect, it } from 'vitest';
import { webAppMarkdown } from './web-app-page.ts';

it('shows medians beside their targets', () => {
  const surroundings = {
    date: '2026-11',
    hearth: '0.1.0',
    cpu: 'AMD EPYC',
    cores: 2,
    platform: 'linux-x64',
    browser: 'Chromium 140',
  };
  const text = webAppMarkdown({
    surroundings,
    figures: [
      { name: 'interactive after', unit: 'ms', values: [310, 290, 1200], atMost: 1000 },
      { name: 'accessibility of /chat', unit: 'points', values: [90], atLeast: 95 },
      { name: 'main entry', unit: 'KB', values: [118.9] },
    ],
  });
  expect(text.split('\n')).toEqual([
    'Measured on 2026-11 with Hearth 0.1.0: linux-x64, 2 × AMD EPYC, Chromium 140.',
    '',
    '| Measurement | Unit | Median | Range | Target | Result |',
    '| --- | --- | --: | --: | --- | --- |',
    '| interactive after | ms | 310 | 290 to 1200 | ≤ 1000 | ok |',
    '| accessibility of /chat | points | 90.0 |  | ≥ 95 | miss |',
    '| main entry | KB | 119 |  |  |  |',
  ]);
});
