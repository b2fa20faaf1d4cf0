import { logTexts, recordOutput, recordPrompt } from './record-texts.ts';
import type { RequestContext } from '../request/request-context.ts';
import type {
  Engine,
  EngineStopReason,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engines/engine.ts';

export interface GenerationReport {
  readonly stopReason: EngineStopReason;
  /** The stop string that ended the generation. */
  readonly stopString?: string;
  readonly usage: GenerationUsage;
  /** Tokens of the reasoning among those of the completion; counted here, since the engine does not report them. */
  readonly reasoningTokens: number;
  /** From `startedAt` to the first token, or to the end if there is none. */
  readonly timeToFirstTokenSeconds: number;
  /** The engine could not parse the end of what the model generated; the text received is kept. */
  readonly isMalformed: boolean;
}

/** Of a generation that failed. */
export type InterruptedReport = Pick<
  GenerationReport,
  'usage' | 'reasoningTokens' | 'timeToFirstTokenSeconds'
>;

/** The engine's events after `prompt.start`; the report comes last in place of its `generation.end`. */
export type GenerationStep =
  | { readonly type: 'prompt.start' }
  | Exclude<GenerationEvent, { readonly type: 'generation.end' | 'generation.cut' }>
  /** The generation will fail; what it did until now. */
  | { readonly type: 'generation.cut'; readonly report: InterruptedReport }
  | { readonly type: 'generation.report'; readonly report: GenerationReport };

/**
 * Generates text and measures the speed. Ending the iteration early, or aborting the signal, stops the engine.
 *
 * @param startedAt Start of the time to the first token; a value of `performance.now()`.
 * @throws The errors of `Engine.generate`.
 */
export async function* generate(
  engine: Engine,
  request: GenerationRequest,
  context: RequestContext,
  startedAt: number,
): AsyncGenerator<GenerationStep> {
  let firstTokenAt: number | undefined;
  let reasoning = '';
  const record = context.record.beginGeneration(request.kind);
  if (record.texts !== undefined) await recordPrompt(record, engine, request, context);
  yield { type: 'prompt.start' };
  try {
    for await (const event of engine.generate(request, context)) {
      if (event.type === 'generation.end') {
        const { type: _, reasoningTokens: counted, ...end } = event;
        record.end(end);
        const timeToFirstTokenMs = (firstTokenAt ?? performance.now()) - startedAt;
        const reasoningTokens =
          counted ?? (reasoning === '' ? 0 : await engine.countTokens(reasoning, context));
        const timeToFirstTokenSeconds = timeToFirstTokenMs / 1000;
        const report = { ...end, reasoningTokens, timeToFirstTokenSeconds };
        yield { type: 'generation.report', report };
      } else if (event.type === 'generation.cut') {
        record.end({ usage: event.usage, hasFailed: true });
        const now = performance.now();
        const timeToFirstTokenSeconds = ((firstTokenAt ?? now) - startedAt) / 1000;
        // The engine gives its own time with the end only.
        const usage = { ...event.usage, generationMs: now - (firstTokenAt ?? now) };
        const { reasoningTokens } = event;
        const report = { usage, reasoningTokens, timeToFirstTokenSeconds };
        yield { type: 'generation.cut', report };
      } else {
        if (event.type === 'reasoning.delta') reasoning += event.text;
        if (event.type !== 'prompt.progress') {
          firstTokenAt ??= performance.now();
          record.noteToken();
          if (record.texts !== undefined) recordOutput(record, event);
        }
        yield event;
      }
    }
  } finally {
    // A generation that did not report its end has failed, or its client has disconnected.
    record.end({ hasFailed: true });
    if (record.texts !== undefined) logTexts(record, context);
  }
}
