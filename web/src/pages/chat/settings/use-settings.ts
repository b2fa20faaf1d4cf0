import { useStore } from '../../../api/store.ts';
import { isStarter } from '../../../downloads/is-first-run.ts';
import type { Model } from '../model/model-queries.ts';
import {
  defaultSettings,
  newConversation,
  savedSettings,
  saveSettings,
  type ConversationSettings,
} from './conversation-settings.ts';
import { chosenModel } from './chosen-model.ts';

/** The settings of a conversation. If none are stored, they have the model of the last response. */
export function useSettings(
  key: string,
  models: readonly Model[],
  lastModel: string | undefined,
): readonly [ConversationSettings, (settings: ConversationSettings) => void] {
  const saved = useStore(savedSettings);
  const own = saved[key];
  const forNew = saved[newConversation];
  const wanted = own?.model ?? lastModel;
  const model =
    wanted === undefined || key === newConversation
      ? chosenModel(models, forNew?.model, forNew?.prefersStarter === true)
      : chosenModel(models, wanted, true);
  const set = (next: ConversationSettings) => {
    // If the user did not change the model, it is not stored, so that it may change later, for example to a better one.
    if (next.model === model) return saveSettings(key, { ...next, model: own?.model });
    const chosen = models.find((each) => each.key === next.model);
    const prefersStarter =
      chosen !== undefined && isStarter(chosen) && !models.every(isStarter) ? true : undefined;
    saveSettings(key, { ...next, prefersStarter });
  };
  return [{ ...(own ?? defaultSettings), model }, set];
}
