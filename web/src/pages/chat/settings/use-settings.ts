import { useStore } from '../../../api/store.ts';
import type { Model } from '../model/model-queries.ts';
import {
  defaultSettings,
  newConversation,
  savedSettings,
  saveSettings,
  type ConversationSettings,
} from './conversation-settings.ts';

/** The settings of a conversation; those of one from elsewhere follow its last response. */
export function useSettings(
  key: string,
  models: readonly Model[],
  lastModel: string | undefined,
): readonly [ConversationSettings, (settings: ConversationSettings) => void] {
  const saved = useStore(savedSettings);
  const own = saved[key];
  const base = own ?? { ...defaultSettings, model: lastModel ?? saved[newConversation]?.model };
  const isAvailable = models.some((model) => model.key === base.model);
  const model = isAvailable || models.length === 0 ? base.model : models[0]?.key;
  return [{ ...base, model }, (settings) => saveSettings(key, settings)];
}
