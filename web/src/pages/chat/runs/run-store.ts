import type { ChatEvent } from '../../../../../src/api/v1/chat/chat-event-schema.ts';
import { ApiError, UnreachableError } from '../../../api/api-error.ts';
import { call, stream } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { ServerSentEvent } from '../../../api/server-sent-events.ts';
import { createStore } from '../../../api/store.ts';
import { newId } from '../../../ui/new-id.ts';
import { messageOf, showError } from '../../../ui/toasts.ts';
import { conversationsKey, type InputPart } from '../conversations/conversation-queries.ts';
import { conversationWith } from '../conversations/conversation-with.ts';
import { moveSettings } from '../settings/conversation-settings.ts';
import { addTemporary } from '../temporary/temporary-chats.ts';
import { noteAnswer } from './answer-notes.ts';
import { paced } from './paced.ts';
import { applyEvent, type ChatBody, type ContinueBody, type Run } from './run.ts';
import {
  forgetRun,
  onSavedRunsChange,
  readSavedRuns,
  saveRun,
  type SavedRun,
} from './saved-runs.ts';

/** Running answers, and ended ones whose stored response is not loaded yet. */
export const runs = createStore<readonly Run[]>([]);

/** Keys and messages of the running answers. Does not change while the answers grow. */
export const running = createStore<readonly RunningAnswer[]>([]);
runs.subscribe(() => {
  const next = runs.get().filter(({ phase }) => phase.kind !== 'ended');
  if (!areSame(next, running.get())) running.set(next);
});

type RunningAnswer = Pick<Run, 'key' | 'responseId' | 'conversationId' | 'input' | 'isTemporary'>;

function areSame(some: readonly RunningAnswer[], others: readonly RunningAnswer[]): boolean {
  const isSame = (one: RunningAnswer, other: RunningAnswer | undefined) =>
    one.key === other?.key &&
    one.responseId === other.responseId &&
    one.conversationId === other.conversationId;
  return some.length === others.length && some.every((one, index) => isSame(one, others[index]));
}

const controllers = new Map<string, AbortController>();
/** Keys of the runs to cancel as soon as their response has an id. */
const stopping = new Set<string>();

interface StartOptions {
  readonly conversationId: string | undefined;
  readonly previousId: string | null;
  readonly input: readonly InputPart[];
  readonly isTemporary?: boolean;
  readonly body: Omit<ChatBody, 'stream' | 'background' | 'store'>;
  /** Called if the server refuses the message, so that it is not stored. */
  readonly onRefused?: (() => void) | undefined;
}

/** Sends a message. If the page is closed, the server continues to generate the answer. */
export function startRun({
  conversationId,
  previousId,
  input,
  isTemporary = false,
  body,
  onRefused,
}: StartOptions): Run {
  const run = newRun({ conversationId, previousId, model: body.model, input, isTemporary });
  const { signal } = controllerOf(run.key);
  const events = stream(
    'post',
    '/api/v1/chat',
    { body: { ...body, stream: true, background: true, store: true } },
    { signal, pause },
  );
  void follow(run, events, { onRefused, isLive: true });
  return run;
}

interface ContinueOptions extends Pick<
  Run,
  'conversationId' | 'previousId' | 'model' | 'input' | 'items'
> {
  readonly responseId: string;
  readonly body: Omit<ContinueBody, 'stream' | 'background'>;
}

/** Lets the model continue a stored answer. The events first repeat the existing part of the answer. */
export function continueRun({ responseId, body, ...answer }: ContinueOptions): Run {
  const run = newRun({ ...answer, isRepeated: true });
  const { signal } = controllerOf(run.key);
  const events = stream(
    'post',
    '/api/v1/responses/{response_id}/continue',
    { params: { response_id: responseId }, body: { ...body, stream: true, background: true } },
    { signal, pause },
  );
  // The stored answer stays as it was.
  const onRefused = (error: unknown) => {
    removeRun(run.key);
    showError(error);
  };
  void follow(run, events, { onRefused, isLive: true });
  return run;
}

