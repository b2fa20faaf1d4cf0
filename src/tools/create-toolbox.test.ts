import { expect, it } from 'vitest';
import { testContext } from '../../test/setup/test-context.ts';
import { createToolbox } from './create-toolbox.ts';
import type { ListedTool } from './tool-list.ts';
import { EndlessCheckError } from './tool-schema.ts';
import { CpuTimeError } from './within-cpu-time.ts';

function toolboxOf(findIssue: ListedTool['schema']['findIssue'], allowedTools?: readonly string[]) {
  const tools = ['one', 'two'].map((name) => ({
    name,
    description: undefined,
    parameters: {},
    schema: { findIssue },
  }));
  const source = {
    label: 'a',
    provider: { type: 'plugin', pluginId: 'mcp/a' },
    allowed: allowedTools === undefined ? {} : { names: allowedTools },
    approval: undefined,
    connection: {
      list: () => ({ tools, leftOut: new Map<string, string>() }),
      call: async (name: string) => ({ content: [{ type: 'text', text: name }], isError: false }),
      close: async () => {},
    },
  } as const;
  return createToolbox([source], testContext().logger, async () => {});
}

it('returns the allowed tools, as the same objects each time', async () => {
  const toolbox = toolboxOf(() => undefined, ['two']);
  const [tool, ...others] = toolbox.tools();
  expect([tool?.name, others]).toEqual(['two', []]);
  expect(toolbox.tools()[0]).toBe(tool);
  expect(await tool?.call({}, testContext())).toMatchObject({ content: [{ text: 'two' }] });
});

it('explains why arguments are invalid', () => {
  const [tool] = toolboxOf((args) =>
    args['x'] === 1 ? undefined : 'arguments/x must be 1',
  ).tools();
  expect(tool?.findArgumentIssue({ x: 1 })).toBeUndefined();
  expect(tool?.findArgumentIssue({})).toBe(
    "The arguments of one don't fit its schema: arguments/x must be 1",
  );
});

// covers v1-integration-16
it.each([
  ['takes too long', CpuTimeError],
  ['never ends', EndlessCheckError],
])('rejects a call whose check %s, and all later calls of the tool', (_, CheckError) => {
  let checks = 0;
  const [one, two] = toolboxOf(() => {
    checks += 1;
    if (checks === 1) throw new CheckError();
    return undefined;
  }).tools();
  expect(one?.findArgumentIssue({})).toMatch(/^The arguments of one could not be checked/u);
  expect(one?.findArgumentIssue({})).toMatch(/^The arguments of one could not be checked/u);
  expect(checks).toBe(1);
  expect(two?.findArgumentIssue({})).toBeUndefined();
});
