#!/usr/bin/env node
import { systemServiceFolder } from '../home/system-service-folder.ts';
import { Interruption } from './failure.ts';
import { runProgram } from './program.ts';
import { createTerminal } from './ui/terminal.ts';

const { stdin, stdout, stderr, env: environment } = process;
const [, entryPoint = '', ...commandLine] = process.argv;

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (stopping.signal.aborted) exit(130);
    stopping.abort(new Interruption(name));
  });
}

const exitCode = await runProgram(commandLine, {
  environment,
  entryPoint,
  terminal: createTerminal({ stdout, stderr, environment }),
  stdin,
  serviceFolder: systemServiceFolder(process.platform, environment),
  signal: stopping.signal,
});
stdout.write('', () => exit(exitCode));

function exit(code: number): never {
  // oxlint-disable-next-line no-process-exit -- the only exit point: open handles must not keep the command alive
  process.exit(code);
}
