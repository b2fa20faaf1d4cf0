import { keep, readKept } from '../../../api/browser-storage.ts';
import { withoutProjectParts } from '../messages/message-parts.ts';
import type { Run } from './run.ts';

const storageKey = 'hearth.runs';
/** Older runs are not resumed. The server keeps responses for 5 minutes after their end. */
const maxAgeMs = 24 * 60 * 60 * 1000;
const maxInputLength = 20_000;

export type SavedRun = Pick<
  Run,
  'conversationId' | 'previousId' | 'model' | 'input' | 'startedAt' | 'settingsKey'
> & {
  readonly responseId: string;
};

/** The running answers that this browser has started; other tabs and reloaded pages read them. */
export function readSavedRuns(): readonly SavedRun[] {
  try {
    const saved = JSON.parse(readKept(storageKey) ?? '[]') as readonly SavedRun[];
    return saved.filter(({ startedAt }) => Date.now() - startedAt < maxAgeMs);
  } catch {
    return [];
  }
}

export function saveRun(run: Run & { readonly responseId: string }): void {
  const { responseId, conversationId, previousId, model, startedAt, settingsKey } = run;
  // Images and files may exceed the storage of the browser.
  const input = withoutProjectParts(run.input)
    .filter(({ type }) => type === 'text')
    .map((part) => ('content' in part ? { ...part, content: shorten(part.content) } : part));
  const saved: SavedRun = {
    responseId,
    previousId,
    model,
    input,
    startedAt,
    settingsKey,
    ...(conversationId === undefined ? {} : { conversationId }),
  } as SavedRun;
  write([...readSavedRuns().filter((each) => each.responseId !== responseId), saved]);
}

export function forgetRun(responseId: string): void {
  write(readSavedRuns().filter((each) => each.responseId !== responseId));
}

/** Truncates a text. Closes the fence of a truncated document, so that it is still recognized as one. */
function shorten(text: string): string {
  if (text.length <= maxInputLength) return text;
  const [, fence] = /^File [^\n]+:\n\n(`{3,100})/.exec(text) ?? [];
  const start = text.slice(0, maxInputLength);
  return fence === undefined ? start : `${start}\n${fence}`;
}

/** Calls a function when another tab starts or ends a run. */
export function onSavedRunsChange(listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === storageKey) listener();
  });
}

function write(runs: readonly SavedRun[]): void {
  keep(storageKey, JSON.stringify(runs));
}
