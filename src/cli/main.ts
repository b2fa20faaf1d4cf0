#!/usr/bin/env node
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type { run } from './all-commands.ts';
import { loadWithCompiledCode } from './compiled-code.ts';
import { quickCommands } from './quick-commands.ts';

/** Of `all-commands.cjs`; the build sets it. */
declare const allCommandsHash: string;

// The build puts the quick commands into one file, since loading many files takes most of their time, and all commands, for
// the server, into another one, whose compiled code is kept.
const requireFile = createRequire(import.meta.url);
const [, , name = ''] = process.argv;
const isQuick = quickCommands.some((each) => each.name === name || each.aliases?.includes(name));
if (isQuick) requireFile('./quick-start.js');
else runAll();

function runAll(): void {
  // Keeps V8 from optimizing the WebAssembly in which undici parses HTTP, which would take 40 MB of memory and half a second
  // of CPU time after a few MB. Parsing is a small part of the cost of a response, so the faster code never pays off. The
  // flag applies to the whole process, so only the program sets it, not the package, and before the first request.
  setFlagsFromString('--liftoff-only');
  if (!process.argv.includes('serve')) {
    void import('./all-commands.ts').then((allCommands) => allCommands.run());
    return;
  }
  const file = requireFile.resolve('../all-commands.cjs');
  const { exports, keepCompiledCode } = loadWithCompiledCode(file, allCommandsHash);
  void (exports as { readonly run: typeof run }).run(keepCompiledCode);
}
