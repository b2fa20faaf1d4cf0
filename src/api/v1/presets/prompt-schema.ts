import { textSchema } from '../../../kernel/field.ts';
import { recordRoutes } from './named-record-schema.ts';

export const {
  list: listPrompts,
  get: getPrompt,
  put: putPrompt,
  remove: deletePrompt,
} = recordRoutes(
  'prompt',
  {
    text: textSchema
      .min(1)
      .max(64_000)
      .describe(
        'The prompt. `{{name}}` is a variable, `{{name=value}}` one with a default; the client that uses the prompt fills them in.',
      ),
  },
  {
    name: 'Translate',
    content: { text: 'Translate into {{language=German}}:\n\n{{text}}' },
  },
);
