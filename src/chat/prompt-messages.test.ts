import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { recordedStore, recordedStoreFile } from '../../test/setup/store/recorded-store.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createSqliteStore } from '../store/sqlite-store.ts';
import { ImageAllowance } from './image-allowance.ts';
import { loadHistory } from './history.ts';
import { CallNumbers, outlineContext, systemTextOf, toPromptMessages } from './prompt-messages.ts';
import { storedImage } from './stored-image.ts';
import { decodeToolImage } from './tool-results.ts';

it('builds the same prompts from conversations of 0.1.0 as that version', async () => {
  const file = join(await temporaryFolder(), 'hearth.db');
  await copyFile(recordedStoreFile, file);
  const store = await createSqliteStore({ file, logger: createLogger('silent') });
  onTestFinished(() => store.close());
  const { signal } = testContext();
  const model = modelEntry({ type: 'vlm' });
  const allowance = new ImageAllowance(model, 1_000_000);
  const { prompts } = await recordedStore();
  for (const { id, ownerId, messages } of prompts) {
    const history = await loadHistory(store, { newestId: id }, ownerId, model);
    const prompt = await toPromptMessages(
      systemTextOf(history, {}),
      history.responses.map(({ turn }) => turn),
      [{ role: 'user', content: [{ type: 'text', text: 'Next' }] }],
      {
        readMedia: (sha256) => storedImage(store, sha256),
        readToolImage: (block) => decodeToolImage(block, { model, allowance, store, signal }),
        numbers: new CallNumbers(),
      },
    );
    expect(prompt).toEqual(messages);
  }
});

it('reads images one after the other, and none after one that can not be read', async () => {
  const started: string[] = [];
  const images = ['a', 'b', 'c'].map((sha256) => ({
    type: 'image' as const,
    sha256,
    mediaType: 'image/png',
  }));
  const context = {
    ...outlineContext(),
    readMedia: async (sha256: string) => {
      started.push(sha256);
      if (sha256 === 'b') throw new Error('too many');
      return '';
    },
  };
  const messages = [
    { role: 'user' as const, content: images.slice(0, 1) },
    { role: 'user' as const, content: images.slice(1) },
    { role: 'user' as const, content: images },
  ];
  await expect(toPromptMessages(undefined, [], messages, context)).rejects.toThrow('too many');
  expect(started).toEqual(['a', 'b']);
});

it('leaves out an empty last answer, which no engine can continue', async () => {
  const user = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello!' }] };
  const empty = { role: 'assistant' as const, content: [] };
  const call = { id: 'a', name: 'look', argumentsJson: '{}' };
  const rolesFor = async (...messages: Parameters<typeof toPromptMessages>[2]) =>
    (await toPromptMessages(undefined, [], messages, outlineContext())).map(({ role }) => role);
  expect(await rolesFor(user, empty)).toEqual(['user']);
  expect(await rolesFor(user, empty, user)).toEqual(['user', 'assistant', 'user']);
  expect(await rolesFor(user, { ...empty, toolCalls: [call] })).toEqual(['user', 'assistant']);
});
