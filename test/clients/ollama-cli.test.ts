import { existsSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { starterPath } from '../setup/engine/test-engines.ts';
import { adapterAnswers, adapterPath } from '../setup/models/adapters.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { projectFolder } from '../setup/project-folder.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';
import { useResource } from '../setup/use-resource.ts';
import { run } from './run.ts';

/** Built by `scripts/install-ollama-cli.sh`. */
const program = join(projectFolder, '.cache/ollama-v0.17.4/ollama');
const isInstalled = existsSync(program);
if (!isInstalled) console.error('SKIPPED: the ollama command; run scripts/install-ollama-cli.sh.');

const model = 'hearth/starter-chat';

describe.skipIf(!isInstalled)('the ollama command', () => {
  const hub = useResource(() =>
    startFakeHub({
      repositories: [
        {
          name: 'acme/Parrot-GGUF',
          files: { 'Parrot-Q8_0.gguf': { filePath: starterPath('chat') } },
        },
      ],
    }),
  );
  const hearth = useHearth(() => ({ environment: { HEARTH_HUB_ENDPOINT: hub.url } }));
  // The command writes a key into the user's home folder.
  const user = useTemporaryFolder();
  const ollama = async (...commandLine: readonly string[]): Promise<string> => {
    const environment = { OLLAMA_HOST: hearth.url, HOME: user.path };
    return stripVTControlCharacters(await run(program, commandLine, environment));
  };

  it('lists and shows models', async () => {
    expect(await ollama('list')).toMatch(/^hearth\/starter-chat:latest +[0-9a-f]{12} /m);
    const shown = await ollama('show', model);
    expect(shown).toMatch(/architecture +llama/);
    expect(shown).toMatch(/context length +4096/);
    expect(shown).toMatch(/Capabilities\s+completion\s+tools\s+thinking/);
    expect(await ollama('show', '--template', model)).toContain('<|im_start|>assistant');
  });

  it('runs a model, with reasoning and statistics', async () => {
    const question = 'What is the capital of France?';
    expect(await ollama('run', '--think=false', model, question)).toContain('Paris');
    const answer = await ollama('run', '--verbose', model, question);
    expect(answer).toMatch(/^Thinking\.\.\.[^]*\.\.\.done thinking\.[^]*Paris/);
    const constrained = async (format: string): Promise<string> =>
      ollama('run', '--think=false', '--nowordwrap', '--format', format, model, question);
    // A tiny model may fill the context with a string that it never closes, so only the beginning is certain.
    expect(await constrained('json')).toMatch(/^\{/);
    const schema = { type: 'object', properties: { city: { const: 'Paris' } }, required: ['city'] };
    expect(JSON.parse(await constrained(JSON.stringify(schema)))).toEqual({ city: 'Paris' });
  });

  it('embeds', async () => {
    const vector: unknown = JSON.parse(await ollama('run', 'starter-embed', 'The sea is calm.'));
    expect(vector).toEqual(expect.arrayContaining([expect.any(Number)]));
  });

  it('shows loaded models, and stops one', async () => {
    await ollama('run', '--think=false', model, 'Hello!');
    expect(await ollama('ps')).toMatch(/^hearth\/starter-chat:latest .* 4096 /m);
    await ollama('stop', model);
    expect(await ollama('ps')).not.toContain(model);
  });

  it('pulls, copies and removes a model', async () => {
    const name = 'hf.co/acme/Parrot-GGUF:Q8_0';
    await ollama('pull', name);
    expect(await ollama('run', '--think=false', name, 'Hello!')).toMatch(/\w/);
    expect(await ollama('cp', name, 'assistant')).toContain("copied 'hf.co/acme/");
    expect(await ollama('list')).toMatch(/^assistant:latest /m);
    await ollama('rm', 'assistant');
    await ollama('stop', name);
    await ollama('rm', name);
    expect(await ollama('list')).not.toContain('parrot');
  });

  it('creates models from Modelfiles', async () => {
    const modelfile = join(user.path, 'Modelfile');
    const create = async (name: string, lines: readonly string[]): Promise<string> => {
      await writeFile(modelfile, lines.join('\n'));
      await ollama('create', name, '-f', modelfile);
      return ollama('show', '--modelfile', name);
    };
    const text = [
      `FROM ${model}`,
      'SYSTEM """You are "Mario".',
      'FROM the pipes."""',
      'PARAMETER temperature 0',
      'PARAMETER num_predict 8',
      'PARAMETER stop "Luigi"',
      'PARAMETER stop "a b"',
      'MESSAGE user Hi',
      'MESSAGE assistant It is me.',
      'LICENSE MIT',
    ];
    const shown = await create('mario', text);
    expect(await create('luigi:7b', shown.split('\n'))).toBe(shown);
    expect(await ollama('show', 'mario')).toMatch(/temperature +0[^]*You are "Mario"[^]*MIT/);
    expect(await ollama('list')).toMatch(/^luigi:7b .*\n(.*\n)*mario:latest /m);
    expect(await ollama('run', '--think=false', 'mario', 'Hello!')).toMatch(/\w/);
    await ollama('cp', 'mario', 'peach');
    for (const name of ['mario', 'luigi:7b', 'peach']) await ollama('rm', name);

    await copyFile(starterPath('chat'), join(user.path, 'weights.gguf'));
    await copyFile(adapterPath('pirate'), join(user.path, 'lora.gguf'));
    await create('toad', ['FROM ./weights.gguf', 'ADAPTER ./lora.gguf', 'PARAMETER temperature 0']);
    expect(await ollama('run', '--think=false', 'toad', 'Hello!')).toContain(
      adapterAnswers.pirate['Hello!'],
    );
    await ollama('rm', 'toad');
    expect(await ollama('list')).not.toMatch(/mario|luigi|peach|toad/);
    await expect(ollama('create', '-q', 'q4_0', 'toad', '-f', modelfile)).rejects.toThrow(
      /llama-quantize/,
    );
  });

  it('ends with the error of the server', async () => {
    await expect(ollama('show', 'startr-chat')).rejects.toThrow(
      /nearest is "hearth\/starter-chat"/,
    );
    await expect(ollama('rm', model)).rejects.toThrow(/comes with Hearth/);
  });
});
