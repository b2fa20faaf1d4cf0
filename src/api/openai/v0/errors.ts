import { createOpenAiErrorSerializer } from '../../kit/errors/openai-error-serializer.ts';
import { createNameField, type FieldNames } from '../../kit/errors/name-field.ts';

/** Names that are not the domain's name in snake case. Of the parts of a message only images are checked. */
const fieldNames: FieldNames = [
  [/^(messages\[\d+\]\.content\[\d+\])$/, '$1.image_url'],
  [/^clientTools(\[\d+\])?\.name$/, 'tools$1.function.name'],
  [/^clientTools/, 'tools'],
  [/^responseFormat\.schema$/, 'response_format.json_schema.schema'],
  [/^maxOutputTokens$/, 'max_tokens'],
  [/^inputs$/, 'input'],
  [/^ttlSeconds$/, 'ttl'],
  [/^reasoning$/, 'reasoning_effort'],
];

/** `messages[2].content[0]` becomes `messages[2].content[0].image_url`, `toolChoice` becomes `tool_choice`. */
export const nameV0Field = createNameField(fieldNames);

export const v0Errors = createOpenAiErrorSerializer(nameV0Field);
