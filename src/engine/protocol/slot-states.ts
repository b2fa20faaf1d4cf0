import * as z from 'zod';
import { HearthError } from '../../contract/errors.ts';
import type { EngineConnection } from '../../net/engine-connection.ts';
import type { SlotStates } from '../engine.ts';
import { connectionFailure, replyFailure } from './engine-failure.ts';

const savedBody = z.object({ n_saved: z.int().nonnegative() });
const restoredBody = z.object({ n_restored: z.int().nonnegative() });

/** The states of slots through `/slots/{id}?action=save|restore` of llama-server. */
export function createSlotStates(connection: EngineConnection): SlotStates {
  async function act<Body>(
    path: string,
    fileName: string,
    schema: z.ZodType<Body>,
    signal: AbortSignal,
  ): Promise<Body> {
    const reply = await connection
      .postJson(path, { filename: fileName }, signal)
      .catch((error: unknown) => {
        throw connectionFailure(error);
      });
    if (reply.status !== 200) throw replyFailure(reply);
    const parsed = schema.safeParse(reply.body);
    if (parsed.success) return parsed.data;
    throw new HearthError('internal', 'The engine did not report the state of a slot.', {
      cause: parsed.error,
    });
  }
  return {
    save: async (slot, fileName, signal) =>
      (await act(`/slots/${slot}?action=save`, fileName, savedBody, signal)).n_saved,
    restore: async (slot, fileName, signal) =>
      (await act(`/slots/${slot}?action=restore`, fileName, restoredBody, signal)).n_restored,
  };
}
