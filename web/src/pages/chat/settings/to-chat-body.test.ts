import { expect, it } from 'vitest';
import { defaultSettings } from './conversation-settings.ts';
import { toChatBody, toContinueBody, toInput } from './to-chat-body.ts';

const settings = { ...defaultSettings, model: 'test/model' };
const start = { previousId: null, conversationId: undefined };

it('sends what is set and nothing else', () => {
  expect(toChatBody(settings, 'Hi', start)).toEqual({ model: 'test/model', input: 'Hi' });
  expect(
    toChatBody(
      {
        ...settings,
        temperature: 0,
        topK: 40,
        integrations: ['mcp/files', 'mcp/mail'],
        allowedTools: { 'mcp/mail': ['read'], 'mcp/gone': [] },
        systemPrompt: 'Short.',
        servers: [{ label: 'there', url: 'https://there.example/mcp' }],
        dropsOldTurns: true,
        adapters: { model: 'test/model', scales: { 'me/pirate': 0.5 } },
        responseFormat: { type: 'json_object' },
      },
      'Hi',
      { previousId: 'resp_1', conversationId: 'conv_1' },
    ),
  ).toEqual({
    model: 'test/model',
    input: 'Hi',
    previous_response_id: 'resp_1',
    system_prompt: 'Short.',
    temperature: 0,
    top_k: 40,
    integrations: [
      'mcp/files',
      { type: 'plugin', id: 'mcp/mail', allowed_tools: ['read'] },
      { type: 'ephemeral_mcp', server_label: 'there', server_url: 'https://there.example/mcp' },
    ],
    tool_approvals: true,
    truncation: 'auto',
    adapters: [{ adapter: 'me/pirate', scale: 0.5 }],
    response_format: { type: 'json_object' },
  });
});

it('continues an answer with the adapters of the model that wrote it', () => {
  const adapters = { model: 'test/model', scales: { 'me/pirate': 1 } };
  const changed = { ...settings, model: 'test/other', adapters };
  expect(toContinueBody(changed, 'test/model')).toEqual({
    adapters: [{ adapter: 'me/pirate', scale: 1 }],
  });
  expect(toContinueBody({ ...settings, adapters }, 'test/other')).toEqual({});
});

it('leaves out the adapters of another model', () => {
  const adapters = { model: 'test/other', scales: { 'me/pirate': 1 } };
  expect(toChatBody({ ...settings, adapters }, 'Hi', start)).not.toHaveProperty('adapters');
});

it('adds another beginning to the conversation whose first message is edited', () => {
  expect(toChatBody(settings, 'Hi', { ...start, conversationId: 'conv_1' })).toEqual({
    model: 'test/model',
    input: 'Hi',
    conversation_id: 'conv_1',
  });
});

it('clears the system prompt of earlier messages', () => {
  expect(
    toChatBody(settings, 'Hi', { previousId: 'resp_1', conversationId: 'conv_1' }),
  ).toMatchObject({ system_prompt: '' });
});

it('sends a text alone, and images as data', async () => {
  const loadImage = async (sha256: string) => `data:image/png;base64,${sha256}`;
  expect(await toInput([{ type: 'text', content: 'Hi' }], loadImage)).toBe('Hi');
  expect(
    await toInput(
      [
        { type: 'text', content: 'Hi' },
        { type: 'image', sha256: 'ab', media_type: 'image/png' },
        { type: 'image', data_url: 'data:image/png;base64,cd' },
      ],
      loadImage,
    ),
  ).toEqual([
    { type: 'text', content: 'Hi' },
    { type: 'image', data_url: 'data:image/png;base64,ab' },
    { type: 'image', data_url: 'data:image/png;base64,cd' },
  ]);
});
