import type { DestinationStream } from 'pino';
import { formatCount, formatDuration } from '../kernel/format.ts';
import { printable } from '../kernel/printable.ts';

type LogRecord = Readonly<Record<string, unknown>>;

interface TextLogOptions {
  readonly write: (text: string) => void;
  readonly hasColors: boolean;
}

/** Maximum number of generations to remember until their requests end. */
const maxPendingGenerations = 1000;

/**
 * A log destination for people: writes the JSON lines of the logger as text, such as
 * `19:45:49 chat local/smollm2 200 3.4 s, 31 → 120 tokens, 16 tok/s`.
 */
export function createTextLog({ write, hasColors }: TextLogOptions): DestinationStream {
  const generations = new Map<unknown, LogRecord>();
  const paint = (code: number, text: string) =>
    hasColors ? `\u001b[${code}m${text}\u001b[0m` : text;

  /** Undefined for a line that becomes part of a later one. */
  function format(record: LogRecord): string | undefined {
    const { msg, requestId } = record;
    if (msg === 'generated' && requestId !== undefined) {
      generations.set(requestId, record);
      // If a client disconnects, its request may be logged before its generation. The entry is removed only here then.
      if (generations.size > maxPendingGenerations)
        generations.delete(generations.keys().next().value);
      return undefined;
    }
    if (msg === 'prompt') return formatPrompt(record);
    if (msg !== 'request') return formatEvent(record);
    const generation = generations.get(requestId);
    generations.delete(requestId);
    return formatRequest(record, generation);
  }

  return {
    write(line) {
      const record = parseRecord(line);
      const text = record === undefined ? line.trimEnd() : format(record);
      if (text === undefined) return;
      const { level, time } = record ?? {};
      const label =
        level === 'warn'
          ? `${paint(33, 'warning:')} `
          : level === 'error'
            ? `${paint(31, 'error:')} `
            : '';
      // The text may contain values of requests.
      write(`${paint(2, formatClock(time))} ${label}${printable(text)}\n`);
    },
  };
}

/** Formats a request: `chat local/smollm2 200 3.4 s, 31 → 120 tokens, 16 tok/s`, or `GET /api/v1/models 200 4 ms`. */
function formatRequest(request: LogRecord, generation: LogRecord | undefined): string {
  const subject =
    generation === undefined
      ? `${String(request['method'])} ${String(request['path'])}`
      : `${String(generation['operation'])} ${String(generation['model'])}`;
  const duration = formatDuration(Number(request['durationMs'] ?? 0) / 1000);
  const outcome =
    request['aborted'] === true
      ? `cancelled after ${duration}`
      : `${String(request['status'])} ${duration}`;
  const facts = generation === undefined ? [] : formatGeneration(generation);
  return [`${subject} ${outcome}`, ...facts].join(', ');
}

function formatGeneration({
  promptTokens,
  completionTokens,
  tokensPerSecond,
}: LogRecord): readonly string[] {
  const counts = [promptTokens, completionTokens].filter((count) => typeof count === 'number');
  return [
    ...(counts.length === 0 ? [] : [`${counts.map(formatCount).join(' → ')} tokens`]),
    ...(typeof tokensPerSecond === 'number' && tokensPerSecond > 0
      ? [`${formatCount(Math.round(tokensPerSecond))} tok/s`]
      : []),
  ];
}

/** Formats a generation's prompt and output, with each line indented. */
function formatPrompt(record: LogRecord): string {
  const { model, requestId, prompt, output, toolCalls, stopReason } = record;
  const indent = (text: unknown): string => String(text).replaceAll(/^/gm, '  | ');
  const parts = [`prompt for ${String(model)} (request ${String(requestId)})`, indent(prompt)];
  parts.push(`output${typeof stopReason === 'string' ? ` (${stopReason})` : ''}`, indent(output));
  if (toolCalls !== undefined) parts.push('tool calls', indent(toolCalls));
  return parts.join('\n');
}

/** Formats the message, the error and the other fields: `model loaded (instance=a/b, pid=12)`. */
function formatEvent(record: LogRecord): string {
  const { level, time: _time, msg, requestId: _requestId, err, ...fields } = record;
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`);
  const details = shown.length === 0 ? '' : ` (${shown.join(', ')})`;
  return `${typeof msg === 'string' ? msg : ''}${details}${formatError(err, level === 'error')}`;
}

function formatValue(value: unknown): string {
  if (typeof value === 'number' && !Number.isInteger(value)) return value.toFixed(3);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Includes the stack only for unexpected errors. */
function formatError(error: unknown, isUnexpected: boolean): string {
  if (typeof error !== 'object' || error === null) return '';
  const { message, stack } = error as { readonly message?: unknown; readonly stack?: unknown };
  return isUnexpected && typeof stack === 'string' ? `\n${stack}` : `: ${String(message)}`;
}

/** Formats an ISO 8601 timestamp as local time: `19:45:49`. */
function formatClock(time: unknown): string {
  const date = new Date(typeof time === 'string' ? time : Date.now());
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

function parseRecord(line: string): LogRecord | undefined {
  try {
    return JSON.parse(line) as LogRecord;
  } catch {
    return undefined;
  }
}
