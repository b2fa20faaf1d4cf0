import { describe, expect, it } from 'vitest';
import { decideCall, hintsOf } from './call-policy.ts';

const plugin = { type: 'plugin', pluginId: 'mcp/files' } as const;
const ephemeral = { type: 'ephemeralMcp', serverLabel: 'wiki' } as const;
const readOnly = { readOnlyHint: true };

describe('a call without a choice', () => {
  it.each([
    ['a read-only tool of a plugin', plugin, readOnly, 'run'],
    ['a tool of a plugin without hints', plugin, undefined, 'ask'],
    ['a destructive tool', plugin, { destructiveHint: true }, 'ask'],
    ['a tool that says both', plugin, { readOnlyHint: true, destructiveHint: true }, 'ask'],
    ['a hint that is not a boolean', plugin, { readOnlyHint: 'true' }, 'ask'],
    ['a tool that is not read-only', plugin, { readOnlyHint: false }, 'ask'],
    ['a read-only tool of a server that a request names', ephemeral, readOnly, 'ask'],
  ] as const)('%s', (_, provider, annotations, decision) => {
    const tool = annotations === undefined ? { provider } : { provider, annotations };
    expect(decideCall(tool, [])).toBe(decision);
  });
});

it.each([
  [[true], 'run'],
  [[false], 'refuse'],
  [[true, false], 'refuse'],
  [[false, true], 'refuse'],
] as const)('the choices %j make it %s, whatever the tool says', (choices, decision) => {
  expect(decideCall({ provider: ephemeral }, choices)).toBe(decision);
  expect(decideCall({ provider: plugin, annotations: readOnly }, choices)).toBe(decision);
});

it('passes on only the hints of MCP, which are booleans', () => {
  const annotations = { ...readOnly, destructiveHint: 'no', title: 'Files', x: { y: 1 } };
  expect(hintsOf({ annotations })).toEqual(readOnly);
  expect(hintsOf({})).toEqual({});
});
