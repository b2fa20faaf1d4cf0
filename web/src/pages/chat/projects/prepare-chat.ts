import { call } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { setAttachments } from '../composer/use-attachments.ts';
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

/** Prepares a new chat with the instructions, the model, the preset and the files of a project. */
export async function prepareChat(project: Project): Promise<void> {
  const { project_id: id, instructions, model, preset: name } = project;
  const presets = name === null ? [] : await queryClient.fetchQuery(presetsQuery);
  const preset = presets.find((each) => each.name === name) ?? {};
  const chosen = model ?? savedSettings.get()[newConversation]?.model;
  const settings = withPreset(definedOnly({ ...preset, model: model ?? undefined }), chosen);
  const files = await Promise.all(
    project.files.map(({ file_id: fileId }) =>
      call('get', '/api/v1/projects/{project_id}/files/{file_id}', {
        params: { project_id: id, file_id: fileId },
      }),
    ),
  );
  const key = newChatOf(id);
  saveSettings(key, {
    ...settings,
    systemPrompt: instructions === '' ? settings.systemPrompt : instructions,
  });
  setAttachments(
    key,
    files.map(({ file_id: fileId, name: fileName, text }) => ({
      id: fileId,
      name: fileName,
      sizeBytes: new Blob([text]).size,
      content: { document: { name: fileName, sections: [{ text }] } },
    })),
  );
}
