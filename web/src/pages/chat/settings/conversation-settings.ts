import { keep, readKept } from '../../../api/browser-storage.ts';
import { createStore } from '../../../api/store.ts';
import type { ChatBody } from '../runs/run.ts';

/** Settings of messages. An absent number means the model's default. */
export interface ConversationSettings {
  readonly model: string | undefined;
  /** True if the user chose a starter model although other models were available. */
  readonly prefersStarter?: boolean | undefined;
  readonly systemPrompt: string;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly repeatPenalty?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly contextLength?: number | undefined;
  /** Scales by adapter key; the adapters belong to one model. */
  readonly adapters?: AdapterSettings | undefined;
  readonly reasoning?: ChatBody['reasoning'] | undefined;
  /** Plugins, such as `mcp/files`. */
  readonly integrations: readonly string[];
  /** Names of the allowed tools, by plugin. If a plugin is absent, all of its tools are allowed. */
  readonly allowedTools?: Readonly<Record<string, readonly string[]>> | undefined;
  /** MCP servers with their URLs. */
  readonly servers?: readonly EphemeralServer[] | undefined;
  /** True if the oldest turns may be left out when a prompt is too long. */
  readonly dropsOldTurns?: boolean | undefined;
  /** Format of the answer; plain text if absent. */
  readonly responseFormat?: NonNullable<ChatBody['response_format']> | undefined;
}

export interface AdapterSettings {
  readonly model: string;
  readonly scales: Readonly<Record<string, number>>;
}

export interface EphemeralServer {
  readonly label: string;
  readonly url: string;
}

export const defaultSettings: ConversationSettings = {
  model: undefined,
  systemPrompt: '',
  integrations: [],
};

/** Settings key of a conversation without messages. */
export const newConversation = 'new';

/** Settings key of new conversations in a project. */
export const newChatOf = (projectId: string) => `new ${projectId}`;

const storageKey = 'hearth.chat.settings';
const maxConversations = 300;

type Saved = Readonly<Record<string, ConversationSettings>>;

/** Settings of conversations by id, stored in the browser. */
export const savedSettings = createStore<Saved>(read());

export function saveSettings(key: string, settings: ConversationSettings): void {
  const { [key]: _, ...others } = savedSettings.get();
  const kept = Object.entries(others).slice(-maxConversations);
  savedSettings.set({ ...Object.fromEntries(kept), [key]: settings });
  keep(storageKey, JSON.stringify(savedSettings.get()));
}

export function removeSettings(key: string): void {
  const { [key]: _, ...others } = savedSettings.get();
  savedSettings.set(others);
  keep(storageKey, JSON.stringify(others));
}

/** Moves settings to another key, for example from a new conversation to its id. */
export function moveSettings(from: string, to: string): void {
  const { [from]: moved, ...others } = savedSettings.get();
  if (moved === undefined) return;
  savedSettings.set(others);
  saveSettings(to, moved);
}

/** Assigns the settings of a new chat to its conversation. Only the chosen model is kept for the next new chat. */
export function takeNewSettings(key: string, settings: ConversationSettings): void {
  const { model, prefersStarter } = savedSettings.get()[newConversation] ?? {};
  saveSettings(newConversation, { ...defaultSettings, model, prefersStarter });
  saveSettings(key, settings);
}

function read(): Saved {
  try {
    return JSON.parse(readKept(storageKey) ?? '{}') as Saved;
  } catch {
    return {};
  }
}
