// Fails for identifiers and file names that violate scripts/lint/name-rules.mjs.
import { checkNames } from './lint/check-names.mjs';
import { printProblems, readFiles } from './lint/list-files.mjs';
import { nameRules } from './lint/name-rules.mjs';

const files = await readFiles();
printProblems(files.flatMap(({ file, text }) => checkNames(file, text, nameRules)));
