import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import {
  refusedOptions,
  refusedTexts,
  speechScriptCases,
} from '../../../test/fixtures/speech-script-cases.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { type speechScriptRequestSchema, speechScriptSchema } from './schema.ts';
import type { SpeechScript, SpeechScriptOptions } from './speech-script.ts';
import { formatSpeechScript } from './format-speech-script.ts';
import { hostileText } from '../../../test/setup/speech-script/hostile-text.ts';

it('takes and returns what its schemas say', () => {
  expectTypeOf<z.input<typeof speechScriptRequestSchema>>().toEqualTypeOf<SpeechScriptOptions>();
  expectTypeOf<z.infer<typeof speechScriptSchema>>().toEqualTypeOf<SpeechScript>();
});

it.each(speechScriptCases)('$name', ({ options, result }) => {
  expect(formatSpeechScript(options)).toEqual(result);
});

it.each([...refusedTexts, ...refusedOptions])('rejects $name', (refusal) => {
  const { code, message, ...detail } = refusal;
  const error = failureOf(refusal.options as SpeechScriptOptions);
  expect(error).toMatchObject({ code, param: detail.param });
  expect(error?.message).toMatch(message);
});

it('takes null as absent', () => {
  const absent = {
    mode: null,
    speakers: null,
    voices: null,
    emotions: null,
    clean: null,
    output: null,
  };
  const text = 'Speaker 2: “Hi” 😀';
  expect(formatSpeechScript({ text, ...absent })).toEqual(formatSpeechScript({ text }));
});

it('has enough cases', () => {
  expect(speechScriptCases.length + refusedTexts.length).toBeGreaterThanOrEqual(80);
  const names = [...speechScriptCases, ...refusedTexts, ...refusedOptions].map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

describe('any text', () => {
  const options = fc.record(
    {
      text: fc.oneof(
        hostileText,
        fc
          .array(fc.tuple(fc.integer({ min: 1, max: 4 }), hostileText), { minLength: 1 })
          .map((turns) => turns.map(([speaker, text]) => `Speaker ${speaker}: ${text}`).join('\n')),
        fc
          .array(fc.record({ speaker: fc.integer({ min: 0, max: 5 }), text: hostileText }))
          .map((turns) => JSON.stringify(turns)),
      ),
      mode: fc.constantFrom('auto' as const, 'single' as const, 'multi' as const),
      speakers: fc.integer({ min: 1, max: 4 }),
      clean: fc.boolean(),
    },
    { requiredKeys: ['text', 'mode', 'speakers', 'clean'] },
  );

  it('has a result that matches its schema, or a documented error', () => {
    fc.assert(
      fc.property(options, (input) => {
        const result = attempt({ ...input, output: 'json' });
        expect(speechScriptSchema.optional().parse(result)).toEqual(result);
      }),
    );
  });

  it('formats its own script to the same turns and script', () => {
    fc.assert(
      fc.property(options, (input) => {
        const turns = attempt({ ...input, output: 'json' });
        if (turns === undefined) return;
        const { script: text } = formatSpeechScript({ ...input, output: 'script' });
        if (typeof text !== 'string') throw new TypeError('A script is a text.');
        const { clean } = input;
        expect(formatSpeechScript({ text, clean, output: 'json' }).script).toEqual(turns.script);
        expect(formatSpeechScript({ text, clean }).script).toBe(text);
        expect(text.split(/[\n\r\v\f\u0085\u2028\u2029]/)).toHaveLength(turns.script.length);
      }),
      { numRuns: 500 },
    );
  });
});

/** Returns undefined if the text is rejected with a documented error. */
function attempt(options: SpeechScriptOptions): SpeechScript | undefined {
  try {
    return formatSpeechScript(options);
  } catch (error) {
    if (error instanceof HearthError && error.code === 'invalid_value') return undefined;
    throw error;
  }
}

function failureOf(options: SpeechScriptOptions): HearthError | undefined {
  try {
    formatSpeechScript(options);
    return undefined;
  } catch (error) {
    if (error instanceof HearthError) return error;
    throw error;
  }
}
