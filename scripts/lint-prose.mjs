// Fails for phrases in comments, strings and pages that the vocabulary (scripts/lint/vocabulary.mjs) does not allow.
import { checkProse } from './lint/check-vocabulary.mjs';
import { runVocabulary } from './lint/run-vocabulary.mjs';
import { proseRules } from './lint/vocabulary.mjs';

await runVocabulary((file, text) => checkProse(file, text, proseRules));
