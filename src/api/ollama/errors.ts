import { ollamaErrorSchema } from './fields-schema.ts';
import {
  createErrorSerializer,
  createNameField,
  type FieldNames,
} from '../kit/errors/error-serializer.ts';

/** Names that differ from the domain's names in snake case. */
const fieldNames: FieldNames = [
  [/^(messages\[\d+\])\.content\[(\d+)\]$/, '$1.images'],
  [/^clientTools(\[\d+\])?\.name$/, 'tools$1.function.name'],
  [/^clientTools/, 'tools'],
  [/^responseFormat(\.schema)?$/, 'format'],
  [/^maxOutputTokens$/, 'options.num_predict'],
  [/^contextLength$/, 'options.num_ctx'],
  [/^ttlSeconds$/, 'keep_alive'],
  [/^reasoning$/, 'think'],
  [/^chatTemplate$/, 'template'],
  [/^inputs(\[\d+\])?$/, 'input$1'],
];

/** `messages[2].content[1]` is an image, so it becomes `messages[2].images`. */
const nameOllamaField = createNameField(fieldNames);

/** Errors in Ollama's format, which has only a message. */
export const ollamaErrors = createErrorSerializer({
  schema: ollamaErrorSchema,
  toBody: ({ message, param }) => ({
    error: param === undefined || message.includes(param) ? message : `${param}: ${message}`,
  }),
  nameField: nameOllamaField,
});
