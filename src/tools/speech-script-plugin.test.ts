import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTools, trusted, type TestToolServers } from '../../test/setup/mcp/open-tools.ts';
import {
  refusedOptions,
  refusedTexts,
  speechScriptCases,
} from '../../test/fixtures/speech-script-cases.ts';
import type { SpeechScriptRefusal } from '../../test/fixtures/speech-script/refusals.ts';
import { speechScriptPlugin } from './speech-script-plugin.ts';
import type { Tool } from './toolbox.ts';

let servers: TestToolServers;
let format: Tool;

beforeAll(async () => {
  servers = await openTools({ builtInPlugins: [speechScriptPlugin] });
  const toolbox = await servers.openPlugin('speech-script', ['format']);
  const [tool] = toolbox.tools();
  if (tool === undefined) throw new Error('no tool format');
  format = tool;
});
afterAll(() => servers.close());

async function call(options: object): Promise<{ isError: boolean; text: string }> {
  const { isError, content } = await format.call({ ...options }, trusted);
  expect(content).toEqual([{ type: 'text', text: expect.any(String) }]);
  return { isError, text: String(content[0]?.['text']) };
}

describe('mcp/speech-script', () => {
  // covers script-11
  it.each(speechScriptCases)('$name', async ({ options, result }) => {
    expect(format.findArgumentIssue({ ...options })).toBeUndefined();
    const { isError, text } = await call(options);
    expect({ isError, result: JSON.parse(text) }).toEqual({ isError: false, result });
  });

  const isEmpty = ({ options }: SpeechScriptRefusal): boolean => options['text'] === '';
  const unsayable = refusedTexts.filter((refusal) => !isEmpty(refusal));
  it.each(unsayable)('explains to the model why it rejects $name', async ({ options, message }) => {
    expect(format.findArgumentIssue(options)).toBeUndefined();
    const { isError, text } = await call(options);
    expect(isError).toBe(true);
    expect(text).toMatch(message);
  });

  it.each([...refusedOptions, ...refusedTexts.filter(isEmpty)])(
    'takes no call with $name',
    ({ options }) => {
      expect(format.findArgumentIssue(options)).toMatch(
        /^The arguments of format don't fit its schema: arguments/u,
      );
    },
  );
});
