import { expect, it } from 'vitest';
import { attachment } from './attachment.ts';

it.each([
  ['plan.md', 'plan.md'],
  ["Ada's (first) *plan*.json", 'Ada%27s%20%28first%29%20%2Aplan%2A.json'],
  ['../../a\\b', '.._.._a_b'],
  ['Überblick 表', '%C3%9Cberblick%20%E8%A1%A8'],
  ['half \uD83D', 'half%20%EF%BF%BD'],
])('names the file %j', (name, encoded) => {
  expect(attachment(name)).toBe(`attachment; filename*=UTF-8''${encoded}`);
});
