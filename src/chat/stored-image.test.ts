import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { scriptedTool } from '../../test/setup/chat/scripted-tools.ts';
import { generationEnd, resultOf, scriptedTurns } from '../../test/setup/chat/scripted-turn.ts';
import { picture } from '../../test/setup/models/picture.ts';
import type { ToolContent } from '../store/turns/content.ts';
import type { GenerationEvent } from '../engines/engine.ts';
import { storedImage, withToolImages } from './stored-image.ts';

const call: GenerationEvent = {
  type: 'toolCall.delta',
  index: 0,
  id: 'id0',
  name: 'look',
  argumentsJson: '{}',
};

/** A stored response whose tool returned these blocks. */
async function storeResults(...result: readonly ToolContent[]) {
  const { run, store } = await scriptedTurns(
    async function* (generation) {
      yield generation === 0 ? call : { type: 'content.delta', text: 'Nice.' };
      yield generation === 0 ? { ...generationEnd, stopReason: 'toolCalls' } : generationEnd;
    },
    scriptedTool('look', async () => result),
  );
  const integrations = [{ type: 'plugin', id: 'mcp/test' }] as const;
  const { responseId = '' } = resultOf(await run({ integrations }));
  const response = await store.responses.find(responseId, null);
  if (response === undefined) throw new Error('not stored');
  return { store, response };
}

it('gives the images of a tool as the tool returned them', async () => {
  const dataUrl = await picture('red', 2, 2);
  const data = dataUrl.slice('data:image/png;base64,'.length);
  const sha256 = createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex');
  const text = { type: 'text', text: 'A wall' } as const;
  const image = { type: 'image', data, mimeType: 'image/png', annotations: { a: 1 } } as const;
  const named = { type: 'resource_link', sha256: 'no image' } as const;
  const { store, response } = await storeResults(text, image, named);
  expect(response.turn.items).toMatchObject([
    { type: 'toolCall', result: [text, { type: 'image', sha256 }, named] },
    { type: 'message' },
  ]);
  expect(await storedImage(store, sha256)).toBe(dataUrl);
  const attached = await withToolImages(store, response);
  const [toolCall, message] = attached.turn.items;
  expect(toolCall).toEqual({ ...response.turn.items[0], result: [text, image, named] });
  expect(message).toEqual(response.turn.items[1]);
  expect(attached).toEqual({ ...response, turn: { ...response.turn, items: attached.turn.items } });
});

it('reports an image that is not stored', async () => {
  const { store } = await storeResults({ type: 'text', text: 'Nothing' });
  await expect(storedImage(store, 'abc')).rejects.toThrow('The stored image abc has gone');
});
