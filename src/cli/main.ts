#!/usr/bin/env node
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type { run } from './all-commands.ts';
import { loadWithCompiledCode } from './compiled-code.ts';
import { quickCommands } from './quick-commands.ts';

/** Hash of `hearth.cjs`; the build sets it. */
declare const programHash: string;

// The build bundles the quick commands into one file, since loading many files would take most of their time. A second
// file has everything; the server keeps its compiled code.
const requireFile = createRequire(import.meta.url);
const [, , name = ''] = process.argv;
const isQuick =
  ['-v', '--version'].includes(name) ||
  quickCommands.some((each) => each.name === name || each.aliases?.includes(name));
if (isQuick) requireFile('./quick-start.js');
else runAll();

function runAll(): void {
  // Keeps V8 from optimizing the WebAssembly with which undici parses HTTP, which after a few MB would take 40 MB of
  // memory and half a second of CPU time. Parsing is a small part of the cost of a response, so that would never pay
  // off. The flag applies to the whole process and must be set before the first request, so the program sets it, not
  // the package.
  setFlagsFromString('--liftoff-only');
  const file = requireFile.resolve('../hearth.cjs');
  const { exports, keepCompiledCode } = loadWithCompiledCode(file, programHash);
  void (exports as { readonly run: typeof run }).run(keepCompiledCode);
}
