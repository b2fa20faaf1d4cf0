import { describe, expect, it } from 'vitest';
import { nameV0Field } from './openai/errors.ts';
import { nameV1Field } from './v1/errors.ts';

describe('the names of domain fields', () => {
  it.each([
    ['messages[2].content[10]', 'messages[2].content[10].image_url'],
    ['messages[2].content[1].audio', 'messages[2].content[1].input_audio.data'],
    ['messages[2].toolCallId', 'messages[2].tool_call_id'],
    ['messages', 'messages'],
    ['clientTools[1].name', 'tools[1].function.name'],
    ['responseFormat.schema', 'response_format.json_schema.schema'],
    ['toolChoice', 'tool_choice'],
    ['maxOutputTokens', 'max_tokens'],
    ['ttlSeconds', 'ttl'],
    ['suffix', 'suffix'],
  ])('in v0: %s is %s', (field, name) => {
    expect(nameV0Field(field)).toBe(name);
  });

  it.each([
    ['messages[0].content[10]', 'input[10].data_url'],
    ['messages[0].content[1].audio', 'input[1].data_url'],
    ['messages', 'input'],
    ['previousResponseId', 'previous_response_id'],
    ['isStored', 'store'],
    ['contextLength', 'context_length'],
    ['integrations[3].serverUrl', 'integrations[3].server_url'],
    ['reasoning', 'reasoning'],
  ])('in v1: %s is %s', (field, name) => {
    expect(nameV1Field(field)).toBe(name);
  });
});
