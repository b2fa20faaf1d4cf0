import type { Engine, GenerationEvent, GenerationRequest } from './engine.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { GenerationRecord } from '../kernel/request/request-record.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';

/** Records the prompt as the engine reads it, for `log.prompts`. */
export async function recordPrompt(
  record: GenerationRecord,
  engine: Engine,
  request: GenerationRequest,
  context: RequestContext,
): Promise<void> {
  if (request.kind === 'completion') {
    const { prompt, suffix } = request;
    const text = typeof prompt === 'string' ? prompt : JSON.stringify(prompt);
    record.noteText('prompt', suffix === undefined ? text : `${text}\n[suffix]\n${suffix}`);
    return;
  }
  // If rendering fails, the generation itself will report the reason.
  const rendered = await engine.renderPrompt(request, context).catch(() => undefined);
  record.noteText('prompt', rendered ?? JSON.stringify(request.messages));
}

export function recordOutput(record: GenerationRecord, event: GenerationEvent): void {
  if (event.type === 'content.delta' || event.type === 'reasoning.delta') {
    record.noteText('output', event.text);
  } else if (event.type === 'toolCall.delta') {
    const name = event.name === undefined ? '' : `${event.name} `;
    record.noteText('toolCalls', name + event.argumentsJson);
  }
}

/** Logs prompt and output of a generation. */
export function logTexts({ texts, outcome }: GenerationRecord, context: RequestContext): void {
  if (texts === undefined) return;
  const { prompt, output, toolCalls, isTruncated } = texts;
  context.logger.info(
    {
      model: context.record.model,
      prompt,
      output,
      ...omitUndefined({
        toolCalls: toolCalls === '' ? undefined : toolCalls,
        isTruncated: isTruncated || undefined,
        stopReason: outcome.stopReason,
      }),
    },
    'prompt',
  );
}
