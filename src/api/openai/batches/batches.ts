import {
  batchEndpointSchema,
  cancelBatchOpenAi,
  createBatchOpenAi,
  getBatchOpenAi,
  listBatchesOpenAi,
  type BatchEndpoint,
  type OpenAiBatch,
} from './batch-schema.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Caller } from '../../../kernel/request/request-context.ts';
import type { StoredBatch } from '../../../store/batches/batch.ts';
import { mount, type App } from '../../kit/mount.ts';
import { assertSupported, type UnsupportedField } from '../chat/unsupported-fields.ts';
import type { ApiServices } from '../../services.ts';
import { toPage, toSeconds } from '../page.ts';

const unsupported: readonly UnsupportedField[] = [
  {
    name: 'output_expires_after',
    reason: 'is not supported: batches are deleted after 30 days.',
  },
];

export function mountBatches(app: App, { batches, store }: ApiServices): void {
  mount(app, createBatchOpenAi, async ({ body, context: { caller } }) => {
    assertSupported(body, unsupported);
    const { input_file_id: fileId, endpoint, metadata } = body;
    assertPermission(caller, endpoint);
    return toBatch(await batches.create(caller.tokenId, fileId, endpoint, metadata ?? null));
  });

  mount(app, listBatchesOpenAi, async ({ query, context }) => {
    const { tokenId: ownerId } = context.caller;
    const page = await store.batches.page({ ...query, order: 'desc', ownerId });
    return toPage(page.items.map(toBatch), page.hasMore);
  });

  mount(app, getBatchOpenAi, async ({ params, context }) =>
    toBatch(await batches.find(params.batch_id, context.caller.tokenId)),
  );

  mount(app, cancelBatchOpenAi, async ({ params, context }) =>
    toBatch(await batches.cancel(params.batch_id, context.caller.tokenId)),
  );
}

/** @throws HearthError `forbidden`. */
function assertPermission(caller: Caller, endpoint: BatchEndpoint): void {
  const permission = endpoint === '/v1/embeddings' ? 'embeddings' : 'chat';
  if (caller.hasPermission(permission)) return;
  throw new HearthError(
    'forbidden',
    `The token lacks the permission "${permission}", which ${endpoint} needs.`,
    { param: 'endpoint' },
  );
}

function toBatch(batch: StoredBatch): OpenAiBatch {
  const { times, errors } = batch;
  const timeOf = (status: keyof StoredBatch['times']): number | null => {
    const time = times[status];
    return time === undefined ? null : toSeconds(time);
  };
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batchEndpointSchema.parse(batch.endpoint),
    errors: errors.length === 0 ? null : { object: 'list', data: [...errors] },
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: batch.status,
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    created_at: toSeconds(batch.createdAt),
    in_progress_at: timeOf('in_progress'),
    expires_at: toSeconds(batch.expiresAt),
    finalizing_at: timeOf('finalizing'),
    completed_at: timeOf('completed'),
    failed_at: timeOf('failed'),
    expired_at: timeOf('expired'),
    cancelling_at: timeOf('cancelling'),
    cancelled_at: timeOf('cancelled'),
    request_counts: {
      total: batch.totalCount,
      completed: batch.completedCount,
      failed: batch.failedCount,
    },
    metadata: batch.metadata === null ? null : { ...batch.metadata },
  };
}
