import { setFlagsFromString } from 'node:v8';
import { commandTable } from './command-table.ts';
import { runProcess } from './run-process.ts';

// Keeps V8 from optimizing the WebAssembly in which undici parses HTTP, which would take 40 MB of memory and half a second
// of CPU time after a few MB. Parsing is a small part of the cost of a response, so the faster code never pays off. The
// flag applies to the whole process, so only the program sets it, not the package, and before the first request.
setFlagsFromString('--liftoff-only');

await runProcess(commandTable);
