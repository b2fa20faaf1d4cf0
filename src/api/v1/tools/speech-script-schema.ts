import { defineRoute } from '../../kit/route.ts';
import { speechScriptRequestSchema, speechScriptSchema } from '../../../speech/script/schema.ts';

export const createSpeechScript = defineRoute('POST /api/v1/speech/script', {
  operationId: 'createSpeechScript',
  summary: 'Convert a text into a script for a speech synthesizer',
  permission: 'chat',
  body: speechScriptRequestSchema,
  result: speechScriptSchema,
  errors: ['unrecognized_keys'],
});