function newRun(
  started: Pick<Run, 'conversationId' | 'previousId' | 'model' | 'input'> &
    Partial<Pick<Run, 'items' | 'isRepeated' | 'isTemporary'>>,
): Run {
  const key = newId();
  const run: Run = {
    key,
    responseId: undefined,
    phase: { kind: 'sending' },
    items: [],
    error: undefined,
    isCancelled: false,
    result: undefined,
    startedAt: Date.now(),
    settingsKey: key,
    reasoningSeconds: [],
    ...started,
  };
  runs.set((all) => [...all, run]);
  return run;
}

/**
 * Stops an answer; the server stores the text so far. An answer without an id is canceled once it has one, since the
 * server would continue it if only its connection were closed. A second call closes the connection.
 */
export async function stopRun({ key }: Run): Promise<void> {
  // The component may have an older state of the run.
  const responseId = runs.get().find((run) => run.key === key)?.responseId;
  if (responseId !== undefined) {
    await cancel(responseId);
  } else if (stopping.has(key)) {
    controllers.get(key)?.abort();
    removeRun(key);
  } else {
    stopping.add(key);
  }
}

async function cancel(responseId: string): Promise<void> {
  try {
    await call('post', '/api/v1/responses/{response_id}/cancel', {
      params: { response_id: responseId },
    });
  } catch (error) {
    // The answer may have ended in the meantime.
    if (!(error instanceof ApiError && error.status === 404)) showError(error);
  }
}

export function removeRun(key: string): void {
  controllers.delete(key);
  stopping.delete(key);
  runs.set((all) => all.filter((each) => each.key !== key));
}

/** Follows the running answers that this browser has started in other tabs or before a reload. */
export function resumeRuns(): void {
  const resume = () => {
    const known = new Set(runs.get().map(({ responseId }) => responseId));
    for (const saved of readSavedRuns()) if (!known.has(saved.responseId)) resumeRun(saved);
  };
  resume();
  onSavedRunsChange(resume);
}

/** Follows an answer that was started elsewhere. Its message becomes known when it is stored. */
export function followResponse(responseId: string): void {
  if (runs.get().some((run) => run.responseId === responseId)) return;
  resumeRun({
    responseId,
    conversationId: undefined,
    previousId: null,
    model: '',
    input: [],
    startedAt: Date.now(),
    settingsKey: responseId,
  });
}

function resumeRun(saved: SavedRun): void {
  const run: Run = {
    ...saved,
    conversationId: saved.conversationId,
    key: saved.responseId,
    // Until the first event, the phase is unknown and the server may be down.
    phase: { kind: 'sending' },
    items: [],
    error: undefined,
    isCancelled: false,
    result: undefined,
    reasoningSeconds: [],
  };
  runs.set((all) => [...all, run]);
  void follow(run, followFrom(saved.responseId, undefined, controllerOf(run.key).signal));
}

function followFrom(responseId: string, lastId: string | undefined, signal: AbortSignal) {
  return stream(
    'get',
    '/api/v1/responses/{response_id}/events',
    { params: { response_id: responseId } },
    { signal, pause, headers: lastId === undefined ? {} : { 'last-event-id': lastId } },
  );
}

/**
 * Waits so that a fast answer is read in batches, since a read costs more than an event. Does not wait in hidden tabs,
 * whose timers are slow.
 */
async function pause(): Promise<void> {
  if (!document.hidden) await new Promise((resolve) => setTimeout(resolve, 40));
}

interface FollowOptions {
  readonly onRefused?: ((error: unknown) => void) | undefined;
  /** True if the events arrive as they happen, so that their times can be measured. */
  readonly isLive?: boolean;
}

