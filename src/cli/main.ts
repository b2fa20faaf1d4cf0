#!/usr/bin/env node
import { createRequire } from 'node:module';
import { quickCommands } from './quick-commands.ts';

// The build puts the quick commands into one file, since loading many files takes most of their time.
const [, , name = ''] = process.argv;
const isQuick = quickCommands.some((each) => each.name === name || each.aliases?.includes(name));
if (isQuick) createRequire(import.meta.url)('./quick-start.js');
else void import('./all-commands.ts');
