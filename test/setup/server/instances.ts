import { expect } from 'vitest';
import {
  serverStatusSchema,
  type InstanceStatus,
} from '../../../src/api/v1/server/status-schema.ts';
import { get } from './api.ts';

/** The loaded instances of a server, by id. */
export async function instancesOf(url: string): Promise<ReadonlyMap<string, InstanceStatus>> {
  const { body } = await get(url, '/api/v1/status');
  return new Map(serverStatusSchema.parse(body).instances.map((each) => [each.id, each]));
}

/** Waits until an instance has this number of running requests. */
export async function waitForRequests(
  url: string,
  instanceId: string,
  count: number,
  timeoutMs = 30_000,
): Promise<void> {
  await expect
    .poll(async () => (await instancesOf(url)).get(instanceId)?.active_requests, {
      timeout: timeoutMs,
      interval: 20,
    })
    .toBe(count);
}
