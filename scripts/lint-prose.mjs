// Fails for comments, strings and pages that violate scripts/lint/prose-style.mjs.
import { checkProse } from './lint/check-prose.mjs';
import { printProblems, readFiles } from './lint/list-files.mjs';

printProblems(await checkProse(await readFiles()));
