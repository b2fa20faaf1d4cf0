import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createMemoryTerminal } from '../../../test/setup/cli/memory-terminal.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import type { CommandContext } from '../command.ts';
import { installService, restartService } from './apply-steps.ts';
import { run, type ServiceDefinition } from './service-definition.ts';

const context: CommandContext = {
  home: '/home/ada/.hearth',
  environment: process.env,
  terminal: createMemoryTerminal().terminal,
  stdin: Readable.from([]),
  entryPoint: '/opt/hearth/main.js',
  signal: new AbortController().signal,
};

const node = (code: string): readonly string[] => [process.execPath, '--eval', code];
const fail = run(...node('console.error("Job failed."); process.exit(3)'));

/** A service whose server does not start. */
function brokenService(file: string, log: string): ServiceDefinition {
  return {
    name: 'hearth.service',
    file,
    files: [{ type: 'file', path: file, content: 'the unit' }],
    register: [],
    start: [fail],
    restart: [fail],
    uninstall: [],
    stateCommand: undefined,
    logsCommand: () => node(`console.log(${JSON.stringify(log)})`),
    notes: [],
    kept: [],
  };
}

const message =
  'hearth.service is installed, but did not start: Port 80 is in use.\nIts log: hearth service logs';

it('says why the server does not start, in the words of its last error', async () => {
  const file = join(await temporaryFolder(), 'hearth.service');
  const log = 'error: Port 1 is in use.\nStarting\nerror: Port 80 is in use.\nFailed with result';
  const service = brokenService(file, log);
  await expect(installService(service, context)).rejects.toThrow(message);
  // Nothing has changed, so the service is started, not restarted.
  await expect(installService(service, context)).rejects.toThrow(message);
  await expect(restartService(service, context)).rejects.toThrow(message);
});

it('says what the service manager says if the server has no error', async () => {
  const file = join(await temporaryFolder(), 'hearth.service');
  await writeFile(file, 'the unit');
  const failure = installService(brokenService(file, 'Hearth is listening'), context);
  await expect(failure).rejects.toThrow(/failed with exit code 3\.\nJob failed\.$/);
});
