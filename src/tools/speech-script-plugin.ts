import * as z from 'zod';
import { HearthError } from '../kernel/errors/errors.ts';
import { speechScriptRequestSchema } from '../speech/script/schema.ts';
import type { SpeechScriptOptions } from '../speech/script/speech-script.ts';
import { formatSpeechScript } from '../speech/script/format-speech-script.ts';
import type { BuiltInPlugin } from './built-in-plugin.ts';
import { toolFailure } from './tool-content.ts';

/** `mcp/speech-script`: offers the formatter as a tool to models. */
export const speechScriptPlugin: BuiltInPlugin = {
  label: 'speech-script',
  tools: [
    {
      name: 'format',
      description:
        'Converts text to a script for a speech synthesizer: cleans it and labels the speakers.',
      annotations: { readOnlyHint: true },
      parameters: z.toJSONSchema(speechScriptRequestSchema, { io: 'input' }),
      call: (args) => {
        try {
          const result = formatSpeechScript(args as SpeechScriptOptions);
          return { content: [{ type: 'text', text: JSON.stringify(result) }], isError: false };
        } catch (error) {
          if (error instanceof HearthError) return toolFailure(error.message);
          throw error;
        }
      },
    },
  ],
};
