import { expect, it } from 'vitest';
import { ExposedNames } from './exposed-names.ts';

function tool(serverLabel: string, name: string) {
  return { serverLabel, name };
}

it('offers a name unchanged if nothing stands against it', () => {
  expect(new ExposedNames().offer([tool('a', 'read-file_2')])).toEqual(['read-file_2']);
});

it('tells tools of two servers apart by their labels', () => {
  const tools = [tool('files', 'read'), tool('mail', 'read'), tool('mail', 'send')];
  expect(new ExposedNames().offer(tools)).toEqual(['files_read', 'mail_read', 'send']);
});

it('makes names that differ only in what is not allowed different', () => {
  const tools = [tool('a', 'x y'), tool('a', 'x.y'), tool('a', 'x_y')];
  expect(new ExposedNames().offer(tools)).toEqual(['a_x_y', 'a_x_y_2', 'a_x_y_3']);
});

it('keeps within 64 characters, whatever the label', () => {
  const long = 'n'.repeat(80);
  const offered = new ExposedNames().offer([tool('l'.repeat(64), long), tool('b', long)]);
  expect(new Set(offered).size).toBe(2);
  for (const name of offered) expect(name).toMatch(/^[\w-]{1,64}$/u);
});

it('never changes a name that it gave', () => {
  const names = new ExposedNames();
  expect(names.offer([tool('a', 'add')])).toEqual(['add']);
  expect(names.offer([tool('b', 'add'), tool('a', 'add')])).toEqual(['b_add', 'add']);
  expect(names.offer([tool('b', 'add')])).toEqual(['b_add']);
});
