import { expect, it } from 'vitest';
import { runCommand } from '../../../test/setup/cli/run-command.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

it.each([
  [['set', 'a/b'], 'Nothing to set. Add an option'],
  [['set', 'a/b', '--unset', 'base'], '--unset: there is no setting "base"'],
  [['set', 'a/b', '--temperature', '3'], 'Allowed: a number from 0 to 2'],
  [['set', 'a/b', '--chat-template', '/none.jinja'], "/none.jinja can't be read"],
])('refuses `hearth model %s` before it sends a request', async (commandLine, message) => {
  const home = await temporaryFolder();
  const { stderr } = await runCommand(['--home', home, 'model', ...commandLine]);
  expect(stderr).toContain(message);
});
