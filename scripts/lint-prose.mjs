// Fails for English in comments, strings and pages that scripts/lint/prose-style.mjs does not allow.
import { checkProse } from './lint/check-prose.mjs';
import { printProblems, readFiles } from './lint/list-files.mjs';

printProblems(await checkProse(await readFiles()));
