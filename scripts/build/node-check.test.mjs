import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { nodeCheck } from './node-check.mjs';

function run(version) {
  const printed = [];
  const exitCodes = [];
  runInNewContext(nodeCheck('>=20.19'), {
    console: { error: (text) => printed.push(text) },
    process: { version, execPath: '/usr/bin/node', exit: (code) => exitCodes.push(code) },
  });
  return { printed, exitCodes };
}

it.each(['v0.10.48', 'v12.22.12', 'v18.20.8', 'v20.18.3'])(
  'refuses Node.js %s by name',
  (version) => {
    expect(run(version)).toEqual({
      printed: [
        expect.stringMatching(
          `^error: Hearth needs Node.js 20.19 or newer, and this is ${version} `,
        ),
      ],
      exitCodes: [1],
    });
  },
);

it.each(['v20.19.0', 'v20.20.2', 'v22.0.0', 'v24.1.0'])('accepts Node.js %s', (version) => {
  expect(run(version)).toEqual({ printed: [], exitCodes: [] });
});

it('needs a range that it can check', () => {
  expect(() => nodeCheck('^20 || >=22')).toThrow('not >=MAJOR.MINOR');
});
