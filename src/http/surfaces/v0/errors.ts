import { createOpenAiErrorSerializer } from '../../errors/openai-error-serializer.ts';
import { toSnakeCase } from '../../errors/snake-case.ts';

const image = /^messages\[\d+\]\.content\[\d+\]$/;

export const v0Errors = createOpenAiErrorSerializer(nameV0Field);

/** `messages[2].content[0]` becomes `messages[2].content[0].image_url`, `toolChoice` becomes `tool_choice`. */
export function nameV0Field(field: string): string {
  if (field === 'responseFormat.schema') return 'response_format.json_schema.schema';
  // Of the parts of a message only images are checked below the surface.
  return image.test(field) ? `${field}.image_url` : toSnakeCase(field);
}
