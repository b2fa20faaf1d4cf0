import { formatCount } from '../../kernel/format.ts';
import type { Reread } from '../../kernel/request/request-record.ts';
import type { GenerationRequest } from '../engine.ts';
import type { Comparison, Difference } from './compare-prompts.ts';
import { blockCharacters, partText, type PromptOutline } from './prompt-outline.ts';

/** Describes the first difference between two prompts. */
export function explainDifference(
  earlier: PromptOutline,
  current: PromptOutline,
  request: GenerationRequest,
  { difference, droppedMessages }: Comparison & { readonly difference: Difference },
  tokens: number,
): Reread {
  const { part, character } = difference;
  const after = `so about ${formatCount(tokens)} tokens after it were read again.`;
  const one = earlier.parts[part];
  const other = current.parts[part];
  if (one?.tools !== undefined || other?.tools !== undefined) {
    const changes = toolChanges(one?.tools ?? new Map(), other?.tools ?? new Map());
    return {
      cause: 'tools_changed',
      message: `The tools changed (${changes}), ${after} Send the same tools in the same order.`,
      tokens,
    };
  }
  if (droppedMessages > 0) {
    const messages = droppedMessages === 1 ? 'message was' : 'messages were';
    const message = `${droppedMessages} earlier ${messages} left out before message ${messageNumber(current, part)}, ${after}`;
    return { cause: 'messages_dropped', message, tokens };
  }
  const place = placeOf(character, other?.characters ?? 0);
  const kind = kindOfText(partText(request, part), character);
  const what = kind === undefined ? '' : `: it has ${kind} there`;
  if (other?.kind === 'system') {
    const advice = 'Put what changes at the end of the prompt.';
    const message = `The system prompt changed ${place}${what}, ${after} ${advice}`;
    return { cause: 'system_prompt_changed', message, tokens };
  }
  if (other?.kind === 'text') {
    const message = `The prompt changed ${place}${what}, ${after}`;
    return { cause: 'prompt_changed', message, tokens };
  }
  const number = messageNumber(current, part);
  const message =
    one?.isAnswer === true && other?.kind === 'assistant'
      ? `Message ${number} is not the answer that the model gave: it differs ${place}, ${after}`
      : `Message ${number} (${other?.kind ?? 'none'}) changed ${place}${what}, ${after}`;
  return { cause: 'message_changed', message, tokens };
}

/** The block with the first difference, of which only a hash is known. */
function placeOf(start: number, characters: number): string {
  const first = Math.min(start + 1, characters);
  const last = Math.min(start + blockCharacters, characters);
  return `within characters ${formatCount(first)} to ${formatCount(last)} of ${formatCount(characters)}`;
}

/** Describes a prompt whose beginning is unchanged, but is no longer in the cache. */
export function explainLoss(isSameEngine: boolean, tokens: number): Reread {
  const shared = `About ${formatCount(tokens)} tokens of the beginning were read again`;
  return isSameEngine
    ? {
        cause: 'cache_displaced',
        message: `${shared}, as other prompts took their place in the cache.`,
        tokens,
      }
    : {
        cause: 'instance_changed',
        message: `${shared}, as another instance of the model read them before, or the model was loaded again.`,
        tokens,
      };
}

/** Number of a message as clients count: from 1, with the system prompt, without the tools. */
function messageNumber({ parts }: PromptOutline, part: number): number {
  return part + (parts[0]?.tools === undefined ? 1 : 0);
}

function toolChanges(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): string {
  const added = [...after.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, hash]) => (before.get(name) ?? hash) !== hash);
  const lists = [
    ['added', added],
    ['removed', removed],
    ['changed', changed.map(([name]) => name)],
  ] as const;
  const named = lists
    .filter(([, names]) => names.length > 0)
    .map(([change, names]) => `${change}: ${shortList(names)}`);
  return named.length === 0 ? 'their order' : named.join('; ');
}

const mostNames = 5;

function shortList(names: readonly string[]): string {
  const rest = names.length - mostNames;
  return [
    ...names.slice(0, mostNames).map((name) => name.slice(0, 64)),
    ...(rest > 0 ? [`${rest} more`] : []),
  ].join(', ');
}

const month = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const kinds = [
  [/\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}/u, 'a date'],
  [new RegExp(`\\b(?:${month})[a-z]* \\d{1,2}|\\d{1,2}\\.? (?:${month})`, 'iu'), 'a date'],
  [/\b\d{1,2}:\d\d\b/u, 'a time'],
  [/[\da-f]{8}-[\da-f]{4}-/iu, 'an id'],
  [/\b[\da-f]{16,}\b/iu, 'an id'],
  [/\d/u, 'a number'],
] as const;

/** Describes the text at a position if it is of a kind that often changes. */
function kindOfText(text: string, character: number): string | undefined {
  const around = text.slice(Math.max(0, character - 16), character + 80);
  return kinds.find(([pattern]) => pattern.test(around))?.[1];
}
