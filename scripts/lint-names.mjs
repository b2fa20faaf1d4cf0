// Fails for identifiers and file names that the vocabulary (scripts/lint/vocabulary.mjs) does not allow.
import { checkNames } from './lint/check-vocabulary.mjs';
import { runVocabulary } from './lint/run-vocabulary.mjs';
import { nameRules } from './lint/vocabulary.mjs';

await runVocabulary((file, text) => checkNames(file, text, nameRules));
