#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { systemServiceFolder } from '../home/system-service-folder.ts';
import { Interruption } from './failure.ts';
import { runProgram } from './program.ts';
import { stopSignals } from './stop-signals.ts';
import { createTerminal } from './ui/terminal.ts';

// Keeps V8 from optimizing the WebAssembly in which undici parses HTTP, which would take 40 MB of memory and half a second
// of CPU time after a few MB. Parsing is a small part of the cost of a response, so the faster code never pays off. The
// flag applies to the whole process, so only the program sets it, not the package, and before the first request.
setFlagsFromString('--liftoff-only');

// The old generation is collected when it has grown by a fifth. By default V8 lets it double: what streams leave behind took
// 50 MB after 2,000 requests. A collection takes some 10 ms, on threads of its own for the most part.
setFlagsFromString('--heap-growing-percent=20');

const { stdin, stdout, stderr, env: environment } = process;
const [, entryPoint = '', ...commandLine] = process.argv;

const stopping = new AbortController();
const stoppedBy = stopSignals({
  platform: process.platform,
  processStatus: process.platform === 'linux' ? readProcessStatus() : undefined,
  isTerminal: stdout.isTTY,
});
for (const name of stoppedBy) {
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

function readProcessStatus(): string | undefined {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return undefined;
  }
}

function exit(code: number): never {
  // oxlint-disable-next-line no-process-exit -- the only exit point: open handles must not keep the command alive
  process.exit(code);
}
