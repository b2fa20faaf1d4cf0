import { call } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { conversationsKey, type InputPart } from '../conversations/conversation-queries.ts';
import { parseDocumentPart } from './document-part.ts';

const maxLength = 80;

/** If a new conversation begins with a document, sets its title to the user's text. */
export async function nameConversation(
  conversationId: string,
  input: readonly InputPart[],
): Promise<void> {
  const contents = input.flatMap((part) => ('content' in part ? part.content : []));
  const documents = contents.flatMap((content) => parseDocumentPart(content) ?? []);
  if (documents.length === 0) return;
  const words = contents.find((content) => parseDocumentPart(content) === undefined);
  const names = documents.flatMap((each) =>
    each.kind === 'file' ? each.name : each.passages.map(({ source }) => source).slice(0, 1),
  );
  const title = (words ?? names.join(', ')).replaceAll(/\s+/g, ' ').slice(0, maxLength);
  await call('patch', '/api/v1/conversations/{conversation_id}', {
    params: { conversation_id: conversationId },
    body: { title },
  });
  await queryClient.invalidateQueries({ queryKey: conversationsKey });
}
