import type { ConversationToImport } from '../../../../chat/import-conversation.ts';
import {
  conversationExportSchema,
  type ConversationExport,
} from '../conversation-export-schema.ts';
import { ImportError } from './imported-chat.ts';
import { fieldsOf } from './values.ts';

/** True if a value is an export of Hearth. */
export function isHearthExport(value: unknown): boolean {
  return fieldsOf(value)['format'] === 'hearth.conversation';
}

/** @throws ImportError */
export function readHearthExport(value: unknown): ConversationToImport {
  const { data, error } = conversationExportSchema.safeParse(value);
  if (data !== undefined) return fromExport(data);
  const [issue] = error.issues;
  throw new ImportError(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}.`);
}

export function fromExport({ title, responses, images }: ConversationExport): ConversationToImport {
  return {
    title,
    responses: responses.map((response) => ({
      id: response.response_id,
      parentId: response.previous_response_id,
      createdAt: new Date(response.created_at),
      modelKey: response.model,
      modelInstanceId: response.model_instance_id,
      turn: response.turn,
    })),
    images,
  };
}
