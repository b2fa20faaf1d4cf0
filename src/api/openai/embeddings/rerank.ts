import { rerank as rank } from '../../../chat/rerank.ts';
import { rerank } from './rerank-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { mount, type App } from '../../kit/mount.ts';
import { assertSupported, type UnsupportedField } from '../chat/unsupported-fields.ts';
import type { ApiServices } from '../../services.ts';

/** Fields of Cohere's and Jina's rerankers that Hearth does not support. */
const unsupportedFields: readonly UnsupportedField[] = [
  { name: 'rank_fields', reason: 'is not supported: documents are ranked by their `text`.' },
  { name: 'max_tokens_per_doc', reason: 'is not supported: documents are never cut.' },
  { name: 'max_chunks_per_doc', reason: 'is not supported: documents are never cut.' },
];

export function mountRerank(app: App, services: ApiServices): void {
  mount(app, rerank, async ({ body, context }) => {
    assertSupported(body, unsupportedFields);
    const documents = body.documents.map((each) => (typeof each === 'string' ? each : each.text));
    const request = {
      model: body.model ?? undefined,
      query: body.query,
      documents,
      ...omitUndefined({ ttlSeconds: body.ttl }),
    };
    const { selection, ranking, promptTokens } = await rank(services, request, context);
    return {
      object: 'list',
      model: body.model || selection.model.key,
      results: ranking.slice(0, body.top_n ?? undefined).map(({ index, relevance }) => ({
        index,
        relevance_score: relevance,
        ...(body.return_documents === true ? { document: { text: documents[index] ?? '' } } : {}),
      })),
      usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    };
  });
}
