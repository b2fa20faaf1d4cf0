#!/usr/bin/env node
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type * as allCommands from './all-commands.ts';
import { loadWithCompiledCode } from './compiled-code.ts';
import { quickCommands } from './quick-commands.ts';

/** Of `all-commands.cjs`; the build sets it. */
declare const allCommandsHash: string;

// The build puts the quick commands into one file, since loading all commands takes most of their time.
const [, , name = ''] = process.argv;
const isQuick = quickCommands.some((each) => each.name === name || each.aliases?.includes(name));
if (isQuick) {
  createRequire(import.meta.url)('./quick-start.js');
} else {
  // Keeps V8 from optimizing the WebAssembly in which undici parses HTTP, which would take 40 MB of memory and half a second
  // of CPU time after a few MB. Parsing is a small part of the cost of a response, so the faster code never pays off. The
  // flag applies to the whole process, so only the program sets it, not the package, and before the first request.
  setFlagsFromString('--liftoff-only');
  const file = join(import.meta.dirname, '../all-commands.cjs');
  const { exports, keepCompiledCode } = loadWithCompiledCode(file, allCommandsHash);
  void (exports as typeof allCommands).run(keepCompiledCode);
}
