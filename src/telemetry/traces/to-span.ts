import { SpanKind, type Attributes } from '@opentelemetry/api';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import {
  generatesText,
  type GenerationRecord,
  type Operation,
  type Phase,
  type RequestRecord,
} from '../../kernel/request/request-record.ts';
import type { EndedSpan } from './span-writer.ts';

/**
 * The attributes follow the semantic conventions of OpenTelemetry for HTTP servers and for generative AI:
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */

const operationNames = {
  chat: 'chat',
  completion: 'text_completion',
  embedding: 'embeddings',
  rerank: 'rerank',
  transcription: 'transcription',
} as const satisfies Record<Operation, string>;

export function requestSpan(record: RequestRecord): EndedSpan {
  const { method, path, route, status, trace, startMs, endMs, failure, isAborted } = record;
  const hasFailed = (status ?? 0) >= 500 || (failure !== undefined && status === 200);
  return {
    name: route === null ? method : `${method} ${route}`,
    kind: SpanKind.SERVER,
    spanId: trace?.spanId ?? '',
    parentSpanId: trace?.parentSpanId,
    startMs,
    endMs: endMs ?? startMs,
    attributes: {
      'http.request.method': method,
      'url.path': path,
      'hearth.request.id': record.requestId,
      ...omitUndefined({
        'http.route': route ?? undefined,
        'http.response.status_code': status ?? undefined,
        'user.id': record.caller?.tokenId,
        'error.type': failure?.code,
        'hearth.aborted': isAborted || undefined,
      }),
    },
    failure: hasFailed ? (failure?.message ?? '') : undefined,
  };
}

export function phaseSpan(record: RequestRecord, phase: Phase): EndedSpan {
  const { subject, spanId, startMs, endMs, hasFailed } = phase;
  return {
    name: subject.name === 'tool' ? `execute_tool ${subject.tool}` : subject.name,
    kind: subject.name === 'tool' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanId,
    parentSpanId: record.trace?.spanId,
    startMs,
    endMs: endMs ?? startMs,
    attributes: phaseAttributes(record, phase),
    failure: hasFailed ? (record.failure?.message ?? '') : undefined,
  };
}

function phaseAttributes({ model, instanceId }: RequestRecord, { subject }: Phase): Attributes {
  switch (subject.name) {
    case 'tool':
      return {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': subject.tool,
        'gen_ai.tool.type': 'extension',
        'hearth.tool.provider': subject.provider,
      };
    case 'store':
      return { 'db.system.name': 'sqlite', 'db.operation.name': 'insert' };
    case 'queue':
    case 'load':
      return omitUndefined({ 'gen_ai.request.model': model, 'hearth.instance.id': instanceId });
  }
}

/** Creates the spans of a generation and, within it, of its prefill. */
export function generationSpans(
  record: RequestRecord,
  generation: GenerationRecord,
  hasPrompts: boolean,
): readonly EndedSpan[] {
  const { operation, spanId, promptSpanId, startMs, endMs = startMs, outcome } = generation;
  const { usage, stopReason, hasFailed = false } = outcome;
  const { model } = record;
  const name = operationNames[operation];
  const span: EndedSpan = {
    name: model === undefined ? name : `${name} ${model}`,
    kind: SpanKind.INTERNAL,
    spanId,
    parentSpanId: record.trace?.spanId,
    startMs,
    endMs,
    attributes: {
      'gen_ai.operation.name': name,
      'gen_ai.provider.name': 'hearth',
      ...omitUndefined({
        'gen_ai.request.model': model,
        'gen_ai.response.model': model,
        'hearth.instance.id': record.instanceId,
        'gen_ai.usage.input_tokens': usage?.promptTokens,
        'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
        'gen_ai.usage.output_tokens': usage?.completionTokens,
        'gen_ai.response.finish_reasons': stopReason === undefined ? undefined : [stopReason],
      }),
      ...(hasPrompts ? promptAttributes(generation) : {}),
    },
    failure: hasFailed ? (record.failure?.message ?? '') : undefined,
  };
  if (!generatesText(operation)) return [span];
  const prefill: EndedSpan = {
    name: 'prefill',
    kind: SpanKind.INTERNAL,
    spanId: promptSpanId,
    parentSpanId: spanId,
    startMs,
    endMs: generation.firstTokenMs ?? endMs,
    attributes: omitUndefined({ 'gen_ai.usage.input_tokens': usage?.promptTokens }),
    failure: undefined,
  };
  return [prefill, span];
}

function promptAttributes({ texts, outcome }: GenerationRecord): Attributes {
  if (texts === undefined) return {};
  const message = (role: string, content: string, more = {}): string =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }], ...more }]);
  const finish = { finish_reason: outcome.stopReason ?? 'error' };
  return {
    'gen_ai.input.messages': message('user', texts.prompt),
    'gen_ai.output.messages': message('assistant', texts.output + texts.toolCalls, finish),
  };
}
