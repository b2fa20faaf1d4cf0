import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();
const messages = [{ role: 'user' as const, content: 'Hello!' }];
const alias = (...commandLine: string[]) =>
  runHearth(['alias', ...commandLine], { home: hearth.home });
const client = () => new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'any', maxRetries: 0 });

describe('aliases', () => {
  // covers server-15
  it('are changed by the command line and used by the running server at once', async () => {
    expect(await alias('ls')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await alias('set', 'claude-*', 'hearth/starter-chat')).toMatchObject({
      exitCode: 0,
      stdout: 'claude-* is now hearth/starter-chat\n',
    });
    expect(await alias('set', 'gpt-4o-mini', 'hearth/starter-chat', '--json')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"gpt-4o-mini"'),
    });
    const listed = await alias('ls', '--json');
    expect(JSON.parse(listed.stdout)).toEqual({
      aliases: [
        { name: 'claude-*', model: 'hearth/starter-chat' },
        { name: 'gpt-4o-mini', model: 'hearth/starter-chat' },
      ],
    });

    for (const model of ['claude-opus', 'gpt-4o-mini', 'starter-chat']) {
      const completion = await client().chat.completions.create({ model, messages, max_tokens: 4 });
      expect(completion.model).toBe(model);
      const chunks = [];
      const request = { model, messages, max_tokens: 4, stream: true } as const;
      for await (const chunk of await client().chat.completions.create(request)) {
        chunks.push(chunk.model);
      }
      expect([...new Set(chunks)]).toEqual([model]);
      const response = await client().responses.create({ model, input: 'Hello!' });
      expect(response.model).toBe(model);
      const v0 = await post(hearth.url, '/api/v0/chat/completions', { model, messages });
      expect(v0.status).toBe(200);
      const v1 = await post(hearth.url, '/api/v1/chat', { model, input: 'Hello!' });
      expect(v1.body).toMatchObject({ model_instance_id: 'hearth/starter-chat' });
    }
    const { body } = await get(hearth.url, '/api/v1/models/gpt-4o-mini');
    expect(body).toMatchObject({
      key: 'hearth/starter-chat',
      loaded_instances: [{ id: 'hearth/starter-chat' }],
    });
  });

  it('without a pattern are in the list of models', async () => {
    const ids = [];
    for await (const { id } of client().models.list()) ids.push(id);
    expect(ids).toContain('gpt-4o-mini');
    expect(ids).not.toContain('claude-*');
    expect(await client().models.retrieve('claude-opus')).toMatchObject({ id: 'claude-opus' });
  });

  it('name the missing model, and vanish with rm', async () => {
    await alias('set', 'gone', 'hearth/nothing', '--force');
    const missing = await post(hearth.url, '/v1/chat/completions', { model: 'gone', messages });
    expect(missing.status).toBe(404);
    expect(missing.body).toMatchObject({
      error: {
        code: 'model_not_found',
        message: 'There is no model "hearth/nothing", which the alias "gone" names.',
      },
    });
    expect(await alias('rm', 'gone')).toMatchObject({ exitCode: 0, stdout: 'Removed gone\n' });
    expect(await alias('rm', 'gone')).toMatchObject({ exitCode: 1 });
    const unknown = await post(hearth.url, '/v1/chat/completions', { model: 'gone', messages });
    expect(unknown.body).toMatchObject({
      error: { message: expect.stringContaining('There is no model "gone"') },
    });
  });

  it('are refused with more than one *', async () => {
    expect(await alias('set', 'a*b*', 'hearth/starter-chat')).toMatchObject({ exitCode: 1 });
  });
});
