import { queryClient } from '../../../api/query-client.ts';
import { definedOnly } from '../settings/to-chat-body.ts';
import {
  newChatOf,
  savedSettings,
  saveSettings,
  newConversation,
} from '../settings/conversation-settings.ts';
import { presetsQuery } from '../settings/preset-queries.ts';
import { withPreset } from '../settings/preset-values.ts';
import type { Project } from './project-queries.ts';

/** Prepares a new chat with the instructions, the model and the preset of a project. */
export async function prepareChat(project: Project): Promise<void> {
  const { project_id: id, instructions, model, preset: name } = project;
  const presets = name === null ? [] : await queryClient.fetchQuery(presetsQuery);
  const preset = presets.find((each) => each.name === name) ?? {};
  const chosen = model ?? savedSettings.get()[newConversation]?.model;
  const settings = withPreset(definedOnly({ ...preset, model: model ?? undefined }), chosen);
  saveSettings(newChatOf(id), {
    ...settings,
    systemPrompt: instructions === '' ? settings.systemPrompt : instructions,
  });
}
