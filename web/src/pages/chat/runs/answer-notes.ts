import { keep, readKept } from '../../../api/browser-storage.ts';
import { createStore } from '../../../api/store.ts';

/** Facts about an answer that the server does not store. */
interface AnswerNote {
  /** Error that ended the answer. */
  readonly failure?: Failure | undefined;
  /** Duration of each reasoning block in seconds, in order. */
  readonly reasoningSeconds?: readonly number[] | undefined;
}

export interface Failure {
  readonly message: string;
  /** Error code of the server. */
  readonly code: string | undefined;
}

const storageKey = 'hearth.answers';
const maxNotes = 200;

/** Notes by response id, stored in the tab, so that they survive a reload. */
export const answerNotes = createStore<Readonly<Record<string, AnswerNote>>>(read());

/** Adds a note to an answer; an empty note is not stored. */
export function noteAnswer(responseId: string, note: AnswerNote): void {
  const hasReasoning = (note.reasoningSeconds?.length ?? 0) > 0;
  if (note.failure === undefined && !hasReasoning) return;
  const { [responseId]: _, ...others } = answerNotes.get();
  const kept = Object.entries(others).slice(1 - maxNotes);
  answerNotes.set({ ...Object.fromEntries(kept), [responseId]: note });
  keep(storageKey, JSON.stringify(answerNotes.get()), 'sessionStorage');
}

function read(): Readonly<Record<string, AnswerNote>> {
  try {
    return JSON.parse(readKept(storageKey, 'sessionStorage') ?? '{}') as Record<string, AnswerNote>;
  } catch {
    return {};
  }
}
