import { createHash } from 'node:crypto';
import { conversationExportSchema } from '../../../src/api/v1/conversations/conversation-export-schema.ts';
import { get } from '../../setup/server/api.ts';
import { find, listAll, remove, send, uploadFile, type WriteKind } from './write-kind.ts';

const [exported] = (conversationExportSchema.meta()?.examples ?? []) as object[];

/** Imported conversations that are renamed, pinned and deleted. */
const conversations: WriteKind = {
  name: 'conversations',
  async write({ server, ledger, random, name: title }) {
    const { conversation_id: id } = await send(server, '/api/v1/conversations/import', {
      ...exported,
      title,
    });
    ledger.add(id, { title, pinned: false });
    const path = `/api/v1/conversations/${id}`;
    const renamed = { title: `${title} renamed`, pinned: true };
    await ledger.change(id, renamed, () => send(server, path, renamed, 'PATCH'));
    if (random() < 0.5) await ledger.change(id, undefined, () => remove(server, path));
  },
  read: async (server, id) => {
    const body = await find(server, `/api/v1/conversations/${id}`);
    return body && { title: body.title, pinned: body.pinned };
  },
  list: async (server) =>
    (await listAll(server, '/api/v1/conversations', 'conversations', 'cursor')).map(
      ({ title }) => title,
    ),
};

/** Conversations of OpenAI's API, to which items are added. */
const conversationItems: WriteKind = {
  name: 'items of conversations',
  async write({ server, ledger, name }) {
    const items = (content: string) => ({ items: [{ role: 'user', content }] });
    const { id } = await send(server, '/v1/conversations', items(name));
    ledger.add(id, [name]);
    const texts = [name];
    for (const text of [`${name} second`, `${name} third`]) {
      texts.push(text);
      await ledger.change(id, [...texts], () =>
        send(server, `/v1/conversations/${id}/items`, items(text)),
      );
    }
  },
  read: async (server, id) => {
    const body = await find(server, `/v1/conversations/${id}/items?order=asc`);
    return body?.data.map(
      ({ content }: { readonly content: { readonly text: string }[] }) => content[0]?.text,
    );
  },
};

/** Uploaded files, some of which are deleted. */
const files: WriteKind = {
  name: 'files',
  async write({ server, ledger, random, name }) {
    const text = `${name}\n`.repeat(1 + Math.floor(random() * 60_000));
    const id = await uploadFile(server, `${name}.jsonl`, text);
    ledger.add(id, sha256(text));
    if (random() < 0.3) {
      await ledger.change(id, undefined, () => remove(server, `/v1/files/${id}`));
    }
  },
  read: async (server, id) => {
    const text = await find(server, `/v1/files/${id}/content`);
    return text === undefined ? undefined : sha256(text);
  },
};

/** API tokens that are created and revoked. */
const tokens: WriteKind = {
  name: 'tokens',
  async write({ server, ledger, random, name }) {
    const { id, token } = await send(server, '/api/v1/tokens', { name, permissions: ['chat'] });
    ledger.add(token, 'valid');
    if (random() < 0.5) {
      await ledger.change(token, undefined, () => remove(server, `/api/v1/tokens/${id}`));
    }
  },
  read: async (server, token) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await get(server.url, '/api/v1/responses?limit=1', { headers });
    return status === 401 ? undefined : 'valid';
  },
  list: async (server) => {
    const body = await find(server, '/api/v1/tokens');
    return body.tokens.map(({ name }: { readonly name: string }) => name);
  },
};

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export const thingKinds: readonly WriteKind[] = [conversations, conversationItems, files, tokens];
