import { expect, it } from 'vitest';
import { ExposedNames } from './exposed-names.ts';

function tool(serverLabel: string, name: string) {
  return { serverLabel, name };
}

it('keeps a valid and unique name', () => {
  expect(new ExposedNames().offer([tool('a', 'read-file_2')])).toEqual(['read-file_2']);
});

// covers v1-integration-13
it('distinguishes tools of two servers by their labels', () => {
  const tools = [tool('files', 'read'), tool('mail', 'read'), tool('mail', 'send')];
  expect(new ExposedNames().offer(tools)).toEqual(['files_read', 'mail_read', 'send']);
});

it('distinguishes names that differ only in invalid characters', () => {
  const tools = [tool('a', 'x y'), tool('a', 'x.y'), tool('a', 'x_y')];
  expect(new ExposedNames().offer(tools)).toEqual(['a_x_y', 'a_x_y_2', 'a_x_y_3']);
});

it('keeps within 64 characters, for any label', () => {
  const long = 'n'.repeat(80);
  const offered = new ExposedNames().offer([tool('l'.repeat(64), long), tool('b', long)]);
  expect(new Set(offered).size).toBe(2);
  for (const name of offered) expect(name).toMatch(/^[\w-]{1,64}$/u);
});

it('never changes an assigned name', () => {
  const names = new ExposedNames();
  expect(names.offer([tool('a', 'add')])).toEqual(['add']);
  expect(names.offer([tool('b', 'add'), tool('a', 'add')])).toEqual(['b_add', 'add']);
  expect(names.offer([tool('b', 'add')])).toEqual(['b_add']);
});