/** Reads the events of a run; reconnects as often as necessary. */
async function follow(
  run: Run,
  first: AsyncIterable<ServerSentEvent>,
  { onRefused, isLive = false }: FollowOptions = {},
): Promise<void> {
  const { key } = run;
  const { signal } = controllerOf(key);
  const updates = frameUpdates(run, isLive);
  let events = first;
  let lastId: string | undefined;
  let waitMs = 300;
  while (!signal.aborted) {
    try {
      for await (const { id, data } of events) {
        lastId = id ?? lastId;
        waitMs = 300;
        const { responseId: known } = updates.get();
        updates.add(JSON.parse(data) as ChatEvent);
        const current = updates.get();
        if (known === undefined && current.responseId !== undefined) {
          const { responseId, isTemporary } = current;
          // The browser stores no part of a temporary chat.
          if (isTemporary !== true) saveRun({ ...current, responseId });
          updates.flush();
          if (stopping.delete(key)) void cancel(current.responseId);
        }
      }
      break;
    } catch (error) {
      const { responseId } = updates.get();
      if (signal.aborted) return;
      if (responseId === undefined) onRefused?.(error);
      if (!(error instanceof UnreachableError) || responseId === undefined) {
        return end(updates.flush(), error);
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      waitMs = Math.min(waitMs * 2, 5000);
      events = followFrom(responseId, lastId, signal);
    }
  }
  await end(updates.flush());
}

/** Replaces the run by the stored response. If the run failed before it was stored, it stays with its error. */
async function end(run: Run, error?: unknown): Promise<void> {
  const { key, responseId } = run;
  if (responseId !== undefined) {
    const stored = await conversationWith(responseId, run.conversationId).catch(() => undefined);
    forgetRun(responseId);
    if (stored !== undefined) {
      noteAnswer(responseId, notesOf(run));
      if (run.conversationId === undefined) await beginConversation(run, stored);
      update({ ...run, conversationId: stored, phase: { kind: 'ended' } });
      void queryClient.invalidateQueries({ queryKey: ['models'] });
      await queryClient.invalidateQueries({ queryKey: conversationsKey });
      const isComplete = run.error === undefined && !run.isCancelled && run.isTemporary !== true;
      // Other tabs may follow an answer that was not started in this one.
      const isNamedHere = key !== responseId || !document.hidden;
      if (isComplete && isNamedHere) await title(run, stored);
      return;
    }
    await queryClient.invalidateQueries({ queryKey: conversationsKey });
    // The server no longer knows a resumed run.
    if (error instanceof ApiError && error.status === 404) return removeRun(key);
  }
  const message = run.error ?? (error === undefined ? undefined : messageOf(error));
  const errorCode = run.errorCode ?? (error instanceof ApiError ? error.code : undefined);
  update({ ...run, phase: { kind: 'ended' }, error: message, errorCode });
}

function notesOf({ error, errorCode, reasoningSeconds }: Run) {
  const failure = error === undefined ? undefined : { message: error, code: errorCode };
  return { failure, reasoningSeconds };
}

/** Lets the model write the title of a new conversation until the user sends the next message. */
async function title(run: Run, id: string): Promise<void> {
  const controller = new AbortController();
  const before = new Set(runs.get().map(({ key }) => key));
  const unsubscribe = runs.subscribe(() => {
    if (runs.get().some(({ key }) => !before.has(key))) controller.abort();
  });
  try {
    const { titleConversation } = await import('../list/title-conversation.ts');
    const isNew = run.conversationId === undefined;
    await titleConversation(run, { id, isNew, signal: controller.signal });
  } catch {
    // The part of the app is missing; the first words of the message stay the title.
  } finally {
    unsubscribe();
  }
}

/** Stores the settings of a new conversation, and sets its title if its message begins with a document. */
async function beginConversation(run: Run, conversationId: string): Promise<void> {
  if (run.isTemporary === true) addTemporary(conversationId, run);
  moveSettings(run.settingsKey, conversationId);
  const mayHaveDocuments = run.input.some(
    (part) => 'content' in part && /^(?:File |Passages of attached files )/.test(part.content),
  );
  if (!mayHaveDocuments) return;
  try {
    const { nameConversation } = await import('../documents/name-conversation.ts');
    await nameConversation(conversationId, run.input);
  } catch (error) {
    showError(error);
  }
}

function update(run: Run): void {
  runs.set((all) => all.map((each) => (each.key === run.key ? run : each)));
}

/** Applies events immediately, and publishes the result as often as the page can render it. */
function frameUpdates(initial: Run, isLive: boolean) {
  let run = initial;
  const pace = paced(() => update(run));
  const flush = () => {
    pace.cancel();
    update(run);
    return run;
  };
  return {
    get: () => run,
    flush,
    add: (event: ChatEvent) => {
      run = applyEvent(run, event, isLive ? performance.now() : undefined);
      // Tabs in the background have no frames.
      if (document.hidden) flush();
      else pace.request();
    },
  };
}

function controllerOf(key: string): AbortController {
  const controller = controllers.get(key) ?? new AbortController();
  controllers.set(key, controller);
  return controller;
}
