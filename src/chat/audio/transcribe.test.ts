import { expect, it } from 'vitest';
import { collect } from '../../../test/setup/collect.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type { Engines } from '../../engines/engines.ts';
import type { ModelTarget } from '../../engines/loads/open-request.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { AudioReader } from './audio-reader.ts';
import { transcribe } from './transcribe.ts';

const targetOf = (name: string): ModelTarget => {
  const model = modelEntry({ key: `acme/${name}`, hearsAudio: true });
  return { selection: { model, variant: model.variants[0] } } as ModelTarget;
};

/** The first model can't load, and the second one hears a word in each piece. */
const pool = {
  open: ({ target }: { target: ModelTarget }) => ({
    ready: () => {
      if (target.selection.model.key === 'acme/first') throw new HearthError('conflict', 'No.');
      return [];
    },
    async *generate() {
      yield { type: 'content.delta', text: 'Tide' };
      yield {
        type: 'generation.report',
        report: { usage: { promptTokens: 1, completionTokens: 1 } },
      };
    },
    close: () => {},
  }),
  fallBack: async ({ selection }: ModelTarget, error: unknown) => {
    if (selection.model.key === 'acme/second') throw error;
    return targetOf('second');
  },
} as unknown as Engines;

it('counts the audio of a model that did not answer no longer when the next one reads the file', async () => {
  const piece = new Uint8Array(8 * 1024 * 1024);
  const pieces = Array.from({ length: 25 }, () => piece);
  const audio = {
    read: async () => ({ mediaType: 'audio/wav', pieces }),
  } as unknown as AudioReader;
  const request = {
    task: 'transcribe',
    target: targetOf('first'),
    file: { name: 'long.wav', bytes: Buffer.alloc(8) },
    waitsForLoad: true,
    fields: [],
    assertFormat: () => {},
  } as const;
  // Twice the pieces would be more than a client may hold.
  const events = await collect(transcribe({ pool, audio }, request, testContext()));
  expect(events.at(-1)).toMatchObject({
    type: 'transcription.end',
    usage: { completionTokens: 25 },
  });
});
