import { expect, it } from 'vitest';
import { parseState } from './find-service.ts';

it.each([
  ['active\n', 'active'],
  ['inactive\n', 'inactive'],
  [
    'gui/501/hearth.server = {\n\tactive count = 1\n\tpath = /a/b.plist\n\tstate = running\n\n\tpid = 7\n}\n',
    'running',
  ],
  ['system/hearth.server = {\n\tstate = not running\n}\n', 'not running'],
  ['', null],
])('reads the state in %j', (stdout, state) => {
  expect(parseState(stdout)).toBe(state);
});
