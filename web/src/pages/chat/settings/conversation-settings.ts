import { keep, readKept } from '../../../api/browser-storage.ts';
import { createStore } from '../../../api/store.ts';
import type { ChatBody } from '../runs/run.ts';

/** Settings of a message; an absent number is the model's default. */
export interface ConversationSettings {
  readonly model: string | undefined;
  /** True if the user chose a starter model although there were others. */
  readonly prefersStarter?: boolean | undefined;
  readonly systemPrompt: string;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly repeatPenalty?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly contextLength?: number | undefined;
  /** Scales by the key of an adapter, for one model. */
  readonly adapters?: AdapterSettings | undefined;
  readonly reasoning?: ChatBody['reasoning'] | undefined;
  /** Plugins, such as `mcp/files`. */
  readonly integrations: readonly string[];
  /** Names of the tools that the model may call, by plugin; all tools of a plugin that is absent. */
  readonly allowedTools?: Readonly<Record<string, readonly string[]>> | undefined;
  /** MCP servers that are named by their URL. */
  readonly servers?: readonly EphemeralServer[] | undefined;
  /** True if the oldest turns may be left out of a prompt that is too long. */
  readonly dropsOldTurns?: boolean | undefined;
  /** Format of the answer; any text if absent. */
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

/** Key of the settings of a conversation that has no message yet. */
export const newConversation = 'new';

/** Settings key of new conversations in a project. */
export const newChatOf = (projectId: string) => `new ${projectId}`;

const storageKey = 'hearth.chat.settings';
const maxConversations = 300;

type Saved = Readonly<Record<string, ConversationSettings>>;

/** Settings of conversations by their id, kept in the browser. */
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

/** Moves settings to another key, such as from a new conversation to its id. */
export function moveSettings(from: string, to: string): void {
  const { [from]: moved, ...others } = savedSettings.get();
  if (moved === undefined) return;
  savedSettings.set(others);
  saveSettings(to, moved);
}

/**
 * Keeps the settings of a new chat for its conversation only. The next new chat begins with the chosen model and the
 * defaults.
 */
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
