import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { putOllamaTag } from '../setup/models/ollama-store.ts';
import { picture } from '../setup/models/picture.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  const chat = await readFile(starterPath('chat'));
  const visionFolder = dirname(starterPath('vision'));
  const ollama = join(home, 'user/.ollama/models');
  await putOllamaTag(ollama, 'library/tiny:latest', { model: chat });
  await putOllamaTag(ollama, 'acme/see:1b-q8_0', {
    model: await readFile(starterPath('vision')),
    projector: await readFile(join(visionFolder, 'mmproj-starter-vision-f16.gguf')),
  });
  const studio = join(home, 'studio');
  await cp(visionFolder, join(studio, 'acme/Seer-GGUF'), { recursive: true });
  await mkdir(join(studio, 'acme/Talker'), { recursive: true });
  await writeFile(join(studio, 'acme/Talker/Talker-Q8_0.gguf'), chat);
  await writeFile(join(studio, 'flat-q8_0.gguf'), chat);
  await writeFile(
    join(home, 'config.json'),
    JSON.stringify({ models: { extraDirs: ['~/.ollama/models', studio, '/no/such/folder'] } }),
  );
  return { environment: { HOME: join(home, 'user') } };
});

describe('models.extraDirs', () => {
  it('lists models of other programs in addition to its own', async () => {
    const { body } = await get(hearth.url, '/api/v1/models');
    const shown = body.models.map(
      ({ key, capabilities }: { key: string; capabilities?: { vision: boolean } }) =>
        `${key} ${capabilities?.vision === true ? 'sees' : ''}`.trim(),
    );
    expect(shown).toEqual([
      'acme/see-1b sees',
      'acme/seer sees',
      'acme/talker',
      'hearth/starter-chat',
      'hearth/starter-embed',
      'hearth/starter-vision sees',
      'library/tiny',
      'local/flat',
    ]);
  });

  it.each(['library/tiny', 'acme/talker', 'local/flat'])('chats with %s', async (model) => {
    const { status, body } = await post(hearth.url, '/api/v1/chat', {
      model,
      input: 'What is the capital of France?',
      temperature: 0,
      reasoning: 'off',
      store: false,
    });
    expect({ status, content: body.output?.[0]?.content }, JSON.stringify(body)).toEqual({
      status: 200,
      content: 'The capital of France is Paris.',
    });
    await post(hearth.url, '/api/v1/models/unload', { instance_id: model });
  });

  it.each(['acme/see-1b', 'acme/seer'])('sends an image to %s', async (model) => {
    const { body } = await post(hearth.url, '/api/v1/chat', {
      model,
      temperature: 0,
      reasoning: 'off',
      store: false,
      input: [
        { type: 'text', content: 'What colour is the picture?' },
        { type: 'image', data_url: await picture('blue') },
      ],
    });
    expect(String(body.output?.[0]?.content).toLowerCase()).toContain('blue');
    await post(hearth.url, '/api/v1/models/unload', { instance_id: model });
  });

  it('logs a missing folder once', async () => {
    await get(hearth.url, '/api/v1/models');
    await get(hearth.url, '/api/v1/models');
    expect(hearth.log().split('There is no such folder').length - 1).toBe(1);
  });
});
